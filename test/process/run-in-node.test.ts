import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkout,
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
    presetd = programIn('presetd.mjs', checkout.script);
  });
  afterAll(() => directory.remove());

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'a server in a child Node.js keeps running on SIGHUP, and stops gracefully with 0 on %s',
    async (signal) => {
      const server = await startServerProcess(directory.path, {}, presetd);
      server.process.kill('SIGHUP');
      await expect.poll(() => server.stdout()).toContain('reloaded the upstreams');
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      const { code, stdout } = await server.stop(signal);
      expect([code, stdout]).toEqual([0, expect.stringContaining('"stopped"')]);
    },
  );

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

describe('a program on a machine without the bundled Node.js', () => {
  const directory = createWorkingDirectory();
  beforeAll(() => {
    cpSync(bin, join(directory.path, 'bin'), { recursive: true });
    mkdirSync(join(directory.path, 'dist'), { recursive: true });
    writeFileSync(join(directory.path, 'package.json'), '{"type":"module"}');
    writeFileSync(join(directory.path, 'dist/run.js'), `export const run = () => console.log('started');`);
  });
  afterAll(() => directory.remove());

  /** Runs presetd in the current Node.js, which pretends to be another version. */
  const runInVersion = (version: string) => {
    const script = join(directory.path, `${version}.mjs`);
    writeFileSync(
      script,
      `const override = (name, value) => Object.defineProperty(process, name, { value });\n` +
        `override('version', 'v${version}');\n` +
        `override('versions', { ...process.versions, node: '${version}' });\n` +
        `await import('./bin/presetd.js');\n`,
    );
    return spawnCommand([], directory.path, {}, '', { node: process.execPath, script });
  };

  it.each(['24.7.0', '24.18.0', '25.0.0', '26.10.0'])('presetd starts in Node.js %s', async (version) => {
    expect(await runInVersion(version)).toEqual({ code: 0, stdout: 'started\n', stderr: '' });
  });

  it.each(['20.20.2', '23.11.1', '24.0.0', '24.6.0'])(
    'presetd does not start in Node.js %s and says which version it requires',
    async (version) => {
      expect(await runInVersion(version)).toEqual({
        code: 1,
        stdout: '',
        stderr: [
          `presetd requires Node.js 24.7 or newer; this is v${version}.`,
          'On Linux (x64, arm64), npm installs one as an optional dependency: reinstall without omitting those.',
          'On other systems, install Node.js 24.7 or newer.\n',
        ].join('\n'),
      });
    },
  );
});
