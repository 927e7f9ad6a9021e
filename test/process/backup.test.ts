import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { type Migration, readMigrations } from '../../src/storage/migrate.ts';
import { openStorage } from '../../src/storage/open.ts';
import { callRecord } from '../support/call-records.ts';
import { checkout, createWorkingDirectory, spawnCommand, startCommand } from '../support/command.ts';
import { createDatabase, describeTestDatabase, sqliteAt, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { createPresetStorage, type PresetStorage, time } from '../support/preset-storage.ts';
import { runCommand } from '../support/run-command.ts';
import { apiKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { createLinkToken, signInAs } from '../support/sign-in.ts';
import { storageOptions } from '../support/storage-options.ts';
import { startStubServer } from '../support/stub-server.ts';
import { execFileInTest } from '../support/test-scope.ts';

const isRoot = process.getuid?.() === 0;
const directory = createWorkingDirectory();
const path = (name: string) => join(directory.path, name);
const presetd = (url: string, ...args: string[]) => runCommand(args, directory.path, { DATABASE_URL: url });
const failed = (stderr: string | RegExp, code = 1) => ({
  code,
  stdout: '',
  stderr: typeof stderr === 'string' ? stderr : expect.stringMatching(stderr),
});
const filesOf = (name: string) => readdirSync(directory.path).filter((file) => file.startsWith(name));
const body = { model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] };
afterAll(() => directory.remove());

describe.each(engines)('backup on %s', (engine) => {
  let server: TestServer;
  const file = `${engine}.db`;
  beforeAll(async () => {
    server = await startTestServer(engine);
    await server.post('/api/v1/presets/p/chat/completions', body);
    await server.post('/api/v1/presets/p/chat/completions', body);
  });
  afterAll(() => server.stop());

  it('backup creates a file that only its owner can read, and counts its contents', async () => {
    const { code, stdout, stderr } = await presetd(server.database.url, 'backup', file);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.replace(/0\.\d MiB/, 'size')).toBe(
      `Backed up 1 preset with 2 versions (${describeTestDatabase(server.database.url)}) to ${file} (size).\nRecords of single calls are left out; --calls includes them. Their sums are in the backup.\n`,
    );
    expect(statSync(path(file)).mode & 0o777).toBe(0o600);
    expect(filesOf(file)).toEqual([file]);
  });

  it('commands on a database close it, so that their process ends', async () => {
    const target = await createDatabase(engine);
    const inOwnProcess = async (url: string, ...args: string[]) =>
      (await spawnCommand(args, directory.path, { DATABASE_URL: url })).code;
    expect(await inOwnProcess(server.database.url, 'backup', `own-${file}`)).toBe(0);
    expect(await inOwnProcess(target.url, 'restore', `own-${file}`)).toBe(0);
    expect(await inOwnProcess(target.url, 'migrate')).toBe(0);
    expect(await inOwnProcess(target.url, 'recover')).toBe(0);
    expect(await inOwnProcess(target.url, 'restore', `own-${file}`)).toBe(1);
    await target.drop();
  });

  it('a restored server accepts the ids of responses that were signed before', async () => {
    const target = await createDatabase(engine);
    await presetd(server.database.url, 'backup', `signed-${file}`);
    await presetd(target.url, 'restore', `signed-${file}`);
    const secrets = 'SELECT name, secret FROM secrets';
    expect(await target.sql(secrets)).toEqual(await server.database.sql(secrets));
    expect(await target.sql(secrets)).toHaveLength(1);
    await target.drop();
  });

  it('restore does not bring back sessions, sign-in links and pending command-line sign-ins', async () => {
    const target = await createDatabase(engine);
    await signInAs(server, 'owner@localhost');
    await createLinkToken(server, 'owner@localhost');
    await server.post('/api/v1/sign-in/device', { client_name: 'laptop' }, { key: null });
    await presetd(server.database.url, 'backup', `signed-in-${file}`);
    expect((await presetd(target.url, 'restore', `signed-in-${file}`)).code).toBe(0);
    for (const table of ['sessions', 'sign_in_links', 'device_requests']) {
      expect(await server.database.sql(`SELECT * FROM ${table}`)).toHaveLength(1);
      expect(await target.sql(`SELECT * FROM ${table}`)).toEqual([]);
    }
    await target.drop();
  });

  it('backup does not overwrite an existing file', async () => {
    writeFileSync(path('taken.db'), 'something else');
    expect(await presetd(server.database.url, 'backup', 'taken.db')).toEqual(
      failed('taken.db already exists. Name another file, or move this one away.\n'),
    );
    expect(readFileSync(path('taken.db'), 'utf8')).toBe('something else');
  });

  it('backup leaves nothing behind if the file cannot grow', async () => {
    // 64 blocks of 512 bytes; the kernel rejects writes beyond them.
    const command = `ulimit -f 64; exec "${checkout.node}" "${checkout.script}" backup full.db`;
    const env = { PATH: process.env.PATH, DATABASE_URL: server.database.url };
    const running = execFileInTest('sh', ['-c', command], { cwd: directory.path, env });
    await expect(running).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot write full\.db: .*\n$/),
    });
    expect(filesOf('full.db')).toEqual([]);
  });

  it('backup reports that the database does not exist', async () => {
    const elsewhere = new URL(server.database.url);
    elsewhere.pathname += 'x';
    const { code, stdout, stderr } = await presetd(elsewhere.href, 'backup', 'none.db');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^presetd cannot use its database \(DATABASE_URL\): .*(no such file|does not exist)/,
    );
    expect(filesOf('none.db')).toEqual([]);
  });

  it('restore rejects a database that is in use', async () => {
    expect(await presetd(server.database.url, 'restore', file)).toEqual(
      failed(
        engine === 'sqlite'
          ? `${new URL(server.database.url).pathname} already exists. Set DATABASE_URL to a new file, or move this one away together with its -wal and -shm files.\n`
          : /already contains an organization/,
      ),
    );
    expect(
      (await server.get('/api/v1/presets/p', { key: apiKey })).body.data.designated_version.version,
    ).toBe(2);
  });

  it.runIf(engine === 'postgres')('an interrupted backup leaves nothing behind', async () => {
    const blocker = new pg.Client({ connectionString: server.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE preset_versions IN ACCESS EXCLUSIVE MODE');
    const environment = { DATABASE_URL: server.database.url };
    const { process: child, finished } = startCommand(['backup', 'blocked.db'], directory.path, environment);
    await expect.poll(() => filesOf('blocked.db')).not.toEqual([]);
    child.kill('SIGINT');
    expect(await finished).toEqual({ code: null, stdout: '', stderr: '' });
    expect(filesOf('blocked.db')).toEqual([]);
    await blocker.end();
  });

  it('a server can use a backup as its database', async () => {
    const copy = path(`served-${engine}.db`);
    writeFileSync(copy, readFileSync(path(file)));
    const other = await startServerOn(sqliteAt(copy));
    const headers = { authorization: `Bearer ${apiKey}` };
    const text = await (await fetch(`${other.url}/api/v1/presets/p`, { headers })).text();
    expect(text).toBe((await server.get('/api/v1/presets/p', { key: apiKey })).text);
    await other.stop();
  });
});

describe.each(engines)('the calls in a backup of %s', (engine) => {
  let source: PresetStorage;
  const sums = ['call_groups', 'call_totals', 'call_prices'];
  const rowsOf = async (database: TestDatabase, table: string) =>
    (await database.sql(`SELECT * FROM ${table}`))
      .map((row) => JSON.stringify(Object.values(row).map(String)))
      .toSorted();
  const sumsOf = (database: TestDatabase) => Promise.all(sums.map((table) => rowsOf(database, table)));
  const callsIn = async (database: TestDatabase, table = 'calls') => (await rowsOf(database, table)).length;

  beforeAll(async () => {
    source = await createPresetStorage(engine);
    const calls = ['a', 'b'].map((model) => callRecord(source.workspace, { group: { model } }));
    await source.storage.ledger.write({ id: newId(), calls }, true);
    const { workspaceId } = source.workspace;
    const createdAt = time(0);
    for (const { id: callId } of calls) {
      await source.storage.contents.write([{ workspaceId, callId, contentJson: '{"request":"ü \\u0000"}' }]);
      await source.storage.ledger.addFeedback({
        callId,
        authorId: 'k',
        category: 'other',
        comment: null,
        createdAt,
      });
    }
  });
  afterAll(() => source.close());

  it.each(engines.flatMap((target) => [[target, []] as const, [target, ['--calls']] as const]))(
    'on %s, restoring a backup with the options %j brings back all sums, and calls only if they are in it',
    async (targetEngine, options) => {
      const file = `calls-${engine}-${targetEngine}${options.length}.db`;
      const made = await presetd(source.database.url, 'backup', file, ...options);
      expect(made).toMatchObject({ code: 0, stderr: '' });
      expect(made.stdout.includes('Records of single calls are left out')).toBe(options.length === 0);
      expect(filesOf(file)).toEqual([file]);
      expect(statSync(path(file)).mode & 0o777).toBe(0o600);
      const target = await createDatabase(targetEngine);
      expect((await presetd(target.url, 'restore', file)).stderr).toBe('');
      expect(await sumsOf(target)).toEqual(await sumsOf(source.database));
      for (const table of ['calls', 'call_contents', 'call_feedback'])
        expect([table, await callsIn(target, table)]).toEqual([table, options.length === 0 ? 0 : 2]);
      expect(await callsIn(sqliteAt(path(file)), 'call_batches')).toBe(0);
      expect(await callsIn(source.database)).toBe(2);
      expect(await callsIn(source.database, 'call_batches')).toBe(1);
      await target.drop();
    },
  );

  it('a restored database counts calls of new groups beside those of the backup', async () => {
    const target = await createDatabase(engine);
    await presetd(source.database.url, 'backup', `more-${engine}.db`);
    await presetd(target.url, 'restore', `more-${engine}.db`);
    const storage = await openStorage(storageOptions(target));
    const price = { inputPerMillion: 7 };
    const calls = ['b', 'c'].map((model) =>
      callRecord(source.workspace, { group: { model }, cost: { nanos: 1, source: 'file', price } }),
    );
    await storage.ledger.write({ id: newId(), calls }, true);
    const totals = `SELECT g.model, sum(t.calls) AS calls FROM call_groups g
      JOIN call_totals t ON t.group_id = g.id AND t.resolution = 24 GROUP BY g.model ORDER BY g.model`;
    const counts = (await target.sql(totals)).map(({ model, calls: count }) => [model, Number(count)]);
    expect(counts).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 1],
    ]);
    await storage.close();
    await target.drop();
  });

  it.runIf(engine === 'sqlite')('leaving out calls makes the file smaller', async () => {
    const many = await createPresetStorage(engine);
    const calls = Array.from({ length: 2_000 }, () =>
      callRecord(many.workspace, { referer: 'r'.repeat(200) }),
    );
    await many.storage.ledger.write({ id: newId(), calls }, true);
    await presetd(many.database.url, 'backup', 'large.db', '--calls');
    await presetd(many.database.url, 'backup', 'small.db');
    expect(statSync(path('large.db')).size - statSync(path('small.db')).size).toBeGreaterThan(400_000);
    await many.close();
  });
});

describe('backup', () => {
  const url = `sqlite:${path('sqlite.db')}`;

  it.each([
    ['nowhere/backup.db', 'Cannot write nowhere/backup.db: the directory nowhere does not exist.\n'],
    ['a-file/backup.db', 'Cannot write a-file/backup.db: part of its path is not a directory.\n'],
  ])('backup reports why it cannot write %s', async (target, message) => {
    writeFileSync(path('a-file'), 'something else');
    expect(await presetd(url, 'backup', target)).toEqual(failed(message));
  });

  it('backup rejects standard output', async () => {
    expect(await presetd(url, 'backup', '-')).toEqual(
      failed('Cannot write a backup to standard output. Name a file.\n', 2),
    );
  });
});

describe.each(engines)('restore on %s', (engine) => {
  let target: TestDatabase;
  let good: string;
  const expectEmpty = async () =>
    engine === 'sqlite'
      ? expect(readdirSync(join(target.url.slice('sqlite:'.length), '..'))).toEqual([])
      : expect(await target.sql(`SELECT to_regclass('organizations') AS found`)).toEqual([{ found: null }]);
  const changed = (name: string, change: (database: DatabaseSync) => void) => {
    writeFileSync(path(name), readFileSync(good));
    const database = new DatabaseSync(path(name));
    change(database);
    database.close();
    return name;
  };

  beforeAll(async () => {
    target = await createDatabase(engine);
    const source = await startTestServer('sqlite');
    for (let index = 0; index < 50; index += 1)
      await source.post(`/api/v1/presets/p-${index}/chat/completions`, body);
    good = path(`good-for-${engine}.db`);
    await presetd(source.database.url, 'backup', good);
    await source.stop();
  });
  afterAll(() => target.drop());

  // The file is checked before the database is touched, so one engine is enough.
  it.skipIf(engine !== engines.at(-1)).each<[string, () => string, string | RegExp]>([
    ['does not exist', () => 'no.db', 'Cannot read no.db: no such file or directory.\n'],
    [
      'is a directory',
      () => {
        mkdirSync(path('folder.db'), { recursive: true });
        return 'folder.db';
      },
      'Cannot read folder.db: it is not a regular file.\n',
    ],
    [
      'is empty',
      () => {
        writeFileSync(path('empty.db'), '');
        return 'empty.db';
      },
      'empty.db is empty.\n',
    ],
    [
      'is not a database',
      () => {
        writeFileSync(path('text.db'), '{"type":"export","format":1}\n'.repeat(100));
        return 'text.db';
      },
      'text.db is not a SQLite database.\n',
    ],
    [
      'is a database of another program',
      () => {
        new DatabaseSync(path(`foreign-${engine}.db`)).exec('CREATE TABLE IF NOT EXISTS t (x)');
        return `foreign-${engine}.db`;
      },
      `foreign-${engine}.db is a SQLite database, but not a presetd database.\n`,
    ],
    [
      'is truncated',
      () => {
        writeFileSync(path('cut.db'), readFileSync(good).subarray(0, 100_000));
        return 'cut.db';
      },
      /^cut\.db is corrupt: part of it is missing or was modified \([^\n]+\)\.\n$/,
    ],
    [
      'is corrupt in the middle',
      () => {
        const bytes = readFileSync(good);
        bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 8_192);
        writeFileSync(path('rot.db'), bytes);
        return 'rot.db';
      },
      /^rot\.db is corrupt: part of it is missing or was modified \([^\n]+\)\.\n$/,
    ],
    [
      'violates a foreign key',
      () =>
        changed('orphans.db', (database) =>
          database.exec(
            'PRAGMA foreign_keys = OFF; DELETE FROM member_words; DELETE FROM memberships; DELETE FROM users',
          ),
        ),
      /^orphans\.db is corrupt: \w+ refers to missing rows in users\.\n$/,
    ],
    [
      'is from a newer version of presetd',
      () =>
        changed('newer.db', (database) =>
          database.exec(`INSERT INTO schema_migrations VALUES (9999, '9999-later', 1, 'now')`),
        ),
      'newer.db was created by a newer presetd (migration 9999-later). Restore it with that version.\n',
    ],
  ])('restore reports a file that %s, and creates nothing', async (_title, make, message) => {
    expect(await presetd(target.url, 'restore', make())).toEqual(failed(message));
    await expectEmpty();
  });

  it.skipIf(engine !== engines.at(-1))('restore reports a file without read permission', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'presetd-others-'));
    chmodSync(folder, 0o755);
    const file = join(folder, 'closed.db');
    writeFileSync(file, readFileSync(good), { mode: 0o600 });
    const unprivileged = isRoot ? { uid: 65_534, gid: 65_534 } : {};
    if (!isRoot) chmodSync(file, 0o000);
    const script = join(import.meta.dirname, '../../bin/presetd.js');
    const running = execFileInTest(process.execPath, [script, 'restore', file], {
      cwd: folder,
      env: { PATH: process.env.PATH, DATABASE_URL: target.url },
      ...unprivileged,
    });
    await expect(running).rejects.toMatchObject({
      code: 1,
      stderr: `Cannot read ${file}: permission denied.\n`,
    });
    rmSync(folder, { recursive: true });
  });

  it.runIf(isRoot && engine === 'sqlite').each(['restore', 'migrate'])(
    '%s by root creates files that the owner of the directory can write',
    async (command) => {
      const folder = mkdtempSync(join(tmpdir(), 'presetd-service-'));
      chownSync(folder, 65_534, 65_534);
      const file = join(folder, 'data', 'presetd.db');
      const args = command === 'restore' ? [command, good] : [command];
      expect(await presetd(`sqlite:${file}`, ...args)).toMatchObject({ code: 0, stderr: '' });
      for (const created of [dirname(file), file])
        expect(statSync(created)).toMatchObject({ uid: 65_534, gid: 65_534 });
      expect(statSync(file).mode & 0o777).toBe(0o600);
      rmSync(folder, { recursive: true });
    },
  );

  it('restore upgrades a backup from an older version', async () => {
    const older = changed(`older-${engine}.db`, (database) =>
      database.exec(`${dropsOf(readMigrations('sqlite').slice(3)).join(';')};
        DELETE FROM schema_migrations WHERE name >= '0004'`),
    );
    const bytes = readFileSync(path(older));
    // An interrupted restore leaves empty tables; a second one must cope with them.
    if (engine === 'postgres') await presetd(target.url, 'migrate');
    expect(await presetd(target.url, 'restore', older)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Restored 50 presets with 50 versions /),
      stderr: '',
    });
    expect(await target.sql(`SELECT name FROM schema_migrations WHERE name >= '0004' ORDER BY name`)).toEqual(
      readMigrations(engine)
        .slice(3)
        .map(({ name }) => ({ name })),
    );
    expect(await target.sql('SELECT count(*) AS presets FROM presets')).toEqual([
      { presets: engine === 'sqlite' ? 50 : '50' },
    ]);
    // The next server to start indexes its members and presets.
    expect(await target.sql('SELECT count(*) AS n FROM preset_backfill')).toEqual([
      { n: engine === 'sqlite' ? 1 : '1' },
    ]);
    const organizations = await target.sql('SELECT id AS organization_id FROM organizations');
    expect(organizations).toHaveLength(1);
    expect(await target.sql('SELECT organization_id FROM unindexed_organizations')).toEqual(organizations);
    expect(readFileSync(path(older)).equals(bytes)).toBe(true);
    expect(filesOf(older)).toEqual([older]);
  });
});

/** Statements that undo these migrations, the last one first. */
function dropsOf(migrations: readonly Migration[]): readonly string[] {
  const additions =
    /^(?:CREATE (?:UNIQUE )?(?<kind>TABLE|INDEX|TRIGGER)|ALTER TABLE (?<table>\w+) ADD COLUMN) (?<name>\w+)/gm;
  const drops = migrations.flatMap(({ sql }) =>
    Array.from(sql.matchAll(additions), ({ groups: { kind, table, name } = {} }) =>
      kind === undefined ? `ALTER TABLE ${table} DROP COLUMN ${name}` : `DROP ${kind} ${name}`,
    ),
  );
  return drops.toReversed();
}

it.runIf(engines.length === 2)('both engines have the same tables and columns', async () => {
  const [sqlite, postgres] = await Promise.all([createDatabase('sqlite'), createDatabase('postgres')]);
  await Promise.all([presetd(sqlite.url, 'migrate'), presetd(postgres.url, 'migrate')]);
  const columns = async (database: TestDatabase, sql: string) =>
    (await database.sql(sql)).map(({ name }) => String(name)).sort();
  const inSqlite = await columns(
    sqlite,
    `SELECT t.name || '.' || c.name AS name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
  );
  const inPostgres = await columns(
    postgres,
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'`,
  );
  // Carries a value from one statement to the next within a transaction.
  expect(inPostgres.filter((name) => !inSqlite.includes(name))).toEqual(['presets.designated_before']);
  expect(inSqlite.filter((name) => !inPostgres.includes(name))).toEqual([]);
  await Promise.all([sqlite.drop(), postgres.drop()]);
});

describe('health', () => {
  it('health distinguishes a ready server from one that does not run', async () => {
    const server = await startTestServer('sqlite');
    const health = (url: string, ...args: string[]) =>
      runCommand(['health', ...args], directory.path, { PRESETD_URL: url });
    expect(await health(server.url)).toEqual({ code: 0, stdout: 'ready\n', stderr: '' });
    expect(await health(server.url, '--live')).toEqual({ code: 0, stdout: 'alive\n', stderr: '' });
    await server.stop();
    expect(await health(server.url)).toMatchObject(failed(/^Cannot reach the server at \S+: /, 6));
  });

  it('health finds the server by HOST and PORT, and prints its error', async () => {
    const server = await startStubServer((request, response) =>
      response
        .writeHead(503, { 'content-type': 'application/json' })
        .end(JSON.stringify({ error: { code: 503, message: `The disk is full at ${request.url}.` } })),
    );
    writeFileSync(path('.env'), `HOST=0.0.0.0\nPORT=${new URL(server.url).port}\n`);
    const health = (...args: string[]) => runCommand(['health', ...args], directory.path);
    expect(await health()).toEqual(
      failed(`The server at ${server.url} is not ready (503): The disk is full at /readyz.\n`, 6),
    );
    expect(await health('--live')).toEqual(
      failed(`The server at ${server.url} is not alive (503): The disk is full at /healthz.\n`, 6),
    );
    rmSync(path('.env'));
    await server.stop();
  });
});
