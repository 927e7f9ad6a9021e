import { constants, statSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { backUp, restoreToFile, restoreToPostgres } from '../storage/backup.ts';
import { type CopyProgress, verifyBackup } from '../storage/backup-file.ts';
import { describeDatabase, type StorageOptions } from '../storage/open.ts';
import { createDatabaseFolder } from '../storage/sqlite/database-file.ts';
import { CommandError, fileError, MisuseError } from './command-error.ts';
import { createDatabaseFile } from './new-database-file.ts';
import { print } from './ui/output.ts';
import { startProgress } from './ui/progress.ts';
import { describeCounts } from './ui/text.ts';

/** Takes a consistent snapshot of the database itself (DATABASE_URL), not through a server. */
export function backupCommand(): Command {
  return new Command('backup')
    .argument('<file>', 'New file to write; it will contain prompts, members and key hashes')
    .option('--calls', 'Include the records of single calls (their sums are always included)')
    .action(backup);
}

async function backup(file: string, { calls }: { readonly calls?: true }): Promise<void> {
  const contents = { includesCalls: calls ?? false };
  // The backup is a SQLite file, which SQLite writes out of order.
  if (file === '-') throw new MisuseError('Cannot write a backup to standard output. Name a file.');
  const { storage } = loadConfig(readEnvironment());
  const counts = await withCopyProgress('Backing up', storage.database.engine, (progress) =>
    createDatabaseFile(file, (draft) => backUp(storage, draft, contents, progress), {
      hint: 'Name another file, or move this one away.',
      isForServer: false,
    }),
  );
  const place = describeDatabase(storage.database);
  print(`Backed up ${describeCounts(counts)} (${place}) to ${file} (${megabytes(statSync(file).size)}).`);
  if (!contents.includesCalls)
    print('Records of single calls are left out; --calls includes them. Their sums are in the backup.');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

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
    `Restored ${describeCounts(counts)} (${describeDatabase(storage.database)}). Keys and members are those of the backup; everyone has to sign in again.`,
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

/**
 * Shows a progress bar while `copy` runs, and removes it however that ends. The engines report
 * totals; the bar expects increments.
 */
async function withCopyProgress<T>(
  title: string,
  engine: keyof typeof units,
  copy: (progress: CopyProgress) => Promise<T>,
): Promise<T> {
  const bar = startProgress(title, units[engine]);
  let previous = 0;
  try {
    return await copy((done, total) => {
      bar.expect(total);
      bar.advance(done - previous);
      previous = done;
    });
  } finally {
    bar.finish();
  }
}

/** The unit of progress of each engine: SQLite copies file pages, PostgreSQL transfers rows. */
const units = { sqlite: ['page', 'pages'], postgres: ['row', 'rows'] } as const;
