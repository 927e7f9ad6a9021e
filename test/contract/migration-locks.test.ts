import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readMigrations } from '../../src/storage/migrate.ts';
import { migrateStorage } from '../../src/storage/open.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { engines } from '../support/engines.ts';
import { storageOptions } from '../support/storage-options.ts';

const lockEvents = 'LOCK TABLE audit_events IN ROW EXCLUSIVE MODE';

describe.runIf(engines.includes('postgres'))('a migration on PostgreSQL', () => {
  let database: TestDatabase;
  let [holder, passerBy]: (pg.Client | undefined)[] = [];

  beforeEach(async () => {
    database = await createDatabase('postgres');
    await migrateStorage(storageOptions(database));
    // As before the last that needs a lock on a table which is in use.
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

  it('that has to wait for somebody lets others pass, and is done in the end', async () => {
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
});
