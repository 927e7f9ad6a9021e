/** Errors and stream endings of messages. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { ErrorFormat } from '../model/dialect.ts';
import type { ErrorDetails, UpstreamError } from '../model/error-details.ts';
import { findLastEvent, writeEvent } from '../model/server-sent-events.ts';
import { isPromptTooLong, overloaded, unavailable } from '../model/upstream-error.ts';

/** Anthropic's error format. It has no field for issues, so several are listed in the message. */
function writeError({ status, message, requestId, issues = [], metadata }: ErrorDetails): JsonObject {
  const list = issues.length > 1 ? issues.map((issue) => `\n- ${issue.path} ${issue.message}`) : [];
  const isAboutThread = issues.some(({ path }) => path === '/thread');
  const error = {
    type: errorTypeOf(status),
    message: message + list.join(''),
    ...(metadata !== undefined && { details: metadata }),
    ...(isAboutThread && { details: threadUnsupported }),
  };
  return { type: 'error', error, request_id: requestId };
}

/** Lets Anthropic's tool runners, which create threads, send the whole conversation instead. */
const threadUnsupported = { error_code: 'thread_unsupported_request' };

function isErrorBody(value: unknown): boolean {
  if (!isJsonObject(value) || value.type !== 'error' || !isJsonObject(value.error)) return false;
  return typeof value.error.type === 'string' && typeof value.error.message === 'string';
}

/** Claude Code looks for the words before it compacts the conversation. */
function adaptError(error: UpstreamError): UpstreamError {
  const { message } = error;
  const status = error.status === unavailable ? overloaded : error.status;
  const isRecognized = !isPromptTooLong(error) || message.toLowerCase().includes(tooLongWords);
  return { ...error, status, message: isRecognized ? message : `${tooLongWords}: ${message}` };
}

const tooLongWords = 'prompt is too long';

export const errors: ErrorFormat = {
  schemaName: 'MessagesError',
  write: writeError,
  isBody: isErrorBody,
  adapt: adaptError,
};

/** The last event of a broken stream. It does not depend on earlier events. */
export function errorEvent(error: ErrorDetails): string {
  return writeEvent(writeError(error));
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
