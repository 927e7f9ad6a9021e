import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reads all files under these paths, so that they are in the page cache: the benchmark compares
 * queries, not disks.
 */
export async function warmPageCache(paths: readonly string[]): Promise<void> {
  for (const file of paths.flatMap(filesOf)) await readFile(file).catch(ignoreMissing);
}

async function readFile(file: string): Promise<void> {
  for await (const _chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    // Only reading matters.
  }
}

/** PostgreSQL creates and removes files while it runs. */
function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
