import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { databaseUnavailable } from '../../core/errors.ts';
import type { Storage } from '../../core/storage.ts';
import { MemberIndexer, withIndexing } from '../member-indexer.ts';
import type { Migration } from '../migrate.ts';
import { pendingMigrations, readMigrations } from '../migrate.ts';
import { postgresAudit } from './audit.ts';
import { PostgresConnection, type PostgresOptions } from './connection.ts';
import { CreateQueue } from './create-queue.ts';
import { isLockTimeout, isRetryable } from './errors.ts';
import { indexBatch } from './index-members.ts';
import { postgresKeys } from './keys.ts';
import { postgresMembers } from './members.ts';
import { postgresOrganizations } from './organizations.ts';
import { postgresPresets } from './presets.ts';
import { postgresWorkspaces } from './workspaces.ts';

const ping = {
  name: 'ping',
  text: `SELECT current_setting('transaction_read_only') AS read_only, count(*) FROM schema_migrations`,
};

export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const connection = new PostgresConnection(options);
  const queue = new CreateQueue(connection, options);
  const indexer = new MemberIndexer(() => indexBatch(connection), options.logError);
  return {
    presets: postgresPresets(connection, queue),
    keys: postgresKeys(connection),
    members: withIndexing(postgresMembers(connection, indexer), indexer),
    workspaces: postgresWorkspaces(connection),
    audit: postgresAudit(connection),
    organizations: postgresOrganizations(connection),
    async ping() {
      const [row] = await connection.query<{ read_only: string }>(ping, []);
      // A standby answers, but nothing can be stored there.
      if (row?.read_only !== 'off') throw databaseUnavailable(new Error('the database takes no writes'));
    },
    async close() {
      await indexer.stop();
      await queue.drain();
      await connection.close();
    },
  };
}

/**
 * Each migration is a transaction of its own, so that none holds what the others locked. Several processes may do this at
 * once: they take turns, each migration is done by one of them, and none goes on before all are done.
 */
export async function migratePostgres(options: PostgresOptions): Promise<readonly Migration[]> {
  const connection = new PostgresConnection({ ...options, poolSize: 1 }, 'unlimited');
  try {
    const applied: Migration[] = [];
    for (;;) {
      const next = await retryOnLockTimeout(() => connection.transaction(applyNext));
      if (next === undefined) return applied;
      applied.push(next);
    }
  } finally {
    await connection.close();
  }
}

/**
 * Whoever waits for a table holds up all who come after, so a migration does not wait long; it lets them pass and tries again. And
 * less than the second after which PostgreSQL looks for those who wait for each other: the migration is to give way, not a request.
 */
const lockTimeoutMs = 500;
const lockAttemptsMax = 60;

async function retryOnLockTimeout<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) && !isRetryable(error)) throw error;
      if (attempt === lockAttemptsMax)
        throw new Error('a migration needs a table that others hold locked: end long transactions first', {
          cause: error,
        });
    }
    await delay(lockTimeoutMs);
  }
}

/** What is still to be done, without doing it. */
export async function pendingPostgresMigrations(options: PostgresOptions): Promise<readonly Migration[]> {
  const connection = new PostgresConnection({ ...options, poolSize: 1 });
  try {
    return await connection.transaction(async (client) => {
      const { rows } = await client.query(`SELECT to_regclass('schema_migrations') AS found`);
      return rows[0]?.found === null ? readMigrations('postgres') : pendingMigrationsIn(client);
    });
  } finally {
    await connection.close();
  }
}

async function applyNext(client: PoolClient): Promise<Migration | undefined> {
  // A role may have a limit of its own, as behind PgBouncer.
  await client.query('SET LOCAL statement_timeout = 0');
  // Of the transaction, not of the session: a connection whose migration gave way is not used again. Before the timeout,
  // since the turn of another may take long. Older versions take the same lock for a session: each waits for the other.
  await client.query(`SELECT pg_advisory_xact_lock(hashtext('presetd migrations'))`);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  await client.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
      number integer PRIMARY KEY, name text NOT NULL, is_breaking boolean NOT NULL, applied_at timestamptz NOT NULL
    )`,
  );
  const [next] = await pendingMigrationsIn(client);
  if (next === undefined) return undefined;
  const { number, name, sql, isBreaking } = next;
  await client.query(sql);
  await client.query('INSERT INTO schema_migrations VALUES ($1, $2, $3, now())', [number, name, isBreaking]);
  return next;
}

async function pendingMigrationsIn(client: PoolClient): Promise<readonly Migration[]> {
  const { rows } = await client.query<{ number: number; name: string; isBreaking: boolean }>(
    'SELECT number, name, is_breaking AS "isBreaking" FROM schema_migrations ORDER BY number',
  );
  return pendingMigrations(readMigrations('postgres'), rows);
}
