import { statSync } from 'node:fs';
import { Command } from 'commander';
import { loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { backUp } from '../storage/backup.ts';
import { describeDatabase } from '../storage/open.ts';
import { UsageError } from './command-error.ts';
import { describeCounts, withCopyProgress } from './copy-progress.ts';
import { createDatabaseFile } from './new-database-file.ts';
import { print } from './output.ts';

/** Takes a consistent snapshot of the database itself (DATABASE_URL), not through a server. */
export function backupCommand(): Command {
  return new Command('backup')
    .argument('<file>', 'New file to write; it will contain prompts, members and key hashes')
    .action(backup);
}

async function backup(file: string): Promise<void> {
  // The backup is a SQLite file, which SQLite writes out of order.
  if (file === '-') throw new UsageError('Cannot write a backup to standard output. Name a file.');
  const { storage } = loadConfig(readEnvironment());
  const counts = await withCopyProgress('Backing up', storage.database.engine, (progress) =>
    createDatabaseFile(file, (draft) => backUp(storage, draft, progress), {
      hint: 'Name another file, or move this one away.',
      isForServer: false,
    }),
  );
  const place = describeDatabase(storage.database);
  print(`Backed up ${describeCounts(counts)} (${place}) to ${file} (${megabytes(statSync(file).size)}).`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
