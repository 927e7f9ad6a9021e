import { databaseFull, databaseReadOnly, databaseUnavailable } from '../../core/errors.ts';

// Primary result codes, the low byte of `errcode`, are compared for classes of errors; extended
// codes where only some of a class count.
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
  4874, // SQLITE_IOERR_SHMSIZE: no room for the write-ahead log's index
]);
const uniqueCodes = new Set([
  1555, // SQLITE_CONSTRAINT_PRIMARYKEY
  2067, // SQLITE_CONSTRAINT_UNIQUE
]);

/**
 * Translates SQLite errors into core errors. Anything else passes through unchanged and is a bug.
 */
export function fromSqlite(error: unknown): unknown {
  const code = resultCode(error);
  if (isDiskFull(error)) return databaseFull(new Error('the disk is full', { cause: error }));
  if ((code & 0xff) === readOnlyCode) return databaseReadOnly(error);
  return unavailableCodes.has(code & 0xff) ? databaseUnavailable(error) : error;
}

/** Whether the disk has no room, for the database or its write-ahead log. */
export function isDiskFull(error: unknown): boolean {
  return diskFullCodes.has(resultCode(error));
}

/** Whether another process holds the lock. Retrying may succeed. */
export function isBusy(error: unknown): boolean {
  return (resultCode(error) & 0xff) === busyCode;
}

export function isUniqueViolation(error: unknown): boolean {
  return uniqueCodes.has(resultCode(error));
}

/** Zero, SQLITE_OK, for errors that are not from SQLite. */
function resultCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0;
  return typeof error.errcode === 'number' ? error.errcode : 0;
}
