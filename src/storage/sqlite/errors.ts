import { databaseFull, databaseReadOnly, databaseUnavailable } from '../../core/errors.ts';

const unavailableCodes = new Set([
  5, // SQLITE_BUSY
  6, // SQLITE_LOCKED
  10, // SQLITE_IOERR
  14, // SQLITE_CANTOPEN
]);

const busyCode = 5;
const readOnlyCode = 8;
const diskFullCodes = new Set([
  13, // SQLITE_FULL
  4874, // SQLITE_IOERR_SHMSIZE: no room for the index of the write-ahead log
]);
const uniqueCodes = new Set([
  1555, // SQLITE_CONSTRAINT_PRIMARYKEY
  2067, // SQLITE_CONSTRAINT_UNIQUE
]);

/** Turns what SQLite throws into what the core knows; anything else passes unchanged and is a defect. */
export function fromSqlite(error: unknown): unknown {
  const code = resultCode(error);
  if (isDiskFull(error)) return databaseFull(new Error('the disk is full', { cause: error }));
  if ((code & 0xff) === readOnlyCode) return databaseReadOnly(error);
  return unavailableCodes.has(code & 0xff) ? databaseUnavailable(error) : error;
}

/** Reads through this, so that trouble with the file is told as such. */
export function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw fromSqlite(error);
  }
}

export function isDiskFull(error: unknown): boolean {
  return diskFullCodes.has(resultCode(error));
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
