import { findErrorMessage } from '../error-details.ts';
import { isJsonObject } from '../json-object.ts';
import type { EventOf } from './stream-events.ts';

/**
 * Parses the error that an upstream sends inside of a stream, in any dialect: an object with a
 * message and a code or type. The status decides how clients react, so unknown errors get the one
 * of a failed upstream.
 */
export function parseStreamError(error: unknown): EventOf<'error'> {
  const { code, type } = isJsonObject(error) ? error : {};
  return {
    type: 'error',
    status: statusOf(code) ?? statusOf(type) ?? 502,
    message: findErrorMessage({ error }) ?? 'The upstream reported an error without a message.',
  };
}

/** OpenRouter's codes are statuses, some as text. */
function statusOf(code: unknown): number | undefined {
  const status = Number(code);
  if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  return typeof code === 'string' ? statuses.get(code) : undefined;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['invalid_prompt', 400],
  ['context_length_exceeded', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);
