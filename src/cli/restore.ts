import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { restoreToFile, restoreToPostgres } from '../storage/backup.ts';
import { type CopyProgress, verifyBackup } from '../storage/backup-file.ts';
import { describeDatabase, type StorageOptions } from '../storage/open.ts';
import { createDatabaseFolder } from '../storage/sqlite/database-file.ts';
import { CommandError } from './command-error.ts';
import { describeCounts, withCopyProgress } from './copy-progress.ts';
import { fileError } from './file-error.ts';
import { createDatabaseFile } from './new-database-file.ts';
import { print } from './output.ts';

/** Refuses a database that is in use; the backup may come from the other engine. */
export function restoreCommand(): Command {
  return new Command('restore')
    .argument('<file>', 'File written by "presetd backup", from SQLite or PostgreSQL')
    .action(restore);
}

async function restore(file: string): Promise<void> {
  const { storage } = loadConfig(readEnvironment());
  // The whole backup is checked before the database is touched.
  await assertReadableFile(file);
  const counts = verifyBackup(file);
  await withCopyProgress('Restoring', storage.database.engine, (progress) =>
    restoreTo(storage, file, progress),
  );
  print(
    `Restored ${describeCounts(counts)} (${describeDatabase(storage.database)}). Keys and members are those of the backup.`,
  );
}

async function restoreTo(
  { database, ...limits }: StorageOptions,
  file: string,
  progress: CopyProgress,
): Promise<void> {
  // PostgreSQL needs an existing, empty database; for SQLite the file is created here.
  if (database.engine === 'postgres') return restoreToPostgres({ ...database, ...limits }, file, progress);
  createDatabaseFolder(dirname(database.file));
  await createDatabaseFile(database.file, (draft) => restoreToFile(file, draft, progress), {
    hint: 'Set DATABASE_URL to a new file, or move this one away together with its -wal and -shm files.',
    isForServer: true,
  });
}

/** SQLite alone would report these with messages that do not say what is wrong. */
async function assertReadableFile(file: string): Promise<void> {
  const fail = (error: unknown) => {
    throw fileError(`Cannot read ${file}`, error);
  };
  const found = await stat(file).catch(fail);
  if (!found.isFile()) throw new CommandError(`Cannot read ${file}: it is not a regular file.`);
  if (found.size === 0) throw new CommandError(`${file} is empty.`);
  await access(file, constants.R_OK).catch(fail);
}
