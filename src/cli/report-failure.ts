import { CommanderError } from 'commander';
import { PresetdError } from '../core/errors.ts';
import { ConfigError } from '../settings.ts';
import { CommandError, exitCodes, type FailureKind } from './command-error.ts';
import { printStderr } from './output.ts';

/**
 * Writes why a command failed to standard error and sets the exit code. With `--json` the report is
 * one JSON object, so that a script reads results and failures the same way.
 */
export function reportFailure(error: unknown, asJson: boolean): void {
  // Help and version end with an "error" of code 0.
  if (error instanceof CommanderError && error.exitCode === 0) return;
  const kind = kindOf(error);
  process.exitCode = exitCodes[kind];
  if (asJson) printStderr(JSON.stringify(toJson(error, kind)));
  // The option parser has written its message already, and a worker that could not start, its own.
  else if (!(error instanceof CommanderError) && messageOf(error) !== '') printStderr(messageOf(error));
}

/** Whether `--json` is among the arguments, also where they are wrong in another way. */
export function hasJsonFlag(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end === -1 ? undefined : end).includes('--json');
}

function kindOf(error: unknown): FailureKind {
  if (error instanceof CommandError) return error.kind;
  return error instanceof CommanderError || error instanceof ConfigError ? 'usage' : 'failure';
}

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

const anotherAddress = 'Set HOST and PORT to an address of this machine that is free.';

const moreFiles =
  'Raise the limit of open files ("ulimit -n", LimitNOFILE of systemd): presetd needs about 300 before the first client.';

/** A sentence for trouble that a person can mend; anything else keeps its stack. */
function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return `presetd cannot run. ${error.message}`;
  // Known by its name: its class would bring the database drivers along, which most commands do without.
  if (error instanceof Error && error.name === 'StorageOpenError')
    return `presetd cannot use its database (DATABASE_URL): ${error.message}`;
  if (error instanceof Error && error.name === 'WorkerStartError') return error.message;
  if (error instanceof PresetdError || error instanceof CommandError) return error.message;
  if (
    error instanceof Error &&
    'syscall' in error &&
    /^(listen|getaddrinfo|bind)$/.test(String(error.syscall))
  ) {
    const remedy = 'code' in error && error.code === 'EMFILE' ? moreFiles : anotherAddress;
    return `presetd cannot listen: ${error.message}. ${remedy}`;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
