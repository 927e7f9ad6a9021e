import { createReadStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Reads files of these paths to their end, so that the memory of the system has them: what is compared is not the disk. */
export async function readThrough(paths: readonly string[]): Promise<void> {
  for (const file of paths.flatMap(filesOf)) await readFile(file).catch(unlessGone);
}

async function readFile(file: string): Promise<void> {
  for await (const _chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    // Nothing is done with it.
  }
}

/** PostgreSQL makes and removes files while it runs. */
function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function filesOf(path: string): readonly string[] {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
