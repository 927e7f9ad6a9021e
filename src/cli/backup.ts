import { statSync } from 'node:fs';
import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { readEnvironment } from '../settings.ts';
import { backUp } from '../storage/backup.ts';
import { placeOf } from '../storage/open.ts';
import { UsageError } from './command-error.ts';
import { held, withCopyProgress } from './copy-progress.ts';
import { createDatabaseFile } from './new-database-file.ts';
import { print } from './output.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .argument('<file>', 'a file that is not there yet; it will hold prompts, people and the hashes of keys')
    .action(backup);
}

async function backup(file: string): Promise<void> {
  if (file === '-') throw new UsageError('A backup cannot go to standard output: name a file.');
  const { storage } = loadConfig(readEnvironment());
  const holdings = await withCopyProgress('Backing up', storage.database.engine, (progress) =>
    createDatabaseFile(file, (draft) => backUp(storage, draft, progress), {
      advice: 'Name another file, or move it away.',
      isForServer: false,
    }),
  );
  const place = placeOf(storage.database);
  print(`Backed up ${held(holdings)} (${place}) to ${file} (${megabytes(statSync(file).size)}).`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
