import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { CopyProgress } from '../backup-file.ts';

/** Four megabytes: enough to be fast, little enough to be interrupted soon. */
const pagesPerStep = 1_000;
const lockWaitMs = 5_000;

/** Copies a database that may be in use: its state at one moment, into an empty file. */
export async function backUpSqlite(file: string, draft: string, progress: CopyProgress): Promise<void> {
  if (!existsSync(file)) throw new Error(`${file}: there is no such file`);
  const database = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs });
  try {
    // A copy starts over whenever somebody writes meanwhile, and on a busy server never ends; within a transaction it goes
    // on with what it began to read. Writers do not wait for it: their log grows until it is done.
    database.exec('BEGIN');
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    await backup(database, draft, {
      rate: pagesPerStep,
      progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
    });
  } finally {
    database.close();
  }
}
