import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { checkout, createWorkingDirectory, startServerProcess } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { killGroup } from '../support/guarded-process.ts';
import { apiKey, startTestServer } from '../support/server.ts';
import { releaseAfterTest, spawnInTest } from '../support/test-scope.ts';

let directory: ReturnType<typeof createWorkingDirectory>;
beforeEach(() => {
  directory = createWorkingDirectory();
});

const serveInTerminal = (args = '', environment: Readonly<Record<string, string>> = {}) =>
  startInTerminal(`serve ${args}`, { PORT: '0', ...environment });

/** Runs a command in a pseudo-terminal, opened by `script` from util-linux. */
function startInTerminal(command: string, environment: Readonly<Record<string, string>>) {
  // The server has its own session, so it does not end with the process group of `script`.
  const pidFile = join(directory.path, 'server.pid');
  releaseAfterTest(async () => {
    if (existsSync(pidFile)) killGroup({ pid: Number(readFileSync(pidFile, 'utf8')) });
  });
  const run = `echo $$ >server.pid; exec "${checkout.node}" "${checkout.script}" ${command}`;
  const { PATH = '', HOME = '' } = process.env;
  const child = spawnInTest('script', ['--quiet', '--flush', '--return', '--command', run, '/dev/null'], {
    cwd: directory.path,
    env: { PATH, HOME, SHELL: '/bin/sh', TERM: 'xterm-256color', ...environment },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  const lines = () => output.replaceAll('\r\n', '\n').split('\n');
  return {
    lines,
    /** Waits until a line matches, and returns its first group. */
    async until(pattern: RegExp): Promise<string> {
      await expect.poll(() => output).toMatch(pattern);
      return pattern.exec(output)?.[1] ?? '';
    },
    /** Presses Ctrl-C, and returns the exit code. */
    interrupt: () => type('\u0003'),
    type,
    hangUp: () => child.kill('SIGKILL'),
  };

  /** Types what ends the command, and returns the exit code. */
  async function type(keys: string): Promise<unknown> {
    const closed = once(child, 'close');
    child.stdin.write(keys);
    const [code] = await closed;
    // Another process may get this number later.
    rmSync(pidFile);
    return code;
  }
}

const logLine = /^\d\d:\d\d:\d\d\.\d{3} (\[\d+\] )?(INFO |WARN ) \S/;
const keyLine = (kind: string) => new RegExp(`^  ${kind} key +(sk-pst-v1-[0-9a-f]{64})$`, 'm');

describe('serve in a terminal', () => {
  it.each(['', '--workers 2'])(
    'serve in a terminal logs readable lines and ends its start with the keys: %s',
    async (args) => {
      const server = serveInTerminal(args, { NO_COLOR: '1', PRESETD_FROB: '1' });
      await server.until(/Management key +sk-\w/);
      await server.until(/pst_link_\S+\r\n\r\n$/);
      const started = server.lines();
      const banner = started.indexOf('');
      for (const line of started.slice(0, banner)) expect(line).toMatch(logLine);
      expect(started.slice(0, banner).join('\n')).toMatch(/ WARN .*PRESETD_FROB/);
      expect(started.slice(banner)).toEqual([
        '',
        expect.stringMatching(/^ {2}presetd \S+ listens on http:\S+ \(SQLite, /),
        expect.stringMatching(/^ {2}Open http:\S+ in a browser\. API reference: http:\S+\/docs$/),
        '',
        '  First start. Copy these keys now: they are not shown again.',
        '',
        expect.stringMatching(keyLine('API')),
        expect.stringMatching(keyLine('Management')),
        '',
        '  To sign in as owner@localhost, open this link within 15 minutes; it works once:',
        '',
        expect.stringMatching(/^ {2}http:\S+\/sign-in\/link#pst_link_\S{43}$/),
        '',
        '',
      ]);
      const url = await server.until(/listens on (\S+)/);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      await server.until(/ INFO {2}GET \/healthz 200 /);
      expect(await server.interrupt()).toBe(0);
      const rest = server.lines().slice(started.length - 1);
      expect(rest.pop()).toBe('');
      for (const line of rest) expect(line.replace(/^\^C/, '')).toMatch(logLine);
      expect(rest.at(-1)).toMatch(/ stopped$/);
    },
  );

  it('serve in a terminal logs JSON if configured', async () => {
    const server = serveInTerminal('', { PRESETD_LOG_FORMAT: 'json' });
    await server.until(/listens on \S+ .*browser; API reference/);
    await server.interrupt();
    const json = server.lines().filter((line) => line.startsWith('{'));
    expect(JSON.parse(json.at(-1) ?? '')).toMatchObject({ level: 30, msg: 'stopped' });
  });

  it('serve in a terminal uses color, and stops gracefully when its terminal is closed', async () => {
    const server = serveInTerminal();
    await server.until(/Management key/);
    const started = server.lines().join('\n');
    expect(started).toContain('\u001b[32mINFO \u001b[39m');
    expect(started).toContain('\u001b[1m  API key');
    // SQLite removes this file when the database is closed, but not if the process dies.
    const unfinished = join(directory.path, 'data', 'presetd.db-wal');
    expect(existsSync(unfinished)).toBe(true);
    server.hangUp();
    await expect.poll(() => existsSync(unfinished)).toBe(false);
  });
});

describe('serve without a terminal', () => {
  it('serve without a terminal logs readable lines if configured, without color', async () => {
    const server = await startServerProcess(directory.path, { PRESETD_LOG_FORMAT: 'pretty' });
    const { stdout } = await server.stop();
    const schema =
      /^\d\d:\d\d:\d\d\.\d{3} INFO {2}upgraded the database schema {2}migrations=\d+ last=\d{4}-\S+$/m;
    expect(stdout).toMatch(schema);
    expect(stdout).not.toContain('applied migration');
    expect(stdout).toMatch(/ stopped\n$/);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('{');
  });
});

describe('promote in a terminal', () => {
  it.each([
    ['y\r', 0, 'broken@2 is now live, replacing version 1.'],
    ['\r', 1, 'Nothing was changed.'],
    ['\u0003', 1, 'Nothing was changed.'],
    ['\u0004', 1, 'Nothing was changed.'],
  ])('promote in a terminal asks before it breaks calls: %j', async (keys, exitCode, last) => {
    const server = await startTestServer(anyEngine);
    const path = '/api/v1/presets/broken/responses';
    await server.post(path, { model: 'm' });
    const variables = { customer: { type: 'string' } };
    await server.post(path, { model: 'm', presetd: { variables, designate: false } });
    const terminal = startInTerminal('preset promote broken', {
      PRESETD_URL: server.url,
      PRESETD_API_KEY: apiKey,
    });
    await terminal.until(/calls without `customer` fail\r\n.*never called.\r\n.*live anyway\? \[y\/N\] /);
    expect(await terminal.type(keys)).toBe(exitCode);
    expect(terminal.lines().at(-2)).toBe(last);
    await server.stop();
  });
});
