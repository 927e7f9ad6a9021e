import { statSync } from 'node:fs';
import { databaseMoved } from '../../core/errors.ts';

/**
 * Call it before the file is opened. What it gives throws while the path does not lead to that file any more: whoever opens the path
 * later would not find what is written now. To ask takes about a microsecond. The log is told once each time it is moved.
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
        `${file} was moved or replaced while the server has it open: nothing is stored until the server is restarted, or the file is put back`,
      );
    throw databaseMoved();
  };
}

/** Undefined where the path leads nowhere. */
function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return undefined;
  }
}
