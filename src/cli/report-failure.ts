import { CommanderError } from 'commander';
import { ConfigError } from '../config/settings.ts';
import { PresetdError } from '../core/errors.ts';
import { CommandError, exitCodes, type FailureKind } from './command-error.ts';
import { printStderr } from './ui/output.ts';

/**
 * Writes why a command failed to standard error and sets the exit code. With `--json` the report is
 * one JSON object, so that a script reads results and failures the same way.
 */
export function reportFailure(error: unknown, asJson: boolean): void {
  // Commander ends --help and --version with an "error" of exit code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const kind = kindOf(error);
  process.exitCode = exitCodes[kind];
  if (asJson) printStderr(JSON.stringify(toJson(error, kind)));
  // Commander has already printed its message, and so has a worker that failed to start.
  else if (!(error instanceof CommanderError) && messageOf(error) !== '') printStderr(messageOf(error));
}

/** Looks at the raw arguments, because usage errors must be JSON too when parsing fails. */
export function hasJsonFlag(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof CommandError) return error.kind;
  return error instanceof CommanderError || error instanceof ConfigError ? 'usage' : 'failure';
}

/** The shape is part of the interface for scripts; docs/command-line.md describes it. */
function toJson(error: unknown, kind: FailureKind): object {
  const details = error instanceof CommandError ? error : undefined;
  return {
    error: {
      kind,
      exit_code: exitCodes[kind],
      code: details?.status ?? null,
      message: error instanceof CommanderError ? error.message.replace(/^error: /, '') : messageOf(error),
      issues: details?.issues ?? [],
      ...(details?.requestId !== undefined && { request_id: details.requestId }),
    },
  };
}

const addressHint = 'Set HOST and PORT to a free address of this machine.';

/** A server listens with up to 256 sockets at once, before its first connection. */
const openFilesHint =
  'Raise the limit on open files ("ulimit -n", or LimitNOFILE in systemd); presetd needs about 300 before its first client connects.';

/** A sentence for failures that a person can fix. Anything else is a bug and keeps its stack. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return `presetd cannot run. ${error.message}`;
  // Compared by name: importing the class would load the database drivers for every command.
  if (error instanceof Error && error.name === 'StorageOpenError')
    return `presetd cannot use its database (DATABASE_URL): ${error.message}`;
  if (error instanceof Error && error.name === 'WorkerStartError') return error.message;
  if (error instanceof PresetdError || error instanceof CommandError) return error.message;
  if (
    error instanceof Error &&
    'syscall' in error &&
    /^(listen|getaddrinfo|bind)$/.test(String(error.syscall))
  ) {
    const hint = 'code' in error && error.code === 'EMFILE' ? openFilesHint : addressHint;
    return `presetd cannot listen: ${error.message}. ${hint}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
