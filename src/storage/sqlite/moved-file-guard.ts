import { statSync } from 'node:fs';
import { databaseMoved } from '../../core/errors.ts';

/**
 * Guards against writing to a database file that was moved or replaced while open: the server would
 * keep writing to a file that nobody opens again.
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
