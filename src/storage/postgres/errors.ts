import { databaseFull, databaseReadOnly, databaseUnavailable, PresetdError } from '../../core/errors.ts';

/** Turns what PostgreSQL or the way to it throws into what the core knows; anything else is a defect. */
export function fromPostgres(error: unknown): unknown {
  if (!isUnavailable(error)) return error;
  const code = codeOf(error);
  if (code === diskFull) return databaseFull(error);
  return code === readOnlyTransaction ? databaseReadOnly(error) : databaseUnavailable(error);
}

const diskFull = '53100';
const readOnlyTransaction = '25006';

export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

/** The server undid the statement because of a neighbour; the same statement may be sent again. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

export function isUnavailable(error: unknown): boolean {
  // What a rule of ours says may name a preset as the driver names its trouble.
  if (error instanceof PresetdError) return false;
  const code = codeOf(error);
  return code === undefined ? isDriverError(error) : unavailableCode.test(code);
}

/**
 * By SQLSTATE class: 08 connection, 28 a login that is refused, 53 resources, 57P operator intervention, 58 system;
 * 57014 a statement that took too long, 25P03 a transaction that went on too late, 25006 a standby that cannot write, 3D000 a database that is not there (yet),
 * 55000 one that takes no connections for now; and the system's own names.
 */
const unavailableCode = /^(08|28|53|57P|58)|^(57014|25P03|25006|3D000|55000)$|^E[A-Z_]+$/;

/** The driver gives no code to a connection that ended, or never began in time. */
function isDriverError(error: unknown): boolean {
  return error instanceof Error && /connection|timeout|not queryable|SASL/i.test(error.message);
}

/** The server did not even say that something took too long: it, or the way to it, is gone. */
export function isUnresponsive(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** Others hold what was to be locked. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
