import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage } from '../../src/storage/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { storageOptions } from '../support/storage-options.ts';

const lockEvents = 'LOCK TABLE audit_events IN ROW EXCLUSIVE MODE';

describe.runIf(engines.includes('postgres'))('migrations and locks on PostgreSQL', () => {
  let database: TestDatabase;
  let [holder, passerBy]: (pg.Client | undefined)[] = [];

  beforeEach(async () => {
    database = await createDatabase('postgres');
    await migrateStorage(storageOptions(database));
    // Undo the last migration that locks a table in use.
    const audit = readMigrations('postgres').find(({ name }) => name === '0004-audit');
    await database.sql('DROP INDEX audit_events_by_actor, audit_events_by_kind');
    await database.sql(`DELETE FROM schema_migrations WHERE number = ${audit?.number}`);
    [holder, passerBy] = [connect(), connect()];
    await Promise.all([holder.connect(), passerBy.connect()]);
  });
  afterEach(async () => {
    await Promise.all([holder?.end(), passerBy?.end()]);
    await database.drop();
  });
  const connect = () => new pg.Client({ connectionString: database.url });

  it('a migration that waits for a lock lets other transactions pass and completes in the end', async () => {
    await holder?.query('BEGIN');
    await holder?.query(lockEvents);
    const migrating = migrateStorage(storageOptions(database));
    const isWaiting = async () =>
      (await database.sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'audit_events'::regclass`))
        .length;
    await expect.poll(isWaiting).toBe(1);
    await passerBy?.query('BEGIN');
    await passerBy?.query(lockEvents);
    await passerBy?.query('ROLLBACK');
    await holder?.query('ROLLBACK');
    expect((await migrating).map(({ name }) => name)).toEqual(['0004-audit']);
  });

  it('several migrations that wait for the same lock apply once', async () => {
    await holder?.query('BEGIN');
    await holder?.query(lockEvents);
    const waiting = async (what: string) =>
      (
        await database.sql(`SELECT l.pid FROM pg_locks l JOIN pg_stat_activity a USING (pid)
        WHERE NOT l.granted AND a.datname = current_database() AND ${what}`)
      ).map(({ pid }) => pid);
    const forTable = `l.relation = 'audit_events'::regclass`;
    const soon = { interval: 10 };
    const first = migrateStorage(storageOptions(database));
    await expect.poll(() => waiting(forTable), soon).toHaveLength(1);
    const [gaveWay] = await waiting(forTable);
    // Its second attempt, on another connection.
    await expect
      .poll(async () => (await waiting(forTable)).filter((pid) => pid !== gaveWay), soon)
      .toHaveLength(1);
    const others = [1, 2, 3].map(() => migrateStorage(storageOptions(database)));
    await expect.poll(async () => (await waiting('true')).length, soon).toBeGreaterThan(2);
    expect((await waiting(forTable)).length).toBeLessThan(2);
    await holder?.query('ROLLBACK');
    const applied = (await Promise.all([first, ...others])).flat().map(({ name }) => name);
    expect(applied).toEqual(['0004-audit']);
  });

  it('a migration waits for the session lock of an older version beyond the statement timeout', async () => {
    await database.sql(`DO $$ BEGIN
      EXECUTE format('ALTER DATABASE %I SET statement_timeout = 300', current_database()); END $$`);
    await passerBy?.query(`SELECT pg_advisory_lock(hashtext('presetd migrations'))`);
    const migrating = migrateStorage(storageOptions(database));
    const isWaiting = async () =>
      (
        await database.sql(`SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'advisory'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`)
      ).length;
    await expect.poll(isWaiting).toBe(1);
    await delay(600);
    await passerBy?.query(`SELECT pg_advisory_unlock_all()`);
    expect((await migrating).map(({ name }) => name)).toEqual(['0004-audit']);
  });
});
