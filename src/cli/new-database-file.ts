import { existsSync, rmSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
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
  assertFree(path);
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
    await giveName(draft, path);
    await flush(dirname(path));
    return result;
  } catch (error) {
    remove();
    throw writingTrouble(path, error) ?? fileError(`${path} cannot be written`, error);
  } finally {
    stopListening();
  }
}

/**
 * Unlike `rename`, this never takes the place of a file that somebody made meanwhile: a server that was started too early
 * would go on with a file that nobody finds again, and its log would hide what is in the new one.
 */
export async function giveName(draft: string, path: string, linkFile = link): Promise<void> {
  assertFree(path, besides.slice(1));
  try {
    await linkFile(draft, path).catch(async (error: unknown) => {
      if (!withoutLinks.has(codeOf(error))) throw error;
      // Only the empty file that was made here is replaced.
      await claim(path);
      await rename(draft, path).catch(async (trouble: unknown) => {
        await unlink(path);
        throw trouble;
      });
    });
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? thereAlready(path) : error;
  }
  await unlink(draft).catch(() => undefined);
}

/** What file systems answer that know no second name of a file. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

function assertFree(path: string, suffixes: readonly string[] = besides): void {
  const there = suffixes.map((suffix) => `${path}${suffix}`).find((name) => existsSync(name));
  if (there !== undefined) throw thereAlready(there);
}

function thereAlready(path: string): CommandError {
  return new CommandError(
    `${path} is there already, and is left as it is. Name another file, or move it away.`,
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
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
