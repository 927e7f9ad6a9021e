import { PresetdError } from '../core/errors.ts';
import type { Storage } from '../core/storage.ts';
import type { Migration } from './migrate.ts';
import { migratePostgres, openPostgres, pendingPostgresMigrations } from './postgres/open.ts';
import { migrateSqlite, openSqlite, pendingSqliteMigrations } from './sqlite/open.ts';

export type DatabaseLocation =
  | { readonly engine: 'sqlite'; readonly file: string }
  | { readonly engine: 'postgres'; readonly url: string };

export interface StorageOptions {
  readonly database: DatabaseLocation;
  readonly poolSize: number;
  readonly timeoutMs: number;
  /** Writes that may wait for the database; one more is `unavailable`. */
  readonly writesWaitingMax: number;
  /** Where several processes of one machine write to one file, so that none of them has to try in vain. */
  readonly acquireWriteLock?: (() => Promise<() => void>) | undefined;
  /** Told of what is wrong with the database beside what callers are told. */
  readonly logError?: ((message: string) => void) | undefined;
}

/** The database cannot be used as it is given; the message says why in a sentence. */
export class StorageOpenError extends Error {
  override readonly name = 'StorageOpenError';
}

export function openStorage({ database, ...limits }: StorageOptions): Promise<Storage> {
  return explainStorageErrors(
    () =>
      database.engine === 'sqlite'
        ? openSqlite({ ...database, ...limits })
        : openPostgres({ ...database, ...limits }),
    database,
  );
}

/** Brings the database to the newest schema. Returns what it had to do. */
export function migrateStorage({ database, ...limits }: StorageOptions): Promise<readonly Migration[]> {
  return explainStorageErrors(
    () =>
      database.engine === 'sqlite'
        ? migrateSqlite({ ...database, ...limits })
        : migratePostgres({ ...database, ...limits }),
    database,
  );
}

/** Refuses a database that another version of presetd made: only a server, or `presetd migrate`, changes its schema. */
export async function assertMigrated({ database, ...limits }: StorageOptions): Promise<void> {
  const pending = await explainStorageErrors(
    () =>
      database.engine === 'sqlite'
        ? pendingSqliteMigrations({ ...database, ...limits })
        : pendingPostgresMigrations({ ...database, ...limits }),
    database,
  );
  const [first] = pending;
  if (first === undefined) return;
  throw new PresetdError(
    'conflict',
    first.number === 1
      ? `The database (${describeDatabase(database)}) is empty. Set DATABASE_URL to the one of the server, or start the server once; it makes the organization.`
      : `The database is that of an older version (it lacks ${first.name}). Stop the servers of that version, then start this one or run "presetd migrate".`,
  );
}

/** For people; without the user and the password that a URL may hold. */
export function describeDatabase(database: DatabaseLocation): string {
  if (database.engine === 'sqlite') return `SQLite, ${database.file}`;
  const { host, pathname, searchParams } = new URL(database.url);
  return `PostgreSQL, ${host || (searchParams.get('host') ?? 'localhost')}${pathname}`;
}

/** Tells trouble with the database in a sentence, and with which file; what a rule of ours says is one already. */
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

/** SQLite says what is wrong, but not with which file. */
function isSqliteError(error: unknown): boolean {
  return error instanceof Error && ('errcode' in error || isSqliteError(error.cause));
}

function reasonOf(error: unknown): string {
  // A host with several addresses fails once for each of them.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  if (error instanceof PresetdError && error.cause !== undefined) return reasonOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}
