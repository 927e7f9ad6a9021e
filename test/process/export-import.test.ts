import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkingDirectory, startCommand } from '../support/command.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerOn, type TestServer } from '../support/server.ts';
import { startStubServer } from '../support/stub-server.ts';

const key = 'the-key-of-the-commands';
const directory = createWorkingDirectory();
const environmentOf = (url: string) => ({ PRESETD_URL: url, PRESETD_API_KEY: key });
const presetdAt = (url: string, args: readonly string[], input?: string | Uint8Array) =>
  runCommand(args, directory.path, environmentOf(url), input);
const read = (name: string) => readFileSync(join(directory.path, name));
const write = (name: string, content: string | Uint8Array) => {
  writeFileSync(join(directory.path, name), content);
  return name;
};

const time = '2026-01-01T00:00:00.000Z';
const times = { status_updated_at: null, created_at: time, updated_at: time };
const presetLine = (slug: string, versions = 1) => ({
  ...{ type: 'preset', slug, name: slug, description: null, status: 'active', ...times },
  ...{ versions, designated_version: versions, labels: {} },
});
const versionLine = (slug: string, model: string, version = 1) => ({
  ...{ type: 'version', slug, version, dialect: 'responses', system_prompt: null, created_at: time },
  config: { model },
});
const linesOf = (lines: readonly object[], presets: number, versions: number) =>
  [{ type: 'export', format: 1, presets }, ...lines, { type: 'end', presets, versions }]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

let databases: readonly TestDatabase[];
let source: TestServer;
let target: TestServer;

beforeAll(async () => {
  // From one engine to the other, if both are tested.
  databases = await Promise.all([
    createMigratedDatabase('sqlite'),
    createMigratedDatabase(engines.at(-1) ?? 'sqlite'),
  ]);
  const [from, to] = databases.map((database) => startServerOn(database, { PRESETD_BOOTSTRAP_API_KEY: key }));
  if (from === undefined || to === undefined) throw new Error('two databases, two servers');
  [source, target] = await Promise.all([from, to]);
  await fill(source.url);
});
afterAll(async () => {
  await Promise.all([source.stop(), target.stop()]);
  await Promise.all(databases.map((database) => database.drop()));
  directory.remove();
});

describe('many presets', () => {
  const count = async (table: string) =>
    (await databases[1]?.sql(`SELECT count(*) AS count FROM ${table}`))?.[0];

  it('many presets are exported and imported, and export to the same bytes again', async () => {
    expect(await presetdAt(source.url, ['export', '--output', 'all.ndjson'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Exported 160 presets with 264 versions.\n',
    });
    expect(read('all.ndjson').includes('"seed":18446744073709551615')).toBe(true);
    expect(await presetdAt(target.url, ['import', 'all.ndjson'])).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Read 160 presets, imported 264 new versions: 160 created, 0 updated, 0 unchanged, 0 ahead on the server, 0 conflicts.\n',
    });
    const { stdout } = await presetdAt(target.url, ['export', '--output', '-']);
    expect(stdout === read('all.ndjson').toString()).toBe(true);
  });

  it('importing many presets again, from standard input, changes nothing', async () => {
    const counts = async () => [await count('preset_versions'), await count('audit_events')];
    const before = await counts();
    expect(await presetdAt(target.url, ['import', '-'], read('all.ndjson'))).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'Read 160 presets, imported 0 new versions: 0 created, 0 updated, 160 unchanged, 0 ahead on the server, 0 conflicts.\n',
    });
    expect(await counts()).toEqual(before);
  });

  it('importing a truncated file fails after the complete presets, with a summary', async () => {
    const cut = write('cut.ndjson', read('all.ndjson').subarray(0, -100_000));
    const lines = read(cut).toString().split('\n').length - 1;
    const { code, stderr } = await presetdAt(target.url, ['import', cut]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Read \d+ presets, imported 0 new versions: 0 created, 0 updated, \d+ unchanged, /,
    );
    expect(stderr).toContain(' These changes are saved; it is safe to import the file again.\n');
    expect(stderr.split('\n').at(-2)).toBe(
      `cut.ndjson is truncated after line ${lines}: an export ends with a line of type "end".`,
    );
  });
});

describe('import', () => {
  const imported = async (lines: readonly object[], presets: number, versions: number) => {
    write('some.ndjson', linesOf(lines, presets, versions));
    return presetdAt(target.url, ['import', 'some.ndjson']);
  };

  it('import reports a preset that differs and imports the others', async () => {
    await imported([presetLine('x-known'), versionLine('x-known', 'ours')], 1, 1);
    const lines = [
      ...[presetLine('x-before'), versionLine('x-before', 'm')],
      ...[presetLine('x-known'), versionLine('x-known', 'theirs')],
      ...[presetLine('x-later'), versionLine('x-later', 'm')],
    ];
    const { code, stderr } = await imported(lines, 3, 3);
    expect([code, ...stderr.split('\n')]).toEqual([
      5,
      expect.stringMatching(
        /^Conflict: x-known \(line 4\): Version 1 differs from the one on this server; nothing of this preset was imported\.$/,
      ),
      'Read 3 presets, imported 2 new versions: 2 created, 0 updated, 0 unchanged, 0 ahead on the server, 1 conflict.',
      '',
    ]);
    expect((await presetdAt(target.url, ['preset', 'show', 'x-known'])).stdout).toContain('"ours"');
  });

  it('import adds versions, and skips presets that are ahead on the server', async () => {
    const [one, two] = [versionLine('y', 'one'), versionLine('y', 'two', 2)];
    await imported([presetLine('y'), one], 1, 1);
    expect((await imported([presetLine('y', 2), one, two], 1, 2)).stderr).toMatch(
      /, imported 1 new version: 0 created, 1 updated, /,
    );
    const { code, stderr } = await imported([presetLine('y'), one], 1, 1);
    expect([code, ...stderr.split('\n')]).toEqual([
      0,
      expect.stringMatching(/^Ahead: y \(line 2\): ./),
      expect.stringContaining(' 0 unchanged, 1 ahead on the server, '),
      '',
    ]);
  });

  it.each([
    [
      'is not JSON',
      '{"type":"export","format":1,"presets":1}\nnot\n',
      'file.ndjson is not a valid export: line 2 is not JSON.\n',
    ],
    [
      'the server rejects',
      linesOf([presetLine('z'), { ...versionLine('z', 'm'), config: { temperature: 3 } }], 1, 1),
      'The server rejected line 3: /config/temperature must be at most 2.\n',
    ],
  ])('import names the line that %s', async (_title, content, message) => {
    const { code, stderr } = await presetdAt(target.url, ['import', write('file.ndjson', content)]);
    expect([code, stderr]).toEqual([1, message]);
  });

  it('import retries while the server is busy', async () => {
    let attempts = 0;
    const busy = await startStubServer((_request, response) => {
      attempts += 1;
      if (attempts < 3) response.writeHead(503, { 'retry-after': '0' }).end('{"error":{"message":"busy"}}');
      else response.end('{"data":[{"slug":"z","outcome":"created","versions_added":1}]}');
    });
    write('some.ndjson', linesOf([presetLine('z'), versionLine('z', 'm')], 1, 1));
    expect(await presetdAt(busy.url, ['import', 'some.ndjson'])).toMatchObject({ code: 0 });
    expect(attempts).toBe(3);
    await busy.stop();
  });

  it('import reports a file that does not exist', async () => {
    expect(await presetdAt(target.url, ['import', 'nothing.ndjson'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Cannot read nothing.ndjson: no such file or directory.\n',
    });
  });
});

describe('export', () => {
  const head = '{"type":"export","format":1,"presets":2}\n';
  const partials = () => readdirSync(directory.path).filter((name) => name.endsWith('.partial'));

  it.each([
    ['is cut off', true, 6, /^Cannot reach the server at \S+: the connection was lost\. /],
    ['ends early', false, 1, /^The export is truncated after line 1: /],
  ])('export keeps the existing file if the response %s', async (_title, isBroken, exitCode, message) => {
    const failing = await startStubServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(head, () => (isBroken ? response.destroy() : response.end()));
    });
    write('kept.ndjson', 'old content');
    const { code, stdout, stderr } = await presetdAt(failing.url, ['export', '--output', 'kept.ndjson']);
    await failing.stop();
    expect([code, stdout, stderr]).toEqual([exitCode, '', expect.stringMatching(message)]);
    expect(read('kept.ndjson').toString()).toBe('old content');
    expect(partials()).toEqual([]);
  });

  it('an interrupted export leaves nothing behind', async () => {
    const endless = await startStubServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(head);
    });
    const args = ['export', '--output', 'never.ndjson'];
    const { process: child, finished } = startCommand(args, directory.path, environmentOf(endless.url));
    while (partials().length === 0) await delay(10);
    child.kill('SIGINT');
    expect(await finished).toEqual({ code: null, stdout: '', stderr: '' });
    expect(child.signalCode).toBe('SIGINT');
    expect(readdirSync(directory.path).filter((name) => name.startsWith('never'))).toEqual([]);
    await endless.stop();
  });

  it('export ends silently if its output is closed', async () => {
    const { process: child, finished } = startCommand(['export'], directory.path, environmentOf(source.url));
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await finished).toMatchObject({ code: 141, stderr: '' });
  });

  it('export follows links, restricts permissions, and replaces only regular files', async () => {
    const empty = await startStubServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.end(linesOf([], 0, 0));
    });
    write('real.ndjson', '');
    chmodSync(join(directory.path, 'real.ndjson'), 0o600);
    symlinkSync('real.ndjson', join(directory.path, 'link.ndjson'));
    const exportTo = async (file: string) =>
      (await presetdAt(empty.url, ['export', '--output', file])).stderr;
    expect(await exportTo('link.ndjson')).toBe('Exported 0 presets with 0 versions.\n');
    expect(read('real.ndjson').toString()).toBe(linesOf([], 0, 0));
    expect(statSync(join(directory.path, 'real.ndjson')).mode & 0o777).toBe(0o600);
    await exportTo('new.ndjson');
    expect(statSync(join(directory.path, 'new.ndjson')).mode & 0o777).toBe(0o600);
    expect(await exportTo('/dev/null')).toBe('Cannot write /dev/null: it is not a regular file.\n');
    expect(await exportTo('no/where')).toBe('Cannot write no/where: no such file or directory.\n');
    await empty.stop();
  });
});

/**
 * Most presets have one version, some have two, labels and another status, and one exceeds a batch.
 */
async function fill(url: string): Promise<void> {
  const pool = new Pool(url, { connections: 32 });
  const send = async (method: Dispatcher.HttpMethod, path: string, content?: object | string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const { statusCode, body } = await pool.request({
      method,
      path: `/api/v1/presets/${path}`,
      headers: content === undefined ? { authorization: headers.authorization } : headers,
      body: typeof content === 'object' ? JSON.stringify(content) : (content ?? null),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(text);
  };
  const make = async (index: number) => {
    const slug = `preset-${index}`;
    const instructions = index % 3 === 0 ? 'Zeile 1\r\nZeile 2 \u2028 "🙂" \\ \u007f' : `Be number ${index}.`;
    await send('POST', `${slug}/responses`, { model: `model-${index}`, instructions });
    if (index % 50 !== 0) return;
    await send(
      'POST',
      `${slug}/chat/completions`,
      `{"seed":18446744073709551615,"top_p":0.${index}1,"messages":[{"role":"user","content":"x"}]}`,
    );
    await send('PATCH', slug, { name: `Nº ${index} 日本`, description: 'two\nlines', designated_version: 1 });
    await send('PUT', `${slug}/labels/production`, { version: 1 });
    await send('PUT', `${slug}/labels/staging`, { version: 2 });
    if (index % 150 === 50) await send('PATCH', slug, { status: 'disabled' });
    if (index % 150 === 100) await send('DELETE', slug);
  };
  const queue = Array.from({ length: 160 }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (const index of queue) await make(index);
    }),
  );
  const system = 'x'.repeat(60_000);
  for (let version = 2; version <= 101; version += 1)
    await send('POST', 'preset-1/messages', { model: `m${version}`, system, messages: [] });
  await pool.close();
}
