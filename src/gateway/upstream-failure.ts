import { errors } from 'undici';
import { type ErrorKind, PresetdError } from '../core/errors.ts';

/** Why an upstream did not answer, as it is told in a header and counted. */
export type FailureReason = 'connect' | 'timeout' | 'busy' | 'reset' | 'garbage';

interface FailureDetails {
  readonly cause?: unknown;
  readonly isMisconfigured?: boolean;
}

/** An upstream that gave no answer which could be passed on. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly reason: FailureReason;
  /** Whether it lasts until an operator changes a setting. */
  readonly isMisconfigured: boolean;

  constructor(
    reason: FailureReason,
    message: string,
    { cause, isMisconfigured = false }: FailureDetails = {},
  ) {
    super(message, { cause });
    this.reason = reason;
    this.isMisconfigured = isMisconfigured;
  }
}

/** What the HTTP client says of a connection, in our words. Addresses are for the log alone. */
export function toUpstreamFailure(upstream: string, error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = errorCodeOf(error);
  if (error instanceof errors.HTTPParserError || /^UND_ERR_(HEADERS_OVERFLOW|RES)/.test(code))
    return new UpstreamFailure('garbage', `The upstream "${upstream}" did not answer in HTTP.`, {
      cause: error,
    });
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_(CLOSED|DESTROYED|ABORTED))$/.test(code))
    return new UpstreamFailure(
      'reset',
      `The upstream "${upstream}" closed the connection before its answer was complete.`,
      { cause: error },
    );
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new UpstreamFailure('connect', `The upstream "${upstream}" could not be reached in time.`, {
      cause: error,
    });
  return new UpstreamFailure(
    'connect',
    `The upstream "${upstream}" cannot be reached (${code || 'unknown'}).`,
    // No retry makes a certificate valid.
    { cause: error, isMisconfigured: /CERT|UNABLE_TO_VERIFY/.test(code) },
  );
}

/** As the client is told, where nobody else could answer. */
export function toPresetdError(failure: UpstreamFailure): PresetdError {
  if (failure.reason === 'busy')
    return new PresetdError('unavailable', failure.message, { retryAfterSeconds: 1 });
  return new PresetdError(kindOf(failure), failure.message, { cause: failure.cause ?? failure });
}

function kindOf({ reason, isMisconfigured }: UpstreamFailure): ErrorKind {
  if (isMisconfigured) return 'upstream_misconfigured';
  return reason === 'timeout' ? 'gateway_timeout' : 'bad_gateway';
}

export function errorCodeOf(error: unknown): string {
  if (error instanceof AggregateError) return errorCodeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
