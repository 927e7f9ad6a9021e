import { type ErrorCode, type ErrorKind, PresetdError } from '../../core/errors.ts';

/** Why there was no response, as reported in `x-presetd-fallbacks` and in metrics. */
type FailureReason = 'connect' | 'timeout' | 'busy' | 'reset' | 'garbage';

interface FailureDetails {
  readonly cause?: unknown;
  readonly isMisconfigured?: boolean;
}

/** An upstream did not return a response that can be forwarded. Clients see the message. */
export class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly reason: FailureReason;
  /** Whether only an operator can fix it, by changing a setting. Retrying is pointless then. */
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

/**
 * Translates an error of the HTTP client. The original stays in `cause`, for the log only: it may
 * contain addresses of the internal network.
 */
export function toUpstreamFailure(upstream: string, error: unknown): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  const code = errorCodeOf(error);
  if (isParserError(error) || /^UND_ERR_(HEADERS_OVERFLOW|RES)/.test(code))
    return new UpstreamFailure(
      'garbage',
      `The upstream "${upstream}" did not return a valid HTTP response.`,
      {
        cause: error,
      },
    );
  if (/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_(CLOSED|DESTROYED|ABORTED))$/.test(code))
    return new UpstreamFailure(
      'reset',
      `The upstream "${upstream}" closed the connection before its response was complete.`,
      { cause: error },
    );
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return new UpstreamFailure('connect', `The upstream "${upstream}" did not accept a connection in time.`, {
      cause: error,
    });
  return new UpstreamFailure(
    'connect',
    `The upstream "${upstream}" is unreachable (${code || 'unknown'}).`,
    // A retry does not make a certificate valid.
    { cause: error, isMisconfigured: /CERT|UNABLE_TO_VERIFY/.test(code) },
  );
}

/** The error for the client if no other candidate is left. */
export function toPresetdError(failure: UpstreamFailure): PresetdError {
  if (failure.reason === 'busy')
    return new PresetdError('unavailable', failure.message, {
      retryAfterSeconds: 1,
      code: codeOf(failure),
    });
  const cause = failure.cause ?? failure;
  return new PresetdError(kindOf(failure), failure.message, { cause, code: codeOf(failure) });
}

/** For the record of the call. */
export function codeOf({ reason, isMisconfigured }: UpstreamFailure): ErrorCode {
  return isMisconfigured ? 'upstream_misconfigured' : codes[reason];
}

const codes: Readonly<Record<FailureReason, ErrorCode>> = {
  connect: 'upstream_unreachable',
  timeout: 'upstream_timeout',
  busy: 'upstream_busy',
  reset: 'upstream_interrupted',
  garbage: 'upstream_invalid_response',
};

function kindOf({ reason, isMisconfigured }: UpstreamFailure): ErrorKind {
  if (isMisconfigured) return 'upstream_misconfigured';
  return reason === 'timeout' ? 'gateway_timeout' : 'bad_gateway';
}

/** Not by class, for which undici would have to be loaded. */
function isParserError(error: unknown): boolean {
  return error instanceof Error && error.name === 'HTTPParserError';
}

/** The code of a system error, or of the first one in an aggregate; empty if there is none. */
export function errorCodeOf(error: unknown): string {
  if (error instanceof AggregateError) return errorCodeOf(error.errors[0]);
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
