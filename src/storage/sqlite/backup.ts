import { existsSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import type { CopyProgress } from '../backup-file.ts';

/**
 * Four megabytes with the default page size: large enough to be fast, small enough to react to an
 * interrupt.
 */
const pagesPerStep = 1_000;
/** How long to wait for a lock, such as that of a server which is just starting. */
const lockWaitMs = 5_000;

/**
 * Copies a database into `draft`, an empty file, as of one moment. The database may be in use:
 * writers are not blocked, but their write-ahead log grows until the copy is done, since the read
 * transaction keeps it from being checkpointed.
 */
export async function backUpSqlite(file: string, draft: string, progress: CopyProgress): Promise<void> {
  if (!existsSync(file)) throw new Error(`${file}: no such file`);
  using database = new DatabaseSync(file, { readOnly: true, timeout: lockWaitMs });
  // SQLite restarts a backup whenever the source changes, so on a busy server it would never end.
  // Inside a read transaction it keeps copying the state that it started with.
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM sqlite_schema').get();
  await backup(database, draft, {
    rate: pagesPerStep,
    progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
  });
}
