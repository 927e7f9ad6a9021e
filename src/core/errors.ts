/**
 * Every kind of error that a caller can see. `http/errors/error-response.ts` maps each kind to a
 * status.
 */
export type ErrorKind =
  | 'invalid_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  /** An operator must fix the key or URL of an upstream; retrying does not help. */
  | 'upstream_misconfigured'
  /** The path speaks another protocol than HTTP. */
  | 'upgrade_required'
  | 'rate_limited'
  | 'internal'
  | 'bad_gateway'
  | 'unavailable'
  | 'gateway_timeout';

/** Why a call failed, for its record. `core/ledger/call-error.ts` says what they mean. */
export type ErrorCode =
  | 'invalid_request'
  | 'missing_variable'
  | 'invalid_variable'
  | 'preset_not_found'
  | 'preset_unavailable'
  | 'version_not_found'
  | 'not_found'
  | 'no_upstream'
  | 'unauthenticated'
  | 'forbidden'
  | 'too_large'
  | 'rate_limited'
  | 'over_budget'
  | 'unknown_price'
  | 'unavailable'
  | 'internal'
  | 'canceled'
  | 'upstream_rejected'
  | 'upstream_rate_limited'
  | 'upstream_error'
  | 'upstream_misconfigured'
  | 'upstream_unreachable'
  | 'upstream_busy'
  | 'upstream_timeout'
  | 'upstream_interrupted'
  | 'upstream_invalid_response';

/**
 * One problem in a request. `path` is a JSON Pointer (RFC 6901); an empty string means the whole
 * value.
 */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

interface ErrorDetails {
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  /**
   * True if retrying cannot succeed until an operator acts, although errors of this kind are
   * usually temporary.
   */
  readonly needsOperator?: boolean;
  /** For `rate_limited`: the allowed requests per minute. */
  readonly limit?: number;
  /** For `method_not_allowed`: the methods that the path supports. */
  readonly allow?: readonly string[];
  /** Further details for programs, in the terms of the API. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** If it says more than the kind. */
  readonly code?: ErrorCode | undefined;
  /** The message without what it quotes of the request, if that could be any text. */
  readonly unquotedMessage?: string;
  readonly cause?: unknown;
}

/**
 * The only error whose message reaches API clients. It says what is wrong, where, and what to do,
 * in at most two sentences. Any other error is a defect and becomes a 500 with a generic message.
 */
export class PresetdError extends Error {
  override readonly name = 'PresetdError';
  readonly kind: ErrorKind;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly needsOperator: boolean;
  readonly limit: number | undefined;
  readonly allow: readonly string[] | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly code: ErrorCode | undefined;
  readonly unquotedMessage: string;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.needsOperator = details.needsOperator ?? false;
    this.limit = details.limit;
    this.allow = details.allow;
    this.metadata = details.metadata;
    this.code = details.code;
    this.unquotedMessage = details.unquotedMessage ?? message;
  }
}

/** `throw` as an expression: `found ?? raise(unknownPreset(slug))`. */
export function raise(error: PresetdError): never {
  throw error;
}

/** An `invalid_request` about one part of the request, which `path` locates. */
export function invalidRequest(text: string, path: string, message: string): PresetdError {
  return new PresetdError('invalid_request', text, { issues: [{ path, message }] });
}

/** The write queue is full. */
export function tooManyWrites(): PresetdError {
  return databaseUnavailable(new Error('too many writes are waiting for the database'));
}

/**
 * Load shedding. The random delay spreads retries over a few seconds, so that they do not all
 * arrive at once.
 */
export function overloaded(): PresetdError {
  return new PresetdError(
    'unavailable',
    'The server has more requests than it can handle. Try again in a moment.',
    { retryAfterSeconds: 1 + Math.floor(Math.random() * 3) },
  );
}

/** The disk is full: reads work, writes do not. */
export function databaseFull(cause: unknown): PresetdError {
  return new PresetdError(
    'unavailable',
    'The database disk is full. Writes fail until space is freed; reads still work.',
    { retryAfterSeconds: 5, needsOperator: true, cause },
  );
}

/** SQLite: the database path no longer points to the open file, so writes would be lost. */
export function databaseMoved(): PresetdError {
  return new PresetdError(
    'unavailable',
    'The database file was moved or replaced, so nothing was stored. Restart the server or put the file back.',
    { retryAfterSeconds: 5, needsOperator: true },
  );
}

/** The database responds but accepts no writes, for example during a failover. */
export function databaseReadOnly(cause: unknown): PresetdError {
  return new PresetdError(
    'unavailable',
    'The database is read-only right now, so nothing was stored. Try again in a moment.',
    { retryAfterSeconds: 1, cause },
  );
}

/** The database cannot be reached or timed out. The same request may succeed a moment later. */
export function databaseUnavailable(cause: unknown): PresetdError {
  return new PresetdError('unavailable', 'The database is not responding. Try again in a moment.', {
    retryAfterSeconds: 1,
    cause,
  });
}
