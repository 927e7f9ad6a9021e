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

/**
 * Makes the file and its folder, and throws a sentence where presetd could not write: SQLite opens a file that it can only
 * read as well, and says so no sooner than something is to be stored.
 */
export function prepareDatabaseFile(file: string): void {
  const folder = dirname(file);
  assertWritable(nearestExistingFolder(folder));
  createDatabaseFolder(folder);
  if (existsSync(file)) assertWritable(file);
  else createFile(file);
}

/**
 * The file holds prompts: only its owner may look into it, and into the folder that is made for it. SQLite gives the
 * files beside it the same mode and owner. What is there already is the operator's to open to others.
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
 * What root makes in the folder of another, such as a service, is for that one, who could not write it otherwise.
 * Undefined for everybody else, whose files are their own.
 */
export function ownerForNewFile(folder: string): { readonly uid: number; readonly gid: number } | undefined {
  return process.getuid?.() === 0 ? statSync(folder) : undefined;
}

function createFile(file: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    const owner = ownerForNewFile(dirname(file));
    if (owner !== undefined) fchownSync(descriptor, owner.uid, owner.gid);
  } finally {
    closeSync(descriptor);
  }
}

/** The folder itself, or the one that it would be made in. */
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
    return `${path} is on a file system that can only be read. Mount it for writing, or set DATABASE_URL to a file elsewhere.`;
  if (code !== 'EACCES' && code !== 'EPERM') return error instanceof Error ? error.message : String(error);
  return (
    `${path} may not be written by user ${process.getuid?.() ?? ''}, which presetd runs as. ` +
    'Give it to that user, or set DATABASE_URL to a file elsewhere.'
  );
}
