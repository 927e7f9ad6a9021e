import { existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Memory that Linux offers as a file system, where a write is durable at once. */
const memory = '/dev/shm';

/** Containers often have little of it. */
const memoryBytesMin = 2 ** 30;

/**
 * Creates a folder for databases, in memory if there is enough: otherwise every commit waits for a
 * disk. Programs do not belong there, because containers forbid to execute them.
 */
export function createTemporaryFolder(prefix: string): string {
  return mkdtempSync(join(hasMemory() ? memory : tmpdir(), prefix));
}

function hasMemory(): boolean {
  if (process.platform !== 'linux' || !existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > memoryBytesMin;
}
