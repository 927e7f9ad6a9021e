/**
 * Error responses and stream endings of messages. `dialects.ts` spreads this module into the table
 * of dialects, so every export has to be one of its properties.
 */

import type { ErrorDetails } from '../error-details.ts';
import { isJsonObject } from '../json-object.ts';
import { findLastEvent } from '../server-sent-events.ts';

/** Anthropic's error format. It has no field for issues, so several are listed in the message. */
export function errorBody({ status, message, requestId, issues = [] }: ErrorDetails): object {
  const list =
    issues.length > 1
      ? issues.map(
          (issue) => `
- ${issue.path} ${issue.message}`,
        )
      : [];
  const isAboutThread = issues.some(({ path }) => path === '/thread');
  const error = {
    type: errorTypeOf(status),
    message: message + list.join(''),
    ...(isAboutThread && { details: threadUnsupported }),
  };
  return { type: 'error', error, request_id: requestId };
}

/** Lets Anthropic's tool runners, which create threads, send the whole conversation instead. */
const threadUnsupported = { error_code: 'thread_unsupported_request' };

export function isErrorBody(value: unknown): boolean {
  if (!isJsonObject(value) || value.type !== 'error' || !isJsonObject(value.error)) return false;
  return typeof value.error.type === 'string' && typeof value.error.message === 'string';
}

/** The last event of a broken stream. It does not depend on earlier events. */
export function errorEvent(error: ErrorDetails, _tail: string): string {
  return `event: error\ndata: ${JSON.stringify(errorBody(error))}\n\n`;
}

/** Whether a stream that ends with `tail` is complete or ended with the upstream's own error. */
export function hasFinished(tail: string): boolean {
  return findLastEvent(tail, ({ type }) => type === 'message_stop' || type === 'error' || undefined) === true;
}

/** Only a provider's 529 is an `overloaded_error`; presetd's 503 means that something is down. */
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
