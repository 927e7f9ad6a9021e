import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { readEnvironment } from '../settings.ts';
import { migrateStorage } from '../storage/open.ts';

export function migrateCommand(): Command {
  return new Command('migrate').action(async () => {
    const applied = await migrateStorage(loadConfig(readEnvironment()).storage);
    for (const { name } of applied) console.log(`applied ${name}`);
    console.log(applied.length === 0 ? 'The database is up to date.' : 'The database is now up to date.');
  });
}
