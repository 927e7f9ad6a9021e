import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, startServerProcess } from '../support/command.ts';
import { startTestServer } from '../support/server.ts';
import { releaseAfterTest, shareWithFile, spawnInTest } from '../support/test-scope.ts';

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const never = new Promise<void>(() => undefined);

describe('servers of a test that hangs', () => {
  let pid = 0;
  let urls: readonly string[] = [];

  describe('a hanging test', () => {
    // A hook has its own timeout, so the short one of the test does not include the start.
    beforeEach(async () => {
      const { path } = createWorkingDirectory();
      const server = await startServerProcess(path);
      const inProcess = await startTestServer('sqlite');
      pid = server.process.pid ?? 0;
      urls = [server.url, inProcess.url];
    });

    it.fails('a test that hangs fails at its timeout', { timeout: 100 }, () => never);
  });

  it('servers of a test that hung are gone when the next test begins', async () => {
    expect(urls).toHaveLength(2);
    expect(isRunning(pid)).toBe(false);
    for (const url of urls) await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });
});

describe('a resource that a test shares with its file', () => {
  let isReleased = false;

  it('a resource that a test shares with its file may be acquired after an await', async () => {
    await shareWithFile(async () => {
      await setImmediate();
      releaseAfterTest(async () => {
        isReleased = true;
      });
    });
  });

  it('a resource shared with the file is not released before the next test', () => {
    expect(isReleased).toBe(false);
  });
});

describe('a test process that is killed', () => {
  it('a killed test process takes its child processes and theirs with it', async () => {
    const module = new URL('../support/guarded-process.ts', import.meta.url).href;
    const script = `
      import { spawnGuarded } from ${JSON.stringify(module)};
      const child = spawnGuarded('sh', ['-c', 'sleep 600 & echo $!; wait'], {});
      child.stdout.on('data', (pid) => console.log(child.pid, Number(pid)));`;
    const killed = spawnInTest(process.execPath, ['--input-type=module', '--eval', script]);
    const [line] = await once(createInterface(killed.stdout), 'line');
    const pids = String(line).split(' ').map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    killed.kill('SIGKILL');
    await expect.poll(() => pids.map(isRunning)).toEqual([false, false]);
  });
});
