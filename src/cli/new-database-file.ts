import { existsSync, rmSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownerToBe } from '../storage/sqlite/database-file.ts';
import { CommandError } from './command-error.ts';
import { fileError } from './file-error.ts';
import { onInterrupt } from './interrupt.ts';

/** What SQLite puts beside a file while it writes it. */
const besides = ['', '-journal', '-wal', '-shm'];

export interface NewFileOptions {
  /** What to do where there is one already. */
  readonly advice: string;
  /** Made by root it belongs to whom its folder belongs to. A backup does not: it stays with whoever made it. */
  readonly isForServer: boolean;
}

/**
 * Makes a file that was not there: whole or not at all, and for nobody else to read. It is made under another name beside
 * it, and gets its own when everything has reached the disk. Whatever goes wrong, nothing is left.
 */
export async function createDatabaseFile<T>(
  path: string,
  make: (draft: string) => Promise<T>,
  { advice, isForServer }: NewFileOptions,
): Promise<T> {
  assertFree(path, advice);
  const draft = `${path}.${process.pid}.partial`;
  const remove = () => {
    for (const suffix of besides) rmSync(`${draft}${suffix}`, { force: true });
  };
  // Before there is something to remove, or it would be left by whoever interrupts just then.
  const stopListening = onInterrupt(remove);
  try {
    await claim(draft, isForServer ? ownerToBe(dirname(path)) : undefined).catch((error: unknown) => {
      throw missingFolder(path, error) ?? fileError(`${path} cannot be written`, error);
    });
    return await finish().catch((error: unknown) => {
      remove();
      throw writingTrouble(path, error) ?? fileError(`${path} cannot be written`, error);
    });
  } finally {
    stopListening();
  }

  async function finish(): Promise<T> {
    const result = await make(draft);
    await flush(draft);
    await moveIntoPlace(draft, path, advice);
    await flush(dirname(path));
    return result;
  }
}

/**
 * Unlike `rename`, this never takes the place of a file that somebody made meanwhile: a server that was started too early
 * would go on with a file that nobody finds again, and its log would hide what is in the new one.
 */
export async function moveIntoPlace(
  draft: string,
  path: string,
  advice: string,
  linkFile = link,
): Promise<void> {
  assertFree(path, advice);
  try {
    await linkFile(draft, path).catch(async (error: unknown) => {
      if (!withoutLinks.has(codeOf(error))) throw error;
      // Only the empty file that was made here is replaced.
      await claim(path, undefined);
      await rename(draft, path).catch(async (trouble: unknown) => {
        await unlink(path);
        throw trouble;
      });
    });
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? thereAlready(path, advice) : error;
  }
  await unlink(draft).catch(() => undefined);
}

/** What file systems answer that know no second name of a file. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

function assertFree(path: string, advice: string): void {
  const there = besides.map((suffix) => `${path}${suffix}`).find((name) => existsSync(name));
  if (there !== undefined) throw thereAlready(there, advice);
}

function thereAlready(path: string, advice: string): CommandError {
  return new CommandError(`${path} is there already, and is left as it is. ${advice}`);
}

function missingFolder(path: string, error: unknown): CommandError | undefined {
  return codeOf(error) === 'ENOENT'
    ? new CommandError(`${path} cannot be written: the folder ${dirname(path)} does not exist.`)
    : undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

async function claim(path: string, owner: ReturnType<typeof ownerToBe>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
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
  if (!(error instanceof Error)) return undefined;
  if (!('errcode' in error)) return writingTrouble(path, error.cause);
  const code = Number(error.errcode);
  if (code === full) return new CommandError(`${path} cannot be written: the disk is full.`);
  return writingCodes.has(code)
    ? new CommandError(`${path} cannot be written: ${error.message}.`)
    : undefined;
}
