import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { startStubServer } from '../../test/support/stub-server.ts';
import { exitCodes } from './command-error.ts';
import { run } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'presetd-failures-'));

afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  process.exitCode = undefined;
});

interface Outcome {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

async function outcomeOf(args: readonly string[], environment: Record<string, string>): Promise<Outcome> {
  const output = { stdout: '', stderr: '' };
  const settings = { PRESETD_API_KEY: 'some-key', PRESETD_MANAGEMENT_KEY: '', ...environment };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
      output[stream] += chunk;
      return true;
    });
  vi.spyOn(console, 'error').mockImplementation((text) => {
    output.stderr += `${text}\n`;
  });
  await run(args);
  const code = process.exitCode ?? 0;
  vi.restoreAllMocks();
  process.exitCode = undefined;
  return { code, ...output };
}

async function outcomeAt(listener: RequestListener, args: readonly string[]): Promise<Outcome> {
  const server = await startStubServer(listener);
  try {
    return await outcomeOf(args, { PRESETD_URL: server.url });
  } finally {
    await server.stop();
  }
}

const issues = [
  { path: '/temperature', message: 'must be at most 2' },
  { path: '/top_p', message: 'must be a number' },
];

const respondWith =
  (status: number): RequestListener =>
  (_, response) =>
    response
      .writeHead(status, { 'retry-after': '0', 'x-request-id': 'r-1' })
      .end(JSON.stringify({ error: { code: status, message: 'No.', metadata: { issues } } }));

const unreachable = { PRESETD_URL: 'http://127.0.0.1:1' };

describe('the exit code', () => {
  it.each([
    [400, 1, 'failure'],
    [401, 3, 'authentication'],
    [403, 3, 'authentication'],
    [404, 4, 'not_found'],
    [409, 5, 'conflict'],
    [412, 5, 'conflict'],
    [413, 1, 'failure'],
    [429, 6, 'unavailable'],
    [500, 1, 'failure'],
    [502, 6, 'unavailable'],
    [503, 6, 'unavailable'],
    [504, 6, 'unavailable'],
  ])('a %i response sets the exit code %i', async (status, code, kind) => {
    expect((await outcomeAt(respondWith(status), ['preset', 'list'])).code).toBe(code);
    const { stderr } = await outcomeAt(respondWith(status), ['preset', 'list', '--json']);
    expect(JSON.parse(stderr).error).toMatchObject({ code: status, kind, exit_code: code });
  });

  it.each([
    [404, 'text/html', 1],
    [401, 'text/html', 3],
    [429, 'text/html', 6],
    [502, 'text/html', 6],
    [200, 'text/html', 1],
  ])('a %i response from another server (%s) sets the exit code %i', async (status, type, code) => {
    const listener: RequestListener = (_, response) =>
      response.writeHead(status, { 'content-type': type }).end('<html>');
    expect((await outcomeAt(listener, ['preset', 'list'])).code).toBe(code);
  });

  it.each([
    ['an unknown command', ['frobnicate'], {}, 2],
    ['an unknown subcommand', ['preset', 'frobnicate'], {}, 2],
    ['a missing subcommand', ['preset'], {}, 2],
    ['an unknown option', ['preset', 'list', '--frob'], {}, 2],
    ['a missing argument', ['preset', 'show'], {}, 2],
    ['an option value out of range', ['preset', 'list', '--limit', '0'], {}, 2],
    ['an edit without changes', ['preset', 'edit', 'x'], {}, 2],
    ['an invalid setting', ['preset', 'list'], { PRESETD_URL: 'nowhere' }, 2],
    ['no key', ['preset', 'list'], { PRESETD_API_KEY: '' }, 3],
    ['no management key', ['key', 'list'], { PRESETD_API_KEY: '' }, 3],
    ['no server', ['preset', 'list'], {}, 6],
    ['no server to check', ['health'], {}, 6],
    ['a file that does not exist', ['preset', 'push', 'x', join(folder, 'nothing.json')], {}, 1],
    ['help', ['--help'], {}, 0],
    ['help of a command', ['preset', 'show', '--help'], {}, 0],
    ['version', ['--version'], {}, 0],
  ])('%s, %j with %j, sets the exit code %i', async (_title, args, environment, code) => {
    const outcome = await outcomeOf(args, { ...unreachable, ...environment });
    expect(outcome.code).toBe(code);
    expect(outcome.stderr === '').toBe(code === 0);
  });

  it('an unknown label sets the exit code of "not found"', async () => {
    const noLabels: RequestListener = (_, response) => response.end('{"data":[],"total_count":0}');
    expect((await outcomeAt(noLabels, ['preset', 'rollback', 'x', 'nowhere'])).code).toBe(4);
  });

  it('a server that is not ready sets the exit code of "unavailable"', async () => {
    expect((await outcomeAt(respondWith(503), ['health'])).code).toBe(6);
  });
});

it('the documentation and the help list all exit codes', async () => {
  const document = readFileSync(new URL('../../docs/command-line.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| (\d) \| `(\w+)` \|/gm)].map(([, code, kind]) => [
    kind,
    Number(code),
  ]);
  expect(Object.fromEntries(rows)).toEqual(exitCodes);
  const { stdout } = await outcomeOf(['--help'], unreachable);
  for (const [kind, code] of Object.entries(exitCodes))
    expect(stdout.replaceAll('\n', ' ')).toContain(`${code} ${kind.replace('_', ' ')}`);
});

describe('an error with --json', () => {
  it('--json reports a server error as one JSON object', async () => {
    const { stdout, stderr } = await outcomeAt(respondWith(404), ['preset', 'show', 'x', '--json']);
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual({
      error: {
        kind: 'not_found',
        exit_code: 4,
        code: 404,
        message: 'No.\n  /temperature must be at most 2\n  /top_p must be a number',
        issues,
        request_id: 'r-1',
      },
    });
  });

  it.each([
    [['preset', 'list', '--frob', '--json'], "unknown option '--frob'"],
    [['preset', 'show', '--json'], "missing required argument 'slug'"],
    [['preset', 'frobnicate', '--json'], "unknown command 'frobnicate'"],
    [['key', 'create', '--json'], "required option '--name <text>' not specified"],
    [['preset', 'edit', 'x', '--json'], 'Nothing to change. Use --name, --description or --status.'],
    [['serve', '--json'], "unknown option '--json'"],
  ])('--json reports the usage error of %j as JSON', async (args, message) => {
    const { code, stdout, stderr } = await outcomeOf(args, unreachable);
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toEqual({
      error: { kind: 'usage', exit_code: 2, code: null, message, issues: [] },
    });
  });

  it('errors are plain text if --json comes after "--"', async () => {
    const { stderr } = await outcomeOf(['preset', 'show', '--', '--json'], unreachable);
    expect(stderr).not.toContain('{');
  });

  it('--json reports a failed connection with the code null', async () => {
    const { stderr } = await outcomeOf(['key', 'rotate', 'x', '--json'], unreachable);
    expect(JSON.parse(stderr).error).toMatchObject({ kind: 'unavailable', code: null });
  });

  it('JSON errors contain no control characters', async () => {
    const evil = 'a\u009b2J\u202e';
    const { stderr } = await outcomeAt(
      (_, response) => response.writeHead(400).end(JSON.stringify({ error: { message: evil } })),
      ['preset', 'list', '--json'],
    );
    expect(stderr).not.toMatch(/[\u009b\u202e]/);
  });
});
