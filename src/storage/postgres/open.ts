import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { databaseUnavailable } from '../../core/errors.ts';
import type { Storage } from '../../core/storage.ts';
import { BackgroundIndexer, withMemberIndexing, withPresetIndexing } from '../background-indexer.ts';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { postgresAccounts } from './accounts.ts';
import { postgresAudit } from './audit.ts';
import { postgresCases } from './cases.ts';
import { PostgresConnection, type PostgresOptions } from './connection.ts';
import { CreateQueue } from './create-queue.ts';
import { postgresDevices } from './devices.ts';
import { postgresDrafts } from './drafts.ts';
import { isLockTimeout, isRetryable } from './errors.ts';
import { postgresIdentities } from './identities.ts';
import { indexBatch } from './index-members.ts';
import { createPresetIndexing } from './index-presets.ts';
import { postgresKeys } from './keys.ts';
import { postgresMembers } from './members.ts';
import { postgresOrganizations } from './organizations.ts';
import { postgresPresetUsage } from './preset-usage.ts';
import { postgresPresets } from './presets.ts';
import { postgresProvisionedGroups } from './provisioned-groups.ts';
import { postgresProvisionedUsers } from './provisioned-users.ts';
import { postgresSecrets } from './secrets.ts';
import { postgresSessions } from './sessions.ts';
import { statement } from './statement.ts';
import { postgresWorkspaces } from './workspaces.ts';

/** Fails when the schema is missing, and tells whether the database accepts writes. */
const ping = statement(
  'ping',
  `SELECT current_setting('transaction_read_only') AS read_only, count(*) FROM schema_migrations`,
);

/** Opens a migrated database. Connections are established on first use. */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const connection = new PostgresConnection(options);
  const queue = new CreateQueue(connection, options);
  const createIndexer = (noun: string, indexBatch: () => Promise<number | undefined>) =>
    new BackgroundIndexer({ noun, indexBatch, logError: options.logError });
  const memberIndexer = createIndexer('members', () => indexBatch(connection));
  const presetIndexer = createIndexer('presets', createPresetIndexing(connection));
  return {
    presets: withPresetIndexing(postgresPresets(connection, queue), presetIndexer),
    keys: postgresKeys(connection),
    sessions: postgresSessions(connection),
    members: withMemberIndexing(postgresMembers(connection, memberIndexer), memberIndexer),
    workspaces: postgresWorkspaces(connection),
    audit: postgresAudit(connection),
    accounts: postgresAccounts(connection),
    identities: postgresIdentities(connection),
    devices: postgresDevices(connection),
    drafts: postgresDrafts(connection),
    cases: postgresCases(connection),
    presetUsage: postgresPresetUsage(connection),
    organizations: postgresOrganizations(connection),
    secrets: postgresSecrets(connection),
    provisioning: { ...postgresProvisionedUsers(connection), ...postgresProvisionedGroups(connection) },
    async ping() {
      const [row] = await connection.query<{ read_only: string }>(ping, []);
      // A standby answers reads, but nothing can be stored on it.
      if (row?.read_only !== 'off') throw databaseUnavailable(new Error('the database is read-only'));
    },
    /** The indexers stop first; creates are drained while there still are connections. */
    async close() {
      await Promise.all([memberIndexer.stop(), presetIndexer.stop()]);
      await queue.drain();
      await connection.close();
    },
  };
}

/**
 * Applies pending migrations, each in its own transaction, so that none holds locks of an earlier
 * one. Several processes may migrate at once: an advisory lock lets one at a time proceed, and all
 * return only when nothing is pending.
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
  const { rows } = await client.query<{ number: number; name: string; isBreaking: boolean }>(
    'SELECT number, name, is_breaking AS "isBreaking" FROM schema_migrations ORDER BY number',
  );
  return pendingMigrations(readMigrations('postgres'), rows);
}
