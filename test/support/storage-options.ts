import { loadConfig } from '../../src/config/server-config.ts';
import type { StorageOptions } from '../../src/storage/open.ts';

/** On a busy machine, a test may have to wait longer for its database than users should. */
export const longDatabaseTimeout = { PRESETD_DATABASE_TIMEOUT_MS: '60000' };

export function storageOptions({ url }: { readonly url: string }): StorageOptions {
  return loadConfig({ DATABASE_URL: url, ...longDatabaseTimeout }).storage;
}
