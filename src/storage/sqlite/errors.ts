import { databaseUnavailable } from '../../core/errors.ts';

const unavailableCodes = new Set([
  5, // SQLITE_BUSY
  6, // SQLITE_LOCKED
  8, // SQLITE_READONLY
  10, // SQLITE_IOERR
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN
]);

const busyCode = 5;
const uniqueCodes = new Set([
  1555, // SQLITE_CONSTRAINT_PRIMARYKEY
  2067, // SQLITE_CONSTRAINT_UNIQUE
]);

/** Turns what SQLite throws into what the core knows; anything else passes unchanged and is a defect. */
export function fromSqlite(error: unknown): unknown {
  return unavailableCodes.has(resultCode(error) & 0xff) ? databaseUnavailable(error) : error;
}

/** Reads through this, so that trouble with the file is told as such. */
export function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fromSqlite(error);
  }
}

export function isBusy(error: unknown): boolean {
  return (resultCode(error) & 0xff) === busyCode;
}

export function isUniqueViolation(error: unknown): boolean {
  return uniqueCodes.has(resultCode(error));
}

function resultCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0;
  return typeof error.errcode === 'number' ? error.errcode : 0;
}
