import type { Issue } from '../core/errors.ts';

/** Scripts rely on these; docs/command-line.md lists them. Shells reserve 126 and above. */
export const exitCodes = {
  failure: 1,
  usage: 2,
  authentication: 3,
  not_found: 4,
  conflict: 5,
  unavailable: 6,
} as const;

export type FailureKind = keyof typeof exitCodes;

interface FailureDetails {
  readonly kind?: FailureKind | undefined;
  /** HTTP status of the server's response, if there was one. */
  readonly status?: number | undefined;
  readonly issues?: readonly Issue[] | undefined;
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/**
 * A failure that the user can fix. The message says how, and is all they see: no stack is printed.
 * The kind decides the exit code. `report-failure.ts` prints it, as text or as JSON.
 */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly kind: FailureKind;
  readonly status: number | undefined;
  readonly issues: readonly Issue[];
  readonly requestId: string | undefined;

  constructor(message: string, details: FailureDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = details.kind ?? 'failure';
    this.status = details.status;
    this.issues = details.issues ?? [];
    this.requestId = details.requestId;
  }

  /** The same failure, with the same exit code, under a message that adds context. */
  restated(message: string): CommandError {
    const { kind, status, issues, requestId } = this;
    return new CommandError(message, { kind, status, issues, requestId, cause: this });
  }
}

/** One error for several problems, each on its own line. The first decides the exit code. */
export function combineErrors(errors: readonly CommandError[]): CommandError {
  const [first] = errors;
  if (first !== undefined && errors.length === 1) return first;
  return new CommandError(errors.map(({ message }) => message).join('\n'), {
    kind: first?.kind,
    status: first?.status,
    issues: errors.flatMap(({ issues }) => issues),
    requestId: first?.requestId,
    cause: first,
  });
}

/** Resolves to undefined if the server has no such thing, or is too old to know of it. */
export async function ifFound<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof CommandError && error.kind === 'not_found') return undefined;
    throw error;
  }
}

/** A mistake in the arguments that the option parser cannot detect, such as conflicting options. */
export class MisuseError extends CommandError {
  constructor(message: string) {
    super(message, { kind: 'usage' });
  }
}

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
