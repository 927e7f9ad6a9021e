import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorkingDirectory,
  type Program,
  runCommand,
  startCommand,
  startServerProcess,
} from '../support/command.ts';

const bin = new URL('../../bin/', import.meta.url);

/** What an older Node.js does, done by this one: no other has to be there. */
describe('a program that another Node.js was started for', () => {
  const directory = createWorkingDirectory();
  let presetd: Program;
  const handingOver = (name: string, script: string): Program => {
    const starter = join(directory.path, name);
    writeFileSync(
      starter,
      `import { handOver } from '${new URL('hand-over.js', bin)}';\n` +
        `await handOver(process.execPath, ${JSON.stringify(script)}, process.argv.slice(2));\n`,
    );
    return { node: process.execPath, script: starter };
  };
  beforeAll(() => {
    presetd = handingOver('presetd.mjs', fileURLToPath(new URL('presetd.js', bin)));
  });
  afterAll(() => directory.remove());

  it.each(['SIGTERM', 'SIGINT'] as const)('gets %s, stops in order and ends with 0', async (signal) => {
    const server = await startServerProcess(directory.path, {}, presetd);
    const { code, stdout } = await server.stop(signal);
    expect([code, stdout]).toEqual([0, expect.stringContaining('"stopped"')]);
  });

  it('gets SIGHUP, and stays', async () => {
    const server = await startServerProcess(directory.path, {}, presetd);
    server.process.kill('SIGHUP');
    await expect.poll(() => server.stdout()).toContain('reloaded the upstreams');
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });

  it('stops in order when its starter is killed, and leaves no server behind', async () => {
    const server = await startServerProcess(directory.path, {}, presetd);
    // The output is closed when the last process that can write to it has ended.
    expect((await server.stop('SIGKILL')).stdout).toContain('"stopped"');
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('reads the input of its starter, and gives it its output and exit code', async () => {
    const push = (program?: Program) =>
      runCommand(['preset', 'push', 'p', '-'], directory.path, { PRESETD_API_KEY: 'k' }, '{"model', program);
    const direct = await push();
    expect(direct).toMatchObject({ code: 1, stderr: expect.stringContaining('JSON') });
    expect(await push(presetd)).toEqual(direct);
    expect((await runCommand(['--version'], directory.path, {}, '', presetd)).code).toBe(0);
  });

  it('is killed, and its starter ends by the same signal', async () => {
    const script = join(directory.path, 'killed.mjs');
    writeFileSync(script, `process.kill(process.pid, 'SIGKILL');`);
    const { process, finished } = startCommand([], directory.path, {}, handingOver('killing.mjs', script));
    await finished;
    expect(process.signalCode).toBe('SIGKILL');
  });
});
