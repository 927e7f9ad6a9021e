import { statSync } from 'node:fs';
import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { readEnvironment } from '../settings.ts';
import { backUp } from '../storage/backup.ts';
import { copyProgress, held } from './copy-progress.ts';
import { makeDatabaseFile } from './new-database-file.ts';

export function backupCommand(): Command {
  return new Command('backup')
    .argument('<file>', 'a file that is not there yet; it will hold prompts, people and the hashes of keys')
    .action(backup);
}

async function backup(file: string): Promise<void> {
  const { storage } = loadConfig(readEnvironment());
  const holdings = await copyProgress('Backing up', storage.database.engine, (progress) =>
    makeDatabaseFile(file, (draft) => backUp(storage, draft, progress)),
  );
  console.log(`Backed up ${held(holdings)} to ${file} (${megabytes(statSync(file).size)}).`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
