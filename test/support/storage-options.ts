import { loadConfig } from '../../src/config.ts';
import type { StorageOptions } from '../../src/storage/open.ts';
import type { TestDatabase } from './database.ts';

export function storageOptions(database: TestDatabase): StorageOptions {
  return loadConfig({ DATABASE_URL: database.url }).storage;
}
