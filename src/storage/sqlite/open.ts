import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { SqliteDatabase } from './database.ts';
import { createMovedFileGuard, prepareDatabaseFile } from './database-file.ts';
import { fromSqlite, isBusy } from './errors.ts';
import type { WriteQueueOptions } from './write-queue.ts';

export interface SqliteOptions extends Omit<WriteQueueOptions, 'assertFileNotMoved'> {
  readonly file: string;
}

/** Opens a migrated file. */
export async function openSqlite(options: SqliteOptions): Promise<SqliteDatabase> {
  const assertFileNotMoved = createMovedFileGuard(options.file, options.logError);
  const main = await connect(options);
  main.exec(`PRAGMA cache_size = -${cacheKiB}`);
  const second = await connect(options);
  second.exec('PRAGMA query_only = ON');
  return new SqliteDatabase(main, second, { ...options, assertFileNotMoved });
}

/**
 * Opens the file and configures the connection. Switching to WAL needs a lock that another process
 * may hold, so it is retried for as long as a write would wait.
 */
export async function connect({ file, timeoutMs }: SqliteOptions): Promise<DatabaseSync> {
  const connection = openFile(file);
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      // FULL syncs the write-ahead log at every commit. NORMAL could lose the last acknowledged
      // writes after a power failure.
      connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
      return connection;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw fromSqlite(error);
      await delay(10);
    }
  }
}

function openFile(file: string): DatabaseSync {
  prepareDatabaseFile(file);
  try {
    return new DatabaseSync(file, { timeout: busyTimeoutMs });
  } catch (error) {
    throw new Error(`${file}: ${error instanceof Error ? error.message : error}`, { cause: error });
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
