import { existsSync, rmSync } from 'node:fs';
import { link, open, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ownerForNewFile } from '../storage/sqlite/database-file.ts';
import { CommandError, fileError } from './command-error.ts';
import { onInterrupt } from './interrupt.ts';

/** The database file itself and the files that SQLite keeps next to it. */
const sqliteSuffixes = ['', '-journal', '-wal', '-shm'];

interface NewFileOptions {
  /** Advice if the file already exists; it ends that error message. */
  readonly hint: string;
  /**
   * If root creates the file, give it to the owner of its directory, as whom the server runs. A
   * backup stays with the user who made it.
   */
  readonly isForServer: boolean;
}

/**
 * Creates a SQLite file that did not exist before, readable only by its owner, for `backup` and
 * `restore`. It is all or nothing: `write` fills a draft in the same directory, which gets the
 * final name once it is on disk. If anything fails or a signal arrives, the draft is removed. An
 * existing file is never overwritten.
 */
export async function createDatabaseFile<T>(
  path: string,
  write: (draft: string) => Promise<T>,
  { hint, isForServer }: NewFileOptions,
): Promise<T> {
  assertAbsent(path, hint);
  const draft = `${path}.${process.pid}.partial`;
  const removeDraft = () => {
    for (const suffix of sqliteSuffixes) rmSync(`${draft}${suffix}`, { force: true });
  };
  // Listen before the draft exists, or a signal in between would leave it behind.
  const removeListeners = onInterrupt(removeDraft);
  try {
    await createEmptyFile(draft, isForServer ? ownerForNewFile(dirname(path)) : undefined).catch(
      (error: unknown) => {
        throw missingDirectoryError(path, error) ?? fileError(`Cannot write ${path}`, error);
      },
    );
    return await finish().catch((error: unknown) => {
      removeDraft();
      throw sqliteWriteError(path, error) ?? fileError(`Cannot write ${path}`, error);
    });
  } finally {
    removeListeners();
  }

  async function finish(): Promise<T> {
    const result = await write(draft);
    await syncToDisk(draft);
    await moveIntoPlace(draft, path, hint);
    await syncToDisk(dirname(path));
    return result;
  }
}

/**
 * Renames the draft without ever replacing a file, which `rename` would do. A server that was
 * started too early may have created `path` meanwhile: it would keep writing to a file without a
 * name, and its write-ahead log would hide the contents of the new one. `linkFile` is replaced in
 * tests.
 */
export async function moveIntoPlace(
  draft: string,
  path: string,
  hint: string,
  linkFile = link,
): Promise<void> {
  assertAbsent(path, hint);
  try {
    await linkFile(draft, path).catch(async (error: unknown) => {
      if (!noHardLinkCodes.has(codeOf(error))) throw error;
      // Reserve the name first, so that `rename` replaces only this empty file.
      await createEmptyFile(path, undefined);
      await rename(draft, path).catch(async (renameError: unknown) => {
        await unlink(path);
        throw renameError;
      });
    });
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? alreadyExistsError(path, hint) : error;
  }
  await unlink(draft).catch(() => undefined);
}

/** Returned by file systems without hard links, such as FAT and some network shares. */
const noHardLinkCodes = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

function assertAbsent(path: string, hint: string): void {
  const existing = sqliteSuffixes.map((suffix) => `${path}${suffix}`).find((name) => existsSync(name));
  if (existing !== undefined) throw alreadyExistsError(existing, hint);
}

function alreadyExistsError(path: string, hint: string): CommandError {
  return new CommandError(`${path} already exists. ${hint}`);
}

function missingDirectoryError(path: string, error: unknown): CommandError | undefined {
  return codeOf(error) === 'ENOENT'
    ? new CommandError(`Cannot write ${path}: the directory ${dirname(path)} does not exist.`)
    : undefined;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Fails with EEXIST if the file exists. */
async function createEmptyFile(path: string, owner: ReturnType<typeof ownerForNewFile>): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid);
  } finally {
    await handle.close();
  }
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const sqliteFull = 13;
const sqliteWriteCodes = new Set([
  778, // SQLITE_IOERR_WRITE
  1034, // SQLITE_IOERR_FSYNC
  1546, // SQLITE_IOERR_TRUNCATE
]);

/**
 * Undefined unless SQLite failed to write. Its other errors are about the database that it reads,
 * so they must not be reported against `path`.
 */
function sqliteWriteError(path: string, error: unknown): CommandError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!('errcode' in error)) return sqliteWriteError(path, error.cause);
  const code = Number(error.errcode);
  if (code === sqliteFull) return new CommandError(`Cannot write ${path}: the disk is full.`);
  return sqliteWriteCodes.has(code) ? new CommandError(`Cannot write ${path}: ${error.message}.`) : undefined;
}
