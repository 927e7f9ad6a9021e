import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { Storage } from '../../core/storage.ts';
import { BackgroundIndexer, withMemberIndexing, withPresetIndexing } from '../background-indexer.ts';
import { type Migration, pendingMigrations, readMigrations } from '../migrate.ts';
import { sqliteAccounts } from './accounts.ts';
import { sqliteAudit } from './audit.ts';
import { sqliteCases } from './cases.ts';
import { createMovedFileGuard, prepareDatabaseFile } from './database-file.ts';
import { sqliteDevices } from './devices.ts';
import { sqliteDrafts } from './drafts.ts';
import { fromSqlite, isBusy } from './errors.ts';
import { sqliteIdentities } from './identities.ts';
import { prepareMemberIndexing } from './index-members.ts';
import { preparePresetIndexing } from './index-presets.ts';
import { sqliteKeys } from './keys.ts';
import { sqliteMembers } from './members.ts';
import { sqliteOrganizations } from './organizations.ts';
import { sqlitePresetUsage } from './preset-usage.ts';
import { sqlitePresets } from './presets.ts';
import { sqliteProvisionedGroups } from './provisioned-groups.ts';
import { sqliteProvisionedUsers } from './provisioned-users.ts';
import { sqliteSecrets } from './secrets.ts';
import { sqliteSessions } from './sessions.ts';
import { sqliteWorkspaces } from './workspaces.ts';
import { type AcquireWriteLock, WriteQueue } from './write-queue.ts';

export interface SqliteOptions {
  readonly file: string;
  /** How long a write waits for another process's write lock before it fails with `unavailable`. */
  readonly timeoutMs: number;
  readonly writesWaitingMax: number;
  readonly acquireWriteLock?: AcquireWriteLock | undefined;
  readonly logError?: ((message: string) => void) | undefined;
}

/**
 * Opens a migrated file. Prepares all statements once, so a missing table fails here and not in a
 * request.
 */
export async function openSqlite(options: SqliteOptions): Promise<Storage> {
  const assertFileNotMoved = createMovedFileGuard(options.file, options.logError);
  const database = await connect(options);
  const queue = new WriteQueue(database, { ...options, assertFileNotMoved });
  const createIndexer = (noun: string, indexBatch: () => number | undefined) =>
    new BackgroundIndexer({ noun, indexBatch: () => queue.write(indexBatch), logError: options.logError });
  const memberIndexer = createIndexer('members', prepareMemberIndexing(database).indexBatch);
  const presetIndexer = createIndexer('presets', preparePresetIndexing(database));
  const ping = database.prepare('SELECT count(*) AS migrations FROM schema_migrations');
  return {
    presets: withPresetIndexing(sqlitePresets(database, queue), presetIndexer),
    keys: sqliteKeys(database, queue),
    sessions: sqliteSessions(database, queue),
    members: withMemberIndexing(sqliteMembers(database, queue, memberIndexer), memberIndexer),
    workspaces: sqliteWorkspaces(database, queue),
    audit: sqliteAudit(database),
    accounts: sqliteAccounts(database, queue),
    identities: sqliteIdentities(database, queue),
    devices: sqliteDevices(database, queue),
    drafts: sqliteDrafts(database, queue),
    cases: sqliteCases(database),
    presetUsage: sqlitePresetUsage(database, queue),
    organizations: sqliteOrganizations(database, queue),
    secrets: sqliteSecrets(database, queue),
    provisioning: { ...sqliteProvisionedUsers(database, queue), ...sqliteProvisionedGroups(database, queue) },
    async ping() {
      // Pings with an empty write: a read would succeed on a file that is read-only or was moved.
      await queue.write(() => ping.get());
      queue.assertDiskHasRoom();
    },
    /** The indexers stop first, because their batches go through the queue. */
    async close() {
      await Promise.all([memberIndexer.stop(), presetIndexer.stop()]);
      await queue.drain();
      database.close();
    },
  };
}

/**
 * Applies pending migrations in one transaction. A second process that migrates at the same time
 * waits for the first and finds nothing left to do.
 */
export async function migrateSqlite(options: SqliteOptions): Promise<readonly Migration[]> {
  const database = await connect(options);
  try {
    const queue = new WriteQueue(database, options);
    return await queue.write(() => applyPending(database));
  } finally {
    database.close();
  }
}

/** The pending migrations, without applying them. Does not create a missing file. */
export async function pendingSqliteMigrations(options: SqliteOptions): Promise<readonly Migration[]> {
  if (!existsSync(options.file)) return readMigrations('sqlite');
  const database = await connect(options);
  try {
    const tables = database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'`);
    return tables.get() === undefined ? readMigrations('sqlite') : pendingMigrationsIn(database);
  } finally {
    database.close();
  }
}

function applyPending(database: DatabaseSync): readonly Migration[] {
  database.exec(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
      number INTEGER PRIMARY KEY, name TEXT NOT NULL, is_breaking INTEGER NOT NULL, applied_at TEXT NOT NULL
    ) STRICT`,
  );
  const pending = pendingMigrationsIn(database);
  const record = database.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, ?)');
  for (const migration of pending) {
    database.exec(migration.sql);
    record.run(migration.number, migration.name, migration.isBreaking ? 1 : 0, new Date().toISOString());
  }
  return pending;
}

function pendingMigrationsIn(database: DatabaseSync): readonly Migration[] {
  const applied = database
    .prepare('SELECT number, name, is_breaking FROM schema_migrations ORDER BY number')
    .all()
    .map((row) => ({
      number: Number(row.number),
      name: String(row.name),
      isBreaking: row.is_breaking === 1,
    }));
  return pendingMigrations(readMigrations('sqlite'), applied);
}

/**
 * Opens the file and configures the connection. Switching to WAL needs a lock that another process
 * may hold, so it is retried for as long as a write would wait.
 */
async function connect({ file, timeoutMs }: SqliteOptions): Promise<DatabaseSync> {
  const database = openFile(file);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      // FULL syncs the write-ahead log at every commit. NORMAL could lose the last acknowledged
      // writes after a power failure.
      database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      database.exec(`PRAGMA cache_size = -${cacheKiB}`);
      return database;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw fromSqlite(error);
      await delay(10);
    }
  }
}

function openFile(file: string): DatabaseSync {
  prepareDatabaseFile(file);
  try {
    return new StatementSharingDatabase(file, { timeout: busyTimeoutMs });
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

/**
 * Compiles equal statements once. The stores prepare 480 when a database opens, of which 220 differ:
 * sharing them halves the time to open it. No store may iterate over the rows of a statement, because
 * another use of it would end the iteration.
 */
class StatementSharingDatabase extends DatabaseSync {
  readonly #statements = new Map<string, StatementSync>();

  override prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? super.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/**
 * Large enough for the upper levels of every index of a million presets, so that finding one reads
 * few pages from the file. SQLite's default of 2 MiB is not.
 */
const cacheKiB = 16_384;

/**
 * SQLite waits for a lock synchronously, which blocks the event loop. Longer waits belong to the
 * write queue, which yields between attempts.
 */
const busyTimeoutMs = 1;
