import { existsSync, rmSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandError } from './command-error.ts';
import { fileError } from './file-error.ts';
import { onInterrupt } from './interrupt.ts';

/** What SQLite puts beside a file while it writes it. */
const besides = ['', '-journal', '-wal', '-shm'];

/**
 * Makes a file that was not there: whole or not at all, and for nobody else to read. It is made under another name beside
 * it, and gets its own when everything has reached the disk. Whatever goes wrong, nothing is left.
 */
export async function makeDatabaseFile<T>(path: string, make: (draft: string) => Promise<T>): Promise<T> {
  const there = besides.map((suffix) => `${path}${suffix}`).find(existsSync);
  if (there !== undefined)
    throw new CommandError(
      `${there} is there already, and is left as it is. Name another file, or move it away.`,
    );
  const draft = `${path}.${process.pid}.partial`;
  const remove = () => {
    for (const suffix of besides) rmSync(`${draft}${suffix}`, { force: true });
  };
  await claim(draft).catch((error: unknown) => {
    throw fileError(`${path} cannot be written`, error);
  });
  const stopListening = onInterrupt(remove);
  try {
    const result = await make(draft);
    await flush(draft);
    await rename(draft, path);
    await flush(dirname(path));
    return result;
  } catch (error) {
    remove();
    throw writingTrouble(path, error) ?? fileError(`${path} cannot be written`, error);
  } finally {
    stopListening();
  }
}

async function claim(path: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  await handle.close();
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const full = 13;
const writingCodes = new Set([
  778, // SQLITE_IOERR_WRITE
  1034, // SQLITE_IOERR_FSYNC
  1546, // SQLITE_IOERR_TRUNCATE
]);

/** What SQLite says where it could not write the file. Whatever else it says is about what it read. */
function writingTrouble(path: string, error: unknown): CommandError | undefined {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error) || !('errcode' in cause)) return undefined;
  const code = Number(cause.errcode);
  if (code === full) return new CommandError(`${path} cannot be written: the disk is full.`);
  return writingCodes.has(code)
    ? new CommandError(`${path} cannot be written: ${cause.message}.`)
    : undefined;
}
