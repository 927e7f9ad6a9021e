/** Everything that can go wrong, as the caller sees it. `http/error-response.ts` gives each kind its status. */
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
  /** An operator has to change how presetd reaches an upstream. */
  | 'upstream_misconfigured'
  | 'rate_limited'
  | 'internal'
  | 'bad_gateway'
  | 'unavailable'
  | 'gateway_timeout';

/** One problem in a request. The path is a JSON Pointer (RFC 6901); the empty string is the whole value. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface ErrorDetails {
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  /** True where the same request cannot succeed before an operator acts, although its kind is one that passes. */
  readonly needsOperator?: boolean;
  /** How many requests a minute were allowed, of 'rate_limited'. */
  readonly limit?: number;
  /** The methods that the path supports, of 'method_not_allowed'. */
  readonly allow?: readonly string[];
  readonly cause?: unknown;
}

export class PresetdError extends Error {
  override readonly name = 'PresetdError';
  readonly kind: ErrorKind;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly needsOperator: boolean;
  readonly limit: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.issues = details.issues;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.needsOperator = details.needsOperator ?? false;
    this.limit = details.limit;
    this.allow = details.allow;
  }
}

/** More writes wait for the database than there is room for. */
export function tooManyWrites(): PresetdError {
  return databaseUnavailable(new Error('too many writes are waiting for the database'));
}

/** More is asked than can be answered. Those who try again are spread over some seconds, so that they do not all come at once. */
export function overloaded(): PresetdError {
  return new PresetdError(
    'unavailable',
    'The server has more requests than it can answer. Try again in a moment.',
    { retryAfterSeconds: 1 + Math.floor(Math.random() * 3) },
  );
}

/** There is no room to store anything in. */
export function databaseFull(cause: unknown): PresetdError {
  return new PresetdError(
    'unavailable',
    'The disk of the database is full. Nothing can be stored until there is room on it; what is stored can be read.',
    { retryAfterSeconds: 5, needsOperator: true, cause },
  );
}

/** The path of the database leads to another file than the one that is open, or to none. */
export function databaseMoved(): PresetdError {
  return new PresetdError(
    'unavailable',
    'The file of the database was moved or replaced, so nothing was stored. Restart the server, or put the file back.',
    { retryAfterSeconds: 5, needsOperator: true },
  );
}

/** The database answers, but lets nobody write. */
export function databaseReadOnly(cause: unknown): PresetdError {
  return new PresetdError(
    'unavailable',
    'The database can only be read right now, so nothing was stored. Try again in a moment.',
    { retryAfterSeconds: 1, cause },
  );
}

/** The database could not be asked; the same request may succeed a moment later. */
export function databaseUnavailable(cause: unknown): PresetdError {
  return new PresetdError('unavailable', 'The database cannot answer right now. Try again in a moment.', {
    retryAfterSeconds: 1,
    cause,
  });
}
