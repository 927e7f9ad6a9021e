import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { newId } from '../../src/core/identifiers.ts';
import { bootstrap } from '../../src/core/organization/bootstrap.ts';
import type { Storage } from '../../src/core/storage.ts';
import { migrateStorage, openStorage } from '../../src/storage/open.ts';
import { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { removeMemberFrom } from '../support/members.ts';
import { storageOptions } from '../support/storage-options.ts';

describe.runIf(engines.includes('postgres'))('lost and busy PostgreSQL connections', () => {
  let database: TestDatabase;
  let storage: Storage;
  let administrator: pg.Client;
  const terminateAll = () =>
    administrator.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'presetd'`,
    );

  /** How many sessions of this database wait for a lock. */
  const waitingCount = async () => {
    // Inside a transaction, activity statistics are cached after their first use.
    await administrator.query('SELECT pg_stat_clear_snapshot()');
    const { rowCount } = await administrator.query(
      `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`,
    );
    return rowCount;
  };

  beforeAll(async () => {
    database = await createDatabase('postgres');
    await migrateStorage(storageOptions(database));
    storage = await openStorage(storageOptions(database));
    const owner = { email: 'owner@example.com', firstName: '', lastName: '' };
    await bootstrap(storage, systemClock, {
      owner,
      apiKey: undefined,
      managementKey: undefined,
    });
    administrator = new pg.Client({ connectionString: database.url });
    await administrator.connect();
  });
  afterAll(async () => {
    await administrator.end();
    await storage.close();
    await database.drop();
  });

  it('a connection lost in the middle of a transaction fails only that change', async () => {
    const first = await storage.organizations.first();
    const organizationId = first?.organization.id ?? '';
    await administrator.query('BEGIN');
    await administrator.query('SELECT 1 FROM organizations FOR UPDATE');
    const removal = removeMemberFrom(storage, organizationId, 'owner@example.com');
    const outcome = expect(removal).rejects.toMatchObject({ kind: 'unavailable' });
    await expect.poll(waitingCount).toBe(1);
    await terminateAll();
    await outcome;
    await administrator.query('ROLLBACK');
    // The pool may not have noticed yet that an idle connection was terminated.
    const find = () => storage.members.find(organizationId, 'owner@example.com');
    await expect.poll(find).toMatchObject({ role: 'org:admin' });
  });

  it('changes of an organization that wait for each other leave connections for presets', async () => {
    const first = await storage.organizations.first();
    const organizationId = first?.organization.id ?? '';
    await administrator.query('BEGIN');
    await administrator.query('SELECT 1 FROM organizations FOR UPDATE');
    const waiting = Array.from({ length: 20 }, () => removeMemberFrom(storage, organizationId, 'nobody'));
    const outcome = Promise.all(waiting);
    await expect.poll(waitingCount).toBe(1);
    const address = {
      organizationId,
      workspaceId: first?.organization.defaultWorkspaceId ?? '',
      slug: 'none',
    };
    const author = { userId: first?.admin.id ?? '', keyLabel: null };
    expect(await storage.presets.change(address, author, () => undefined)).toBeUndefined();
    await administrator.query('ROLLBACK');
    expect(await outcome).toEqual(waiting.map(() => undefined));
  });

  it('attempts to sign in that wait for each other leave connections, and blocked ones do not wait', async () => {
    const limits = { windowMs: 60_000, accountMax: 1, networkMax: 1_000 };
    const begin = (emailKey: string) =>
      storage.accounts.beginAttempt({ emailKey, network: newId(), at: systemClock() }, limits);
    await begin('blocked@example.com');
    await administrator.query('BEGIN');
    await administrator.query(`SELECT pg_advisory_xact_lock(hashtext('presetd sign-in attempts'))`);
    const waiting = Array.from({ length: 20 }, () => begin(`${newId()}@example.com`));
    await expect.poll(waitingCount).toBe(1);
    const first = await storage.organizations.first();
    const organizationId = first?.organization.id ?? '';
    expect(await removeMemberFrom(storage, organizationId, 'nobody')).toBeUndefined();
    expect((await begin('blocked@example.com')).blockedUntil).toBeDefined();
    await administrator.query('ROLLBACK');
    for (const { blockedUntil } of await Promise.all(waiting)) expect(blockedUntil).toBeUndefined();
  });

  it('terminating connections while changes acquire and release them never crashes the process', async () => {
    const first = await storage.organizations.first();
    const address = {
      organizationId: first?.organization.id ?? '',
      workspaceId: first?.organization.defaultWorkspaceId ?? '',
      slug: 'restless',
    };
    const author = { userId: first?.admin.id ?? '', keyLabel: 'sk-…' };
    let isStormy = true;
    const changers = Array.from({ length: 48 }, async () => {
      while (isStormy) {
        await storage.presets
          .change(address, author, () => undefined)
          .catch((error: unknown) => expect(error).toMatchObject({ kind: 'unavailable' }));
      }
    });
    // Without a pause, so that some are terminated just as they are established.
    for (let round = 0; round < 100; round += 1) await terminateAll();
    isStormy = false;
    await Promise.all(changers);
  });

  it('transactions that wait for a row leave connections for reads', async () => {
    const first = await storage.organizations.first();
    const organizationId = first?.organization.id ?? '';
    const workspaceId = first?.organization.defaultWorkspaceId ?? '';
    const author = { userId: first?.admin.id ?? '', keyLabel: 'sk-…' };
    const address = { organizationId, workspaceId, slug: 'locked' };
    await storage.presets.createVersion({
      ...address,
      presetId: newId(),
      versionId: newId(),
      author,
      dialect: 'responses',
      configJson: '{}',
      extensionJson: null,
      systemPrompt: null,
      createdAt: systemClock(),
    });
    await administrator.query('BEGIN');
    await administrator.query(`SELECT 1 FROM presets WHERE slug = 'locked' FOR UPDATE`);
    const waiting = Array.from({ length: 30 }, () =>
      storage.presets.change(address, author, () => undefined),
    );
    expect((await storage.presets.find(address))?.slug).toBe('locked');
    await administrator.query('ROLLBACK');
    expect(await Promise.all(waiting)).toHaveLength(30);
  });

  it('terminated connections lose no acknowledged version and leave no gap in the numbers', async () => {
    const first = await storage.organizations.first();
    const create = () =>
      storage.presets.createVersion({
        organizationId: first?.organization.id ?? '',
        workspaceId: first?.organization.defaultWorkspaceId ?? '',
        slug: 'stormy',
        presetId: newId(),
        versionId: newId(),
        author: { userId: first?.admin.id ?? '', keyLabel: 'sk-…' },
        dialect: 'responses',
        configJson: '{}',
        extensionJson: null,
        systemPrompt: null,
        createdAt: systemClock(),
      });
    const acknowledged: string[] = [];
    let failures = 0;
    let isStormy = true;
    const writers = Array.from({ length: 20 }, async () => {
      while (isStormy) {
        try {
          acknowledged.push((await create()).designatedVersion.id);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'unavailable' });
          failures += 1;
        }
      }
    });
    for (let round = 0; round < 15; round += 1) {
      // From too short for any create to long enough for one on a busy machine.
      await new Promise((resolve) => setTimeout(resolve, 10 * 2 ** (round % 6)));
      await terminateAll();
    }
    isStormy = false;
    await Promise.all(writers);
    const rows = await database.sql(
      `SELECT v.id, v.version FROM preset_versions v JOIN presets p ON p.id = v.preset_id WHERE p.slug = 'stormy' ORDER BY 2`,
    );
    const stored = new Set(rows.map((row) => row.id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(rows.map((row) => row.version)).toEqual(rows.map((_, index) => index + 1));
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(failures).toBeGreaterThan(0);
  });
});

describe.runIf(engines.includes('postgres'))('a PostgreSQL connection', () => {
  it('a connection applies options of its URL, except for settings that presetd relies on', async () => {
    const database = await createDatabase('postgres');
    const url = new URL(database.url);
    url.searchParams.set('options', '-c work_mem=5MB -c synchronous_commit=off');
    url.searchParams.set('application_name', 'mine');
    const connection = new PostgresDatabase({ ...storageOptions(database), url: url.href });
    const text = ['work_mem', 'application_name', 'synchronous_commit', 'enable_seqscan']
      .map((name) => `current_setting('${name}') AS ${name}`)
      .join(', ');
    const { rows } = await connection.session((client) => client.query(`SELECT ${text}`));
    expect(rows).toEqual([
      { work_mem: '5MB', application_name: 'mine', synchronous_commit: 'on', enable_seqscan: 'off' },
    ]);
    await connection.close();
    await database.drop();
  });
});

describe.runIf(engines.includes('postgres'))('a read-only PostgreSQL database', () => {
  it('a read-only PostgreSQL database fails the ping but serves reads', async () => {
    const database = await createDatabase('postgres');
    await migrateStorage(storageOptions(database));
    // From now on every transaction is read-only, as on a standby.
    await database.sql(
      `DO $$ BEGIN
         EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
       END $$`,
    );
    const storage = await openStorage(storageOptions(database));
    try {
      expect(await storage.organizations.first()).toBeUndefined();
      await expect(storage.ping()).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      await storage.close();
      await database.drop();
    }
  });
});
