import { PresetdError } from '../core/errors.ts';
import type { Storage } from '../core/storage.ts';
import type { DatabaseOptions } from './database.ts';
import type { Migration } from './migrate.ts';
import { createStorage } from './stores.ts';

/** Where the database is. `database-url.ts` parses it from DATABASE_URL. */
export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

/**
 * The settings of a storage, whichever engine it uses. `server-config.ts` reads them from the
 * environment.
 */
export interface StorageOptions extends DatabaseOptions {
  readonly database: DatabaseLocation;
  readonly poolSize: number;
  /**
   * Serializes the writes of several workers on one SQLite file, so that none of them polls for the
   * lock. PostgreSQL ignores it.
   */
  readonly acquireWriteLock?: (() => Promise<() => void>) | undefined;
}

/** The database cannot be opened with these settings. The message says why, in one sentence. */
class StorageOpenError extends Error {
  override readonly name = 'StorageOpenError';
}

/** A process loads only its own engine; the other would take 40 ms and 4 MB of its start. */
const loadSqlite = async () => ({
  ...(await import('./sqlite/open.ts')),
  ...(await import('./sqlite/migrate.ts')),
});
const loadPostgres = async () => ({
  ...(await import('./postgres/database.ts')),
  ...(await import('./postgres/migrate.ts')),
});

/** Opens a database that has been migrated. The caller closes the storage. */
export function openStorage({ database, ...limits }: StorageOptions): Promise<Storage> {
  return explainStorageErrors(async () => {
    const opened =
      database.engine === 'sqlite'
        ? await (await loadSqlite()).openSqlite({ ...database, ...limits })
        : new (await loadPostgres()).PostgresDatabase({ ...database, ...limits });
    return createStorage(opened, limits);
  }, database);
}

/** Migrates the database to the newest schema. Returns the migrations that it applied. */
export function migrateStorage({ database, ...limits }: StorageOptions): Promise<readonly Migration[]> {
  return explainStorageErrors(
    async () =>
      database.engine === 'sqlite'
        ? (await loadSqlite()).migrateSqlite({ ...database, ...limits })
        : (await loadPostgres()).migratePostgres({ ...database, ...limits }),
    database,
  );
}

/**
 * Throws `conflict` when migrations are pending. Only a server and `presetd migrate` change the
 * schema; other commands must not migrate a database that older servers still use.
 */
export async function assertMigrated({ database, ...limits }: StorageOptions): Promise<void> {
  const pending = await explainStorageErrors(
    async () =>
      database.engine === 'sqlite'
        ? (await loadSqlite()).pendingSqliteMigrations({ ...database, ...limits })
        : (await loadPostgres()).pendingPostgresMigrations({ ...database, ...limits }),
    database,
  );
  const [first] = pending;
  if (first === undefined) return;
  throw new PresetdError(
    'conflict',
    first.number === 1
      ? `The database (${describeDatabase(database)}) is empty. Set DATABASE_URL to the server's database, or start the server once to initialize it.`
      : `The database schema is older than this presetd (missing migration ${first.name}). Stop the older servers, then start this version or run "presetd migrate".`,
  );
}

/** Describes the database to people, without the user and password that its URL may contain. */
export function describeDatabase(database: DatabaseLocation): string {
  if (database.engine === 'sqlite') return `SQLite, ${database.file}`;
  const { host, pathname, searchParams } = new URL(database.url);
  return `PostgreSQL, ${host || (searchParams.get('host') ?? 'localhost')}${pathname}`;
}

/**
 * Runs `work` and turns database errors into a `StorageOpenError` with a one-sentence message.
 * Errors from presetd's own rules pass through: their messages already are such sentences.
 */
export async function explainStorageErrors<T>(
  work: () => Promise<T>,
  database?: DatabaseLocation,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PresetdError && error.cause === undefined) throw error;
    const reason = reasonOf(error);
    const file = database?.engine === 'sqlite' && isSqliteError(error) ? database.file : '';
    const message = reason.includes(file) ? reason : `${file}: ${reason}`;
    throw new StorageOpenError(message, { cause: error });
  }
}

/** SQLite's messages do not name the file, so `explainStorageErrors` adds it. */
function isSqliteError(error: unknown): boolean {
  return error instanceof Error && ('errcode' in error || isSqliteError(error.cause));
}

function reasonOf(error: unknown): string {
  // Connecting to a host with several addresses fails once per address.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (error instanceof PresetdError && error.cause !== undefined) return reasonOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}
