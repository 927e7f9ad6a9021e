import type { ErrorDetails } from '../error-details.ts';
import { isJsonObject } from '../json-object.ts';
import { findLastEvent } from '../server-sent-events.ts';

/** As Anthropic's clients know it. There is no place for issues, so that the message has to tell of them. */
export function errorBody({ status, message, requestId }: ErrorDetails): object {
  return { type: 'error', error: { type: errorTypeOf(status), message }, request_id: requestId };
}

export function isErrorBody(value: unknown): boolean {
  if (!isJsonObject(value) || value.type !== 'error' || !isJsonObject(value.error)) return false;
  return typeof value.error.type === 'string' && typeof value.error.message === 'string';
}

/** The last event of a stream that broke; no earlier one has a part in it. */
export function errorEvent(failure: ErrorDetails, _tail: string): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(failure))}\n\n`;
}

/** Whether the end of a stream shows that all of it came, or that the upstream itself told of an error. */
export function hasFinished(tail: string): boolean {
  return findLastEvent(tail, ({ type }) => type === 'message_stop' || type === 'error' || undefined) === true;
}

/** An `overloaded_error` is said by the provider alone: here, 503 means that something is missing or down. */
function errorTypeOf(status: number): string {
  return errorTypes[status] ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error');
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  424: 'api_error',
  429: 'rate_limit_error',
  504: 'timeout_error',
  524: 'timeout_error',
  529: 'overloaded_error',
};
