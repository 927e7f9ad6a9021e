import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { formatGenerationId } from '../../src/core/ledger/call-record.ts';
import type { Storage } from '../../src/core/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { callIdAt, callRecord } from '../support/call-records.ts';
import { createWorkingDirectory, startCommand } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { startWithFile } from '../support/gateway-server.ts';
import { runCommand } from '../support/run-command.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { storageOptions } from '../support/storage-options.ts';
import { startStubServer } from '../support/stub-server.ts';

let server: TestServer;
let storage: Storage;
let workspace: { readonly organizationId: string; readonly workspaceId: string };
const directory = createWorkingDirectory();

beforeAll(async () => {
  server = await startTestServer(anyEngine);
  storage = await openStorage(storageOptions(server.database));
  const [found] = await server.database.sql('SELECT id, organization_id FROM workspaces');
  workspace = { organizationId: String(found?.organization_id), workspaceId: String(found?.id) };
});
afterAll(async () => {
  await storage.close();
  await server.stop();
  directory.remove();
});

const record = (...calls: Parameters<typeof callRecord>[1][]) => {
  const batch = calls.map((changes) => callRecord(workspace, changes));
  return storage.ledger.write({ id: newId(), calls: batch }, true);
};

const presetd = (...args: string[]) =>
  runCommand(args, directory.path, { PRESETD_URL: server.url, PRESETD_API_KEY: apiKey });

async function output(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await presetd(...args);
  expect([args, code, stderr]).toEqual([args, 0, '']);
  return stdout;
}

const unknown = { nanos: null, source: null, price: null };

describe('usage', () => {
  const at = Date.parse('2026-03-02T10:00:00Z');
  const march = ['--since', '2026-03-01', '--until', '2026-04-01'];
  beforeAll(() =>
    record(
      { id: callIdAt(at), group: { model: 'a/one', status: 502 } },
      { id: callIdAt(at + 86_400_000), group: { model: 'a/one' } },
      { id: callIdAt(at), group: { model: 'b/two' }, cost: unknown },
    ),
  );

  it('usage says what runs of the workbench it leaves out, with the same filters', async () => {
    const range = ['--since', '2025-07-01', '--until', '2025-08-01', '--metric', 'calls'];
    const id = () => callIdAt(Date.parse('2025-07-02T10:00:00Z'));
    await record(
      { id: id(), group: { model: 'x' } },
      { id: id(), group: { model: 'x', purpose: 'workbench' } },
      { id: id(), group: { model: 'y', purpose: 'workbench' } },
    );
    const one = await presetd('usage', ...range, '--model', 'x', '--granularity', 'month');
    expect([one.code, one.stdout, one.stderr]).toEqual([
      0,
      'MONTH    CALLS\n2025-07      1\n',
      '1 run of the workbench ($0.00000300) not included. Use --purpose all.\n',
    ]);
    expect(await output('usage', ...range, '--granularity', 'month', '--purpose', 'all')).toBe(
      'MONTH    CALLS\n2025-07      3\n',
    );
  });

  it('usage by model has a row for each model, and warns of unknown costs on standard error', async () => {
    const { code, stdout, stderr } = await presetd(
      'usage',
      ...march,
      '--by',
      'model',
      '--metric',
      'cost,calls',
    );
    expect([code, stdout]).toEqual([
      0,
      `
MODEL         COST  CALLS
a/one  $0.00000600      2
b/two      unknown      1
`.trimStart(),
    ]);
    expect(stderr).toMatch(/^The cost of 1 call is not known and not included\./);
  });

  it('usage filters, and shows each period of a granularity', async () => {
    const args = ['--model', 'a/one', '--granularity', 'month', '--metric', 'calls'];
    expect(await output('usage', ...march, ...args)).toBe('MONTH    CALLS\n2026-03      2\n');
  });

  it('usage --json prints the response, and no warning besides', async () => {
    const { data } = JSON.parse(await output('usage', ...march, '--by', 'status', '--json'));
    expect(data.data.map(({ status }: { status: number }) => status).toSorted()).toEqual([200, 502]);
    expect(data.warnings).toHaveLength(1);
  });

  it('usage says if there are more rows than its limit', async () => {
    const { stderr } = await presetd('usage', ...march, '--by', 'model', '--metric', 'calls', '--limit', '1');
    expect(stderr).toBe('There are more rows. Use --limit to show them.\n');
  });

  it('usage reads all workspaces with a management key, and one with --workspace', async () => {
    const calls = async (...args: string[]) => {
      const environment = { PRESETD_URL: server.url, PRESETD_MANAGEMENT_KEY: managementKey };
      const query = ['usage', ...march, '--by', 'workspace', '--metric', 'calls', ...args];
      return (await runCommand(query, directory.path, environment)).stdout;
    };
    expect(await calls()).toMatch(/ 3\n$/);
    expect(await calls('--workspace', 'default')).toMatch(/ 3\n$/);
  });

  it.each([
    [['--by', 'color'], 'Must be among version, preset_version, key, person'],
    [['--by', 'day,version'], 'day is not a group: use --granularity day for one row per day.'],
    [['--by', 'version,key,person'], 'Name at most three. A version counts as two.'],
    [['--metric', 'beauty'], 'Must be among calls, cost, cost-per-call, tokens'],
    [['--days', '0'], 'Must be from 1 to 3660.'],
  ])('usage rejects %j', async (args, message) => {
    const { code, stderr } = await presetd('usage', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('calls', () => {
  const at = Date.parse('2026-04-02T10:00:00Z');
  const april = ['--since', '2026-04-01', '--until', '2026-05-01'];
  const ids = [0, 1, 2].map((minute) => callIdAt(at + minute * 60_000));
  const [first = '', second = '', third = ''] = ids.map(formatGenerationId);
  beforeAll(async () => {
    const [one = '', two = '', three = ''] = ids;
    const preset = { presetSlug: 'bot', version: 2, selection: 'label', label: 'canary' } as const;
    await record(
      { id: one, group: preset, sessionId: 's-1', endUser: 'e-1', totalMs: 1_500 },
      { id: two, group: { model: 'b/two', status: 429, dialect: 'embeddings' }, cost: unknown },
      { id: three, group: { upstream: 'other', purpose: 'workbench' }, upstreamId: 'chatcmpl-33' },
    );
  });

  const found = async (...args: string[]) => {
    const { data } = JSON.parse(await output('calls', ...april, ...args, '--json'));
    return data.map(({ id }: { id: string }) => id);
  };

  it('calls are listed newest first, in pages', async () => {
    const text = await output('calls', ...april, '--limit', '2');
    expect(text).toMatch(/^TIME .*\n04-02 10:02:00Z .*\n04-02 10:01:00Z .* unknown .*\n/);
    const [, cursor = ''] = /Use --cursor (\S+) for more\n$/.exec(text) ?? [];
    expect(await output('calls', ...april, '--cursor', cursor)).toMatch(
      /^TIME .*\n04-02 10:00:00Z {2}bot@2 .* 1\.5 s .*\n$/,
    );
  });

  it.each([
    [['--version', '2'], [first]],
    [['--label', 'canary'], [first]],
    [['--selection', 'label'], [first]],
    [['--session', 's-1'], [first]],
    [['--end-user', 'e-1'], [first]],
    [['--model', 'b/two'], [second]],
    [['--status', 'error'], [second]],
    [['--status', '429'], [second]],
    [['--dialect', 'embeddings'], [second]],
    [['--upstream', 'other'], [third]],
    [['--purpose', 'workbench'], [third]],
    [['--preset', 'bot'], []],
    [['--person', 'nobody'], []],
    [['--key', 'b2c1f4e0-7c3d-4f6a-9a51-3f2f9a7e6d10'], []],
  ])('calls %j lists the calls that match', async (args, expected) => {
    expect(await found(...args)).toEqual(expected);
  });

  it('calls goes on after empty pages with a cursor', async () => {
    const pages: Readonly<Record<string, object>> = {
      '': { data: [], next_cursor: 'gen-2' },
      'gen-2': { data: [], next_cursor: 'gen-1' },
      'gen-1': { data: [{ id: 'rare' }], next_cursor: 'gen-0' },
    };
    const stub = await startStubServer((request, response) => {
      const cursor = new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor') ?? '';
      response.setHeader('content-type', 'application/json').end(JSON.stringify(pages[cursor]));
    });
    const environment = { PRESETD_URL: stub.url, PRESETD_API_KEY: 'k' };
    const { stdout } = await runCommand(['calls', '--session', 's', '--json'], directory.path, environment);
    await stub.stop();
    expect(JSON.parse(stdout)).toEqual(pages['gen-1']);
  });

  it('a call is shown by its own id and by that of its response', async () => {
    for (const id of [third, 'chatcmpl-33']) expect(await output('calls', 'show', id)).toMatch(`${third}\n`);
    expect(JSON.parse(await output('calls', 'show', first, '--json')).data.id).toBe(first);
    expect((await presetd('calls', 'show', 'gen-none')).code).toBe(4);
  });

  it.each([
    [['--status', 'bad'], 'Must be a status such as 429, "error" or "success".'],
    [['--version', '0'], 'Must be the number of a version.'],
    [['--purpose', 'fun'], 'Allowed choices are call, workbench.'],
    [['--follow', '--since', '2026-01-01'], 'leave out --since, --until and --cursor'],
    [['gen-1'], 'too many arguments'],
  ])('calls rejects %j', async (args, message) => {
    const { code, stderr } = await presetd('calls', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('calls --follow', () => {
  const follow = (url: string, ...args: string[]) =>
    startCommand(['calls', '--follow', ...args], directory.path, {
      PRESETD_URL: url,
      PRESETD_API_KEY: apiKey,
    });
  const until = (condition: () => boolean) => expect.poll(condition).toBe(true);

  it('new calls are printed as they end, and Ctrl+C ends with 0', async () => {
    await record({ group: { model: 'before' } });
    const { process, output: printed, finished } = follow(server.url, '--limit', '1');
    await until(() => printed.stdout.includes('before'));
    await record({ group: { model: 'after' } });
    await until(() => printed.stdout.includes('after'));
    process.kill('SIGINT');
    const { code, stdout } = await finished;
    expect([code, stdout.match(/^TIME/gm)?.length, stdout.trim().split('\n').length]).toEqual([0, 1, 3]);
  });

  it('with --json, each call is a line, and calls from an outage are printed after it', async () => {
    let isDown = false;
    const proxy = await startStubServer(async (request, response) => {
      if (isDown) return void request.socket.destroy();
      const { authorization = '' } = request.headers;
      const answer = await fetch(`${server.url}${request.url}`, { headers: { authorization } });
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    const { process, output: printed, finished } = follow(proxy.url, '--json', '--limit', '1');
    await until(() => printed.stdout !== '');
    isDown = true;
    await until(() => printed.stderr.includes('Retrying.'));
    await record({ group: { model: 'during' } });
    isDown = false;
    await until(() => printed.stdout.includes('during'));
    process.kill('SIGINT');
    const { code, stdout, stderr } = await finished;
    const lines = stdout.trim().split('\n');
    expect([code, lines.length, JSON.parse(lines[1] ?? '').model]).toEqual([0, 2, 'during']);
    expect(stderr).toMatch(/^Cannot reach the server at .* Retrying\.\nReconnected\.\n$/);
    await proxy.stop();
  });

  it('a server that is not there at the start, or rejects the key, is an error', async () => {
    const start = (url: string, key: string) =>
      runCommand(['calls', '--follow'], directory.path, { PRESETD_URL: url, PRESETD_API_KEY: key });
    expect((await start('http://127.0.0.1:1', apiKey)).code).toBe(6);
    expect((await start(server.url, 'wrong')).code).toBe(3);
  });
});

describe('usage reprice', () => {
  let priced: TestServer;
  let ledger: Storage;
  const march = ['--from', '2026-03-01', '--to', '2026-04-01'];
  const at = Date.parse('2026-03-02T10:00:00Z');
  beforeAll(async () => {
    const prices = { 'm*': { input_per_million: 2 } };
    priced = await startWithFile({
      upstreams: [{ name: 'main', kind: 'vllm', base_url: 'http://127.0.0.1:1', prices }],
    });
    ledger = await openStorage(storageOptions(priced.database));
    const [found] = await priced.database.sql('SELECT id, organization_id FROM workspaces');
    const address = { organizationId: String(found?.organization_id), workspaceId: String(found?.id) };
    const calls = [
      callRecord(address, { id: callIdAt(at) }),
      callRecord(address, { id: callIdAt(at + 1), cost: unknown }),
      callRecord(address, { id: callIdAt(at + 2), group: { model: 'm2' } }),
      callRecord(address, { id: callIdAt(at + 3), group: { model: 'other' } }),
      callRecord(address, { id: callIdAt(at + 4), group: { upstream: 'gone' } }),
    ];
    await ledger.ledger.write({ id: newId(), calls }, true);
    const uncounted = callRecord(address, { id: callIdAt(at) });
    await ledger.ledger.write({ id: newId(), calls: [uncounted] }, false);
  });
  afterAll(async () => {
    await ledger.close();
    await priced.stop();
  });

  const reprice = (...args: string[]) =>
    runCommand(['usage', 'reprice', ...march, ...args], directory.path, {
      PRESETD_URL: priced.url,
      PRESETD_MANAGEMENT_KEY: managementKey,
    });
  const table = `
MODEL  UPSTREAM  CALLS               OLD COST   NEW COST  DIFFERENCE
m      main          2  $0.00000300 + unknown  $0.000400  +$0.000397
m2     main          1            $0.00000300  $0.000200  +$0.000197
Total                3  $0.00000600 + unknown  $0.000600  +$0.000594
3 calls of 5 from 2026-03-01 00:00Z to 2026-04-01 00:00Z.
1 call in this period is not stored any more, so its cost stays.
`.trimStart();

  it('a dry run shows the difference by model, and how many calls are out of reach', async () => {
    expect(await reprice('--dry-run')).toEqual({ code: 0, stdout: table, stderr: '' });
    const { stdout } = await reprice('--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ type: 'end', dry_run: true, changed_calls: 3 });
  });

  it('without a terminal, costs change only with --yes, and repeating it changes nothing', async () => {
    const refused = await reprice();
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toContain('Nothing was changed. To go ahead, add --yes.');
    expect(await reprice('--yes')).toEqual({
      code: 0,
      stdout: 'Changed the cost of 3 calls.\n',
      stderr: table,
    });
    const again = await reprice('--yes');
    expect(again.stdout).toMatch(/^No cost changes among 5 calls from .* stay as they are\.\n1 call /);
    const environment = { PRESETD_URL: priced.url, PRESETD_MANAGEMENT_KEY: managementKey };
    const audit = await runCommand(['audit', '--kind', 'usage'], directory.path, environment);
    expect(audit.stdout).toMatch(/usage\.repriced .* calls 3, cost 0\.000006 → 0\.0006\n$/);
  });

  it('a response that ends early, or is no JSON, is an error', async () => {
    for (const [lines, message] of [
      ['{"type":"progress","examined_calls":1,"expected_calls":2}\n', 'The response ended early.'],
      ['<html>\n', 'The server sent a line that is not JSON.'],
    ] as const) {
      const stub = await startStubServer((_, response) =>
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(lines),
      );
      const environment = { PRESETD_URL: stub.url, PRESETD_MANAGEMENT_KEY: 'k' };
      const { code, stderr } = await runCommand(['usage', 'reprice', ...march], directory.path, environment);
      expect(code).toBeGreaterThan(0);
      expect(stderr).toContain(message);
      await stub.stop();
    }
  });

  it.each([
    [apiKey, 3],
    [managementKey, 1],
  ])('only a management key, and a period that ends after it starts, are accepted', async (key, expected) => {
    const environment = { PRESETD_URL: priced.url, PRESETD_MANAGEMENT_KEY: key };
    const args = ['usage', 'reprice', '--from', '2026-03-02', '--to', '2026-03-01'];
    expect((await runCommand(args, directory.path, environment)).code).toBe(expected);
  });
});
