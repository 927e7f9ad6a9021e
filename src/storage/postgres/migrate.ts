import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { PostgresDatabase, type PostgresOptions, withOwnConnection } from './database.ts';
import { isLockTimeout, isRetryable } from './errors.ts';

/**
 * Applies pending migrations, each in its own transaction, so that none holds locks of an earlier
 * one. Several processes may migrate at once: an advisory lock lets one at a time proceed, and all
 * return only when nothing is pending.
 */
export function migratePostgres(options: PostgresOptions): Promise<readonly Migration[]> {
  return withOwnConnection(options, async (database) => {
    const applied: Migration[] = [];
    for (;;) {
      const next = await retryOnLockTimeout(() => database.session(applyNext));
      if (next === undefined) return applied;
      applied.push(next);
    }
  });
}

/**
 * How long a migration waits for a table lock. Every later request for the table queues behind that
 * wait, so the migration gives up early, lets them pass and retries. Shorter than PostgreSQL's
 * deadlock_timeout of one second: in a deadlock, the migration gives way and not a request.
 */
const lockTimeoutMs = 500;
/** With the delay between attempts, about a minute. */
const lockAttemptsMax = 60;

/** Retries work that lost a lock to other transactions. */
async function retryOnLockTimeout<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout(error) && !isRetryable(error)) throw error;
      if (attempt === lockAttemptsMax)
        throw new Error('a migration cannot lock its tables: end long-running transactions, then try again', {
          cause: error,
        });
    }
    await delay(lockTimeoutMs);
  }
}

/** The pending migrations, without applying them. */
export async function pendingPostgresMigrations(options: PostgresOptions): Promise<readonly Migration[]> {
  await using database = new PostgresDatabase({ ...options, poolSize: 1 });
  return await database.session(async (client) => {
    const { rows } = await client.query(`SELECT to_regclass('schema_migrations') AS found`);
    return rows[0]?.found === null ? readMigrations('postgres') : pendingMigrationsIn(client);
  });
}

/** Applies the next pending migration; undefined when there is none. */
async function applyNext(client: PoolClient): Promise<Migration | undefined> {
  // The role may set its own limit, as is common behind PgBouncer.
  await client.query('SET LOCAL statement_timeout = 0');
  // A transaction-level lock, so that a migration that gives way releases it: its connection is
  // discarded without an unlock. Taken before `lock_timeout` is set, because another process's
  // migration may take long. Older versions take the same lock at session level; both conflict, so
  // each waits for the other.
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
  const { rows } = await client.query<AppliedMigration>(
    'SELECT name, is_breaking AS "isBreaking" FROM schema_migrations ORDER BY number',
  );
  return pendingMigrations(readMigrations('postgres'), rows);
}
