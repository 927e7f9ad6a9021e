import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  createWorkingDirectory,
  type ServerProcess,
  spawnCommand,
  startServerProcess,
} from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Engine, engines } from '../support/engines.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerOn } from '../support/server.ts';
import { isLong, logProgress, scale } from './scale.ts';

const apiKey = 'backup-api-key-0123456789';
const managementKey = 'backup-management-key-0123456789';
const keys = { PRESETD_BOOTSTRAP_API_KEY: apiKey, PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey };
const writers = 8;
const backups = scale(1, 12);
const timeout = scale(600_000, 3_600_000);

/** Acknowledged versions by their path. */
type Acknowledged = Map<string, unknown>;

const directory = createWorkingDirectory();
afterAll(() => directory.remove());

const presetd = (database: TestDatabase, ...args: string[]) =>
  spawnCommand(args, directory.path, { DATABASE_URL: database.url });

async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  key = apiKey,
  idempotencyKey?: string,
) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

describe.each(engines)('a backup taken on %s while eight clients write', { timeout }, (engine) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let writing: Promise<void>;
  let isStopping = false;
  const acknowledged: Acknowledged = new Map();

  beforeAll(async () => {
    database = await createDatabase(engine);
    server = await startServerProcess(directory.path, { DATABASE_URL: database.url, ...keys });
    await fillOrganization(server.url);
    // A real call would need an upstream.
    await database.transaction('INSERT INTO preset_calls SELECT id, created_at FROM presets');
    writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer))).then(() => {});
  });
  afterAll(async () => {
    isStopping = true;
    await writing;
    await server.stop();
    await database.drop();
  });

  /**
   * Creates versions, rolls back, moves labels, adds aliases and tags, saves cases and a
   * draft, and disables presets until the test stops it.
   */
  async function write(writer: number): Promise<void> {
    for (let round = 0; !isStopping; round += 1) {
      const path = `/presets/writer-${writer}-${round % 20}`;
      const { data } = await send(server.url, 'POST', `${path}/chat/completions`, {
        model: `model-${round}`,
        seed: round,
        messages: [{ role: 'system', content: `Zeile 1\r\n"${'🙂'.repeat(round % 300)}" \u2028 ${round}` }],
      });
      const { version } = data.designated_version;
      acknowledged.set(`${path}/versions/${version}`, data.designated_version);
      if (round % 3 === 0) await send(server.url, 'PATCH', path, { designated_version: 1 });
      if (round % 4 === 0) await send(server.url, 'PUT', `${path}/labels/production`, { version });
      if (round % 7 === 0) await send(server.url, 'PATCH', path, { status: 'disabled' });
      if (round % 6 === 0) await send(server.url, 'PATCH', path, { tags: [`round-${round % 10}`, 'all'] });
      if (round % 5 === 1) {
        const casePath = `${path}/cases/${encodeURIComponent(`case ${round % 3} 🙂`)}`;
        await send(server.url, 'PUT', casePath, {
          variables: { round, text: `"${round}" \u2028` },
          messages: [{ role: 'user', content: '🙂'.repeat(round % 300) }],
        });
        if (round % 10 === 1) await send(server.url, 'DELETE', casePath);
      }
      if (round % 5 === 2)
        await send(server.url, 'PUT', `${path}/draft`, {
          text: `{"round": ${round}, \r\n🙂`,
          dialect: null,
          base_version: version,
        });
      if (round % 5 === 0)
        await send(server.url, 'PUT', `${path}/aliases/writer-${writer}-alias-${round % 20}`);
    }
  }

  it('contains everything acknowledged before it began, and no partial change', async () => {
    // Presets are indexed in the background; the backup must not be too early for that.
    await expect.poll(() => database.sql('SELECT 1 FROM content_words LIMIT 1')).toHaveLength(1);
    for (let round = 1; round <= backups; round += 1) {
      const goal = acknowledged.size + scale(25, 1_500);
      await expect.poll(() => acknowledged.size).toBeGreaterThan(goal);
      const before = new Map(acknowledged);
      const file = join(directory.path, `${engine}-${round}.db`);
      const made = await presetd(database, 'backup', file);
      expect(made).toEqual({
        code: 0,
        stdout: expect.stringMatching(/^Backed up \d+ presets with/),
        stderr: '',
      });
      const meanwhile = acknowledged.size - before.size;
      expect(meanwhile).toBeGreaterThan(0);
      assertConsistent(file);
      assertContains(file, before);
      logProgress(
        `${engine}, round ${round}: ${before.size} acknowledged before, ${meanwhile} meanwhile; ${made.stdout.trim()}`,
      );
    }
    isStopping = true;
    await writing;
    expect(readdirSync(directory.path).filter((name) => /partial|journal|wal|shm/.test(name))).toEqual([]);
  });

  it.each(targetsOf(engine))('is restored on %s with identical rows and responses', async (target) => {
    const file = join(directory.path, `${engine}-${backups}.db`);
    const restored = await createDatabase(target);
    const inThisProcess = (...args: string[]) =>
      runCommand(args, directory.path, { DATABASE_URL: restored.url });
    const { code, stdout, stderr } = await inThisProcess('restore', file);
    expect([code, stderr]).toEqual([0, '']);
    const again = join(directory.path, `${engine}-on-${target}.db`);
    expect(await inThisProcess('backup', again)).toMatchObject({ code: 0, stderr: '' });
    expect(rowsOf(again)).toEqual(rowsOf(file));

    const second = await startServerOn(restored, keys);
    onTestFinished(async () => {
      await second.stop();
      await restored.drop();
    });
    expect(second.firstKeys).toBeUndefined();
    const paths = versionsIn(file);
    expect(stdout).toContain(` with ${paths.length} versions `);
    await concurrently(paths, async (path) => {
      const [here, there] = await Promise.all([read(server.url, path), read(second.url, path)]);
      expect([path, there]).toEqual([path, here]);
    });
    await assertWritable(second.url, restored);
  });
});

/** The short run restores only on the other engine, which takes the longer code path. */
function targetsOf(engine: Engine): readonly Engine[] {
  const others = engines.filter((other) => other !== engine);
  return isLong || others.length === 0 ? engines : others;
}

/** Adds rows to every table, such as members, a workspace, a rotated key and an idempotency key. */
async function fillOrganization(url: string): Promise<void> {
  const manage = (method: string, path: string, body?: unknown) =>
    send(url, method, path, body, managementKey);
  const { data: member } = await manage('POST', '/organization/members', { email: 'ada@example.com' });
  const { data: workspace } = await manage('POST', '/workspaces', { name: 'Search', slug: 'search' });
  await manage('POST', `/workspaces/${workspace.slug}/members/add`, { user_ids: [member.id] });
  const { data: key } = await manage('POST', '/keys', { name: 'CI' });
  await manage('POST', `/keys/${key.hash}/rotate`, { grace_period_seconds: 3_600 });
  await send(
    url,
    'POST',
    '/presets/once/responses',
    { model: 'm', instructions: 'Be brief.' },
    apiKey,
    'once',
  );
}

function withFile<T>(file: string, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** Checks that versions and events are numbered without gaps and that stored counts are right. */
function assertConsistent(file: string): void {
  withFile(file, (database) => {
    const wrong = database.prepare(
      `SELECT p.slug FROM presets p WHERE
         (SELECT count(*) || ' ' || min(version) || ' ' || max(version) FROM preset_versions WHERE preset_id = p.id)
           <> p.latest_version || ' 1 ' || p.latest_version
         OR (SELECT count(*) || ' ' || min(number) || ' ' || max(number) FROM audit_events WHERE preset_id = p.id)
           <> p.revision || ' 1 ' || p.revision
         OR (SELECT count(*) FROM audit_events WHERE preset_id = p.id
             AND kind IN ('preset.created', 'preset.version_added')) <> p.latest_version`,
    );
    expect(wrong.all()).toEqual([]);
    const counts = (sql: string) => database.prepare(sql).all();
    expect(counts('SELECT status, presets FROM preset_counts WHERE presets > 0 ORDER BY status')).toEqual(
      counts('SELECT status, count(*) AS presets FROM presets GROUP BY status ORDER BY status'),
    );
    expect(counts('SELECT member_count AS n FROM organizations')).toEqual(
      counts('SELECT count(*) AS n FROM memberships'),
    );
  });
}

function assertContains(file: string, acknowledged: Acknowledged): void {
  withFile(file, (database) => {
    const find = database.prepare('SELECT config, system_prompt FROM preset_versions WHERE id = ?');
    for (const [path, acknowledgedVersion] of acknowledged) {
      const { id, config, system_prompt } = acknowledgedVersion as Record<string, string>;
      const found = find.get(id ?? '');
      expect([path, JSON.parse(String(found?.config)), found?.system_prompt]).toEqual([
        path,
        config,
        system_prompt,
      ]);
    }
  });
}

/** What these requests do not fill: `test/process/backup.test.ts` restores calls. */
const mayBeEmpty: ReadonlySet<string> = new Set([
  'spending',
  'spending_leases',
  'call_groups',
  'call_prices',
  'call_totals',
  'common_words',
  'failed_sign_ins',
  'identities',
  'passwords',
  'preset_backfill',
  'scim_emails',
  'scim_group_members',
  'scim_groups',
  'scim_users',
  'unindexed_members',
  'unindexed_organizations',
  'unindexed_presets',
]);

/** Nobody is signed in by a restore, and single calls are left out. */
const notRestored: ReadonlySet<string> = new Set([
  'call_batches',
  'call_contents',
  'call_feedback',
  'calls',
  'device_requests',
  'sessions',
  'sign_in_links',
]);

/** Every row of every table, sorted. */
function rowsOf(file: string): Record<string, readonly string[]> {
  return withFile(file, (database) =>
    Object.fromEntries(
      database
        .prepare(
          `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'schema_migrations' ORDER BY name`,
        )
        .all()
        .map(({ name }) => {
          const rows = database.prepare(`SELECT * FROM ${name}`).all();
          if (notRestored.has(String(name))) return [String(name), []];
          if (!mayBeEmpty.has(String(name))) expect([name, rows.length]).not.toEqual([name, 0]);
          return [String(name), rows.map((row) => JSON.stringify(row)).sort()];
        }),
    ),
  );
}

function versionsIn(file: string): readonly string[] {
  return withFile(file, (database) =>
    database
      .prepare('SELECT slug, version FROM preset_versions v JOIN presets p ON p.id = v.preset_id')
      .all()
      .map(({ slug, version }) => `/presets/${slug}/versions/${version}`),
  );
}

async function read(url: string, path: string): Promise<string> {
  const response = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
  return `${response.status} ${await response.text()}`;
}

async function concurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

/** Version numbers and counts continue, and versions are still immutable. */
async function assertWritable(url: string, database: TestDatabase): Promise<void> {
  const before = await send(url, 'GET', '/presets/writer-0-0');
  const versions = await send(url, 'GET', '/presets/writer-0-0/versions');
  const body = { model: 'm', messages: [{ role: 'system', content: 'after' }] };
  const { data } = await send(url, 'POST', '/presets/writer-0-0/chat/completions', body);
  expect(data.id).toBe(before.data.id);
  expect(data.designated_version.version).toBe(versions.total_count + 1);
  const { total_count: presets } = await send(url, 'GET', '/presets?limit=1');
  await send(url, 'POST', '/presets/new-after/chat/completions', body);
  expect((await send(url, 'GET', '/presets?limit=1')).total_count).toBe(presets + 1);
  await expect(database.sql(`UPDATE preset_versions SET config = '{}'`)).rejects.toThrow(/never changed/);
  expect((await send(url, 'GET', '/organization/members', undefined, managementKey)).total_count).toBe(2);
}
