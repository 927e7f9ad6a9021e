import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { readEnvironment } from '../settings.ts';
import { restoreToFile, restoreToPostgres } from '../storage/backup.ts';
import { type CopyProgress, checkBackup } from '../storage/backup-file.ts';
import { placeOf, type StorageOptions } from '../storage/open.ts';
import { makeDatabaseFolder } from '../storage/sqlite/database-file.ts';
import { CommandError } from './command-error.ts';
import { held, withCopyProgress } from './copy-progress.ts';
import { fileError } from './file-error.ts';
import { createDatabaseFile } from './new-database-file.ts';
import { print } from './output.ts';

export function restoreCommand(): Command {
  return new Command('restore')
    .argument('<file>', 'what "presetd backup" wrote, on either engine')
    .action(restore);
}

async function restore(file: string): Promise<void> {
  const { storage } = loadConfig(readEnvironment());
  await assertFile(file);
  const holdings = checkBackup(file);
  await withCopyProgress('Restoring', storage.database.engine, (progress) =>
    restoreTo(storage, file, progress),
  );
  print(
    `Restored ${held(holdings)} (${placeOf(storage.database)}). Keys and members are those of the backup.`,
  );
}

async function restoreTo(
  { database, ...limits }: StorageOptions,
  file: string,
  progress: CopyProgress,
): Promise<void> {
  if (database.engine === 'postgres') return restoreToPostgres({ ...database, ...limits }, file, progress);
  makeDatabaseFolder(dirname(database.file));
  await createDatabaseFile(database.file, (draft) => restoreToFile(file, draft, progress), {
    advice: 'Set DATABASE_URL to a new one, or move it away together with its -wal and -shm.',
    isForServer: true,
  });
}

async function assertFile(file: string): Promise<void> {
  const refuse = (error: unknown) => {
    throw fileError(`${file} cannot be read`, error);
  };
  const found = await stat(file).catch(refuse);
  if (!found.isFile()) throw new CommandError(`${file} cannot be read: it is not a file.`);
  if (found.size === 0) throw new CommandError(`${file} is empty.`);
  await access(file, constants.R_OK).catch(refuse);
}
