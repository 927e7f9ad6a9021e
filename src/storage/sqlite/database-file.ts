import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { databaseMoved } from '../../core/errors.ts';

/**
 * Creates the file and its folder if they do not exist, and throws a one-sentence error if presetd
 * cannot write them. SQLite itself opens a file that it can only read, and fails only at the first
 * write.
 */
export function prepareDatabaseFile(file: string): void {
  const folder = dirname(file);
  assertWritable(nearestExistingFolder(folder));
  createDatabaseFolder(folder);
  if (existsSync(file)) assertWritable(file);
  else createFile(file);
}

/**
 * Creates a folder and its parents, readable only by their owner, because the database contains
 * prompts. SQLite gives the files next to the database the same mode and owner. Existing folders
 * keep their mode: opening them to others is the operator's choice.
 */
export function createDatabaseFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  createDatabaseFolder(parent);
  mkdirSync(folder, { mode: 0o700 });
  const owner = ownerForNewFile(parent);
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid);
}

/**
 * Files that root creates in a service's folder belong to the service, which could not write them
 * otherwise. Undefined when not running as root: files then belong to whoever creates them.
 */
export function ownerForNewFile(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? statSync(folder) : undefined;
}

/** SQLite would create the file with the default mode, readable by everyone. */
function createFile(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    const owner = ownerForNewFile(dirname(file));
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
  } finally {
    closeSync(descriptor);
  }
}

/** The folder itself, or the closest parent that exists. */
function nearestExistingFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestExistingFolder(dirname(folder));
}

function assertWritable(path: string): void {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    throw new Error(reasonOf(path, error), { cause: error });
  }
}

function reasonOf(path: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EROFS')
    return `${path} is on a read-only file system. Mount it read-write, or set DATABASE_URL to a different file.`;
  if (code !== 'EACCES' && code !== 'EPERM') return error instanceof Error ? error.message : String(error);
  return (
    `User ${process.getuid?.() ?? ''}, which presetd runs as, cannot write to ${path}. ` +
    'Change its owner or mode, or set DATABASE_URL to a different file.'
  );
}

/**
 * Guards against writing to a database file that was moved or replaced while open: the server would
 * keep writing to a file that no later start would open.
 *
 * Call this before opening the file. The returned function compares the file at the path with the
 * one that was there then, and throws while they differ. It takes about a microsecond, so the write
 * queue calls it before every commit. Each move is logged once; putting the file back lifts the
 * error.
 */
export function createMovedFileGuard(
  file: string,
  logError: (message: string) => void = () => {},
): () => void {
  const openedIdentity = identityOf(file);
  let isMoved = false;
  return () => {
    const wasMoved = isMoved;
    isMoved = identityOf(file) !== openedIdentity;
    if (!isMoved) return;
    if (!wasMoved)
      logError(
        `${file} was moved or replaced while open: writes fail until it is put back or the server restarts`,
      );
    throw databaseMoved();
  };
}

/** Identifies the file at a path; undefined when there is none. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
