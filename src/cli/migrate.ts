import { Command } from 'commander';
import { loadConfig } from '../config/server-config.ts';
import { readEnvironment } from '../config/settings.ts';
import { describeDatabase, migrateStorage } from '../storage/open.ts';
import { print } from './ui/output.ts';

/** For deployments that upgrade the schema as a separate step, before the new servers start. */
export function migrateCommand(): Command {
  return new Command('migrate').action(async () => {
    const { storage } = loadConfig(readEnvironment());
    const applied = await migrateStorage(storage);
    for (const { name } of applied) print(`applied ${name}`);
    // Running it twice, or on several machines at once, is safe.
    const state = applied.length === 0 ? 'is up to date' : 'is now up to date';
    print(`The database (${describeDatabase(storage.database)}) ${state}.`);
  });
}
