import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createWorkingDirectory,
  type Program,
  spawnCommand,
  startCommand,
  startServerProcess,
} from '../support/command.ts';

const bin = new URL('../../bin/', import.meta.url);

/** Simulates an older Node.js with the current one, so that none has to be installed. */
describe('a program that runs in a child Node.js', () => {
  const directory = createWorkingDirectory();
  let presetd: Program;
  const programIn = (name: string, script: string): Program => {
    const parent = join(directory.path, name);
    writeFileSync(
      parent,
      `import { runInNode } from '${new URL('run-in-node.js', bin)}';\n` +
        `await runInNode(process.execPath, ${JSON.stringify(script)}, process.argv.slice(2));\n`,
    );
    return { node: process.execPath, script: parent };
  };
  beforeAll(() => {
    presetd = programIn('presetd.mjs', fileURLToPath(new URL('presetd.js', bin)));
  });
  afterAll(() => directory.remove());

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'a server in a child Node.js receives %s, stops gracefully and exits with 0',
    async (signal) => {
      const server = await startServerProcess(directory.path, {}, presetd);
      const { code, stdout } = await server.stop(signal);
      expect([code, stdout]).toEqual([0, expect.stringContaining('"stopped"')]);
    },
  );

  it('a server in a child Node.js receives SIGHUP and keeps running', async () => {
    const server = await startServerProcess(directory.path, {}, presetd);
    server.process.kill('SIGHUP');
    await expect.poll(() => server.stdout()).toContain('reloaded the upstreams');
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await server.stop()).code).toBe(0);
  });

  it('a server in a child Node.js stops gracefully when its parent is killed', async () => {
    const server = await startServerProcess(directory.path, {}, presetd);
    // The output closes when the last process that can write to it has ended.
    expect((await server.stop('SIGKILL')).stdout).toContain('"stopped"');
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it('a command in a child Node.js shares input, output and exit code with its parent', async () => {
    const push = (program?: Program) =>
      spawnCommand(
        ['preset', 'push', 'p', '-'],
        directory.path,
        { PRESETD_API_KEY: 'k' },
        '{"model',
        program,
      );
    const direct = await push();
    expect(direct).toMatchObject({ code: 1, stderr: expect.stringContaining('JSON') });
    expect(await push(presetd)).toEqual(direct);
    expect((await spawnCommand(['--version'], directory.path, {}, '', presetd)).code).toBe(0);
  });

  it('if the child Node.js is killed, its parent ends by the same signal', async () => {
    const script = join(directory.path, 'killed.mjs');
    writeFileSync(script, `process.kill(process.pid, 'SIGKILL');`);
    const { process, finished } = startCommand([], directory.path, {}, programIn('killing.mjs', script));
    await finished;
    expect(process.signalCode).toBe('SIGKILL');
  });
});
