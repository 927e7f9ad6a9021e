import { CommandError } from './command-error.ts';

/**
 * Explains a file system error: "Cannot read backup.ndjson: no such file or directory." `action` is
 * the part before the colon. Any other error is returned unchanged.
 */
export function fileError(action: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const reason = reasons[String(error.code)] ?? error.message;
  return new CommandError(`${action}: ${reason}.`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'part of its path is not a directory',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
};
