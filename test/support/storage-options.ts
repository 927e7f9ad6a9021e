import { loadConfig } from '../../src/config/server-config.ts';
import type { StorageOptions } from '../../src/storage/open.ts';
import type { TestDatabase } from './database.ts';

/** On a busy machine, a test may have to wait longer for its database than users should. */
export const longDatabaseTimeout = { PRESETD_DATABASE_TIMEOUT_MS: '60000' };

export function storageOptions(database: TestDatabase): StorageOptions {
  return loadConfig({ DATABASE_URL: database.url, ...longDatabaseTimeout }).storage;
}
