import { databaseFull, databaseReadOnly, databaseUnavailable, PresetdError } from '../../core/errors.ts';

/**
 * Translates errors of PostgreSQL, the driver and the network into core errors. Anything else
 * passes through unchanged and is a bug.
 */
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

/**
 * Another transaction has just taken the name. Triggers raise this for a slug that is an alias or
 * an alias that is a slug; the other constraint is for a slug alone.
 */
export function isNameTaken(error: unknown): boolean {
  if (!isUniqueViolation(error) || !(error instanceof Error) || !('constraint' in error)) return false;
  return nameConstraints.includes(String(error.constraint));
}

const nameConstraints: readonly string[] = [
  'preset_names',
  'presets_workspace_id_slug_key',
  'preset_aliases_pkey',
];

/** A serialization failure or deadlock: the server undid the statement, which may be sent again. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01';
}

/** Whether the database, rather than the request, is at fault. Retrying later may succeed. */
export function isUnavailable(error: unknown): boolean {
  // A rule's message may contain any words, such as a preset's name.
  if (error instanceof PresetdError) return false;
  const code = codeOf(error);
  return code === undefined ? isDriverError(error) : unavailableCode.test(code);
}

/**
 * SQLSTATE classes: 08 connection, 28 authorization, 53 resources, 57P operator intervention, 58
 * system. Single codes: 57014 statement timeout, 25P03 idle transaction timeout, 25006 read-only,
 * 3D000 no such database (yet), 55000 not accepting connections. Last, the operating system's E…
 * codes.
 */
const unavailableCode = /^(08|28|53|57P|58)|^(57014|25P03|25006|3D000|55000)$|^E[A-Z_]+$/;

/**
 * The driver sets no code when a connection ends or cannot be established in time; `pool.ts` words
 * its own errors to match too.
 */
function isDriverError(error: unknown): boolean {
  return error instanceof Error && /connection|timeout|not queryable|SASL/i.test(error.message);
}

/** The driver's timeout, which comes after the server's: the server or the network is gone. */
export function isUnresponsive(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** `lock_timeout` expired: other transactions hold the lock. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** The transaction failed with an earlier statement. */
export function isAborted(error: unknown): boolean {
  return codeOf(error) === '25P02';
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
