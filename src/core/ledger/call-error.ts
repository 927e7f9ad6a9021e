import { type ErrorCode, type ErrorKind, PresetdError } from '../errors.ts';

/** Why a call failed, without any text of its request or response. */
export interface CallError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** Every code, in words. */
export const callErrors: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'Invalid request',
  missing_variable: 'Variable missing',
  invalid_variable: 'Invalid variable',
  preset_not_found: 'Preset not found',
  preset_unavailable: 'Preset disabled or archived',
  version_not_found: 'Version not found',
  not_found: 'Not found',
  no_upstream: 'No upstream for the model',
  unauthenticated: 'Key no longer valid',
  forbidden: 'Not allowed',
  too_large: 'Request too large',
  rate_limited: 'Rate limit',
  over_budget: 'Over a spending limit',
  unknown_price: 'Price unknown',
  unavailable: 'presetd unavailable',
  internal: 'Internal error',
  canceled: 'Client disconnected',
  upstream_rejected: 'Rejected by upstream',
  upstream_rate_limited: 'Upstream rate limit',
  upstream_error: 'Upstream error',
  upstream_misconfigured: 'Upstream misconfigured',
  upstream_unreachable: 'Upstream unreachable',
  upstream_busy: 'Upstream busy',
  upstream_timeout: 'Upstream timeout',
  upstream_interrupted: 'Response cut off',
  upstream_invalid_response: 'Unusable response',
};

export const errorCodes = Object.keys(callErrors) as readonly ErrorCode[];

/** Describes what was thrown. Names of fields and models may stay, but no free text. */
export function callErrorOf(thrown: unknown): CallError {
  if (!(thrown instanceof PresetdError))
    return { code: 'internal', message: 'Internal server error. Its cause is in the server log.' };
  const { kind, code = codes[kind], issues = [], unquotedMessage } = thrown;
  const isQuoting = !issues.every(({ path }) => namesOnly.test(path));
  return { code, message: shorten(isQuoting ? 'A field of the request is not valid.' : unquotedMessage) };
}

/** For errors that say no more than their kind. */
const codes: Readonly<Record<ErrorKind, ErrorCode>> = {
  invalid_request: 'invalid_request',
  unauthenticated: 'unauthenticated',
  forbidden: 'forbidden',
  not_found: 'not_found',
  method_not_allowed: 'invalid_request',
  conflict: 'invalid_request',
  precondition_failed: 'invalid_request',
  too_large: 'too_large',
  unsupported_media_type: 'invalid_request',
  upstream_misconfigured: 'upstream_misconfigured',
  upgrade_required: 'invalid_request',
  rate_limited: 'rate_limited',
  internal: 'internal',
  bad_gateway: 'upstream_error',
  unavailable: 'unavailable',
  gateway_timeout: 'upstream_timeout',
};

/** An error of an upstream: only its status, and its code if that is a single word. */
export function upstreamError(upstream: string, status: number, code: string): CallError {
  const detail = word.test(code) ? ` (${code})` : '';
  return { code: codeOfStatus(status), message: `The upstream "${upstream}" returned ${status}${detail}.` };
}

export const canceled: CallError = {
  code: 'canceled',
  message: 'The client disconnected before the response was complete.',
};

function codeOfStatus(status: number): ErrorCode {
  if (status === 429) return 'upstream_rate_limited';
  if (status === 408) return 'upstream_timeout';
  return status < 500 ? 'upstream_rejected' : 'upstream_error';
}

/** Clients choose the names of some fields, such as variables. */
const namesOnly = /^(?:\/[\w$.:@~-]{0,64})*$/;

const word = /^[a-z][a-z0-9_]{0,63}$/;

const charactersMax = 500;

function shorten(message: string): string {
  const storable = message.replaceAll('\0', '').toWellFormed();
  return storable.length > charactersMax ? `${storable.slice(0, charactersMax).toWellFormed()}…` : storable;
}
