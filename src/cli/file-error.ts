import { CommandError } from './command-error.ts';

/** "backup.ndjson cannot be read: there is no such file." Anything but trouble with a file stays as it is. */
export function fileError(what: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const reason = reasons[String(error.code)] ?? error.message;
  return new CommandError(`${what}: ${reason}.`, { cause: error });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'there is no permission to',
  EPERM: 'there is no permission to',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk can only be read',
};
