import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import type { Storage } from '../../src/core/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { callIdAt, callRecord } from '../support/call-records.ts';
import { createWorkingDirectory } from '../support/command.ts';
import { anyEngine } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { storageOptions } from '../support/storage-options.ts';

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
    [['--by', 'version,key,person'], 'Name at most three. A version counts as two.'],
    [['--metric', 'beauty'], 'Must be among calls, cost, tokens'],
    [['--days', '0'], 'Must be from 1 to 3660.'],
  ])('usage rejects %j', async (args, message) => {
    const { code, stderr } = await presetd('usage', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});
