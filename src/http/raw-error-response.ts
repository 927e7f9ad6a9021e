import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PresetdError } from '../core/errors.ts';
import { commonHeaders, requestIdOf } from './common-headers.ts';
import { type ErrorContext, errorDialectForUrl, renderError } from './error-response.ts';

export interface SentError {
  readonly requestId: string;
  readonly status: number;
}

/** Answers with an error without the framework, in the shape that the route has for errors. */
export function sendRawError(
  { url, headers }: IncomingMessage,
  response: ServerResponse,
  error: PresetdError,
  log: ErrorContext['log'],
): SentError {
  const requestId = requestIdOf(headers);
  const answer = renderError(error, { requestId, userId: undefined, dialect: errorDialectForUrl(url), log });
  response.writeHead(answer.status, {
    ...answer.headers,
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
  return { requestId, status: answer.status };
}
