import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PresetdError } from '../../core/errors.ts';
import { commonHeaders, requestIdOf } from '../protocol/common-headers.ts';
import { type ErrorContext, errorDialectForUrl, renderError } from './error-response.ts';

/** What the caller needs for the request log and the metrics. */
export interface SentError {
  readonly requestId: string;
  readonly status: number;
}

/**
 * Sends an error on the raw response, for requests that are rejected before the framework sees
 * them. The body has the format of the route that the URL belongs to.
 */
export function sendRawError(
  { url, headers }: IncomingMessage,
  response: ServerResponse,
  error: PresetdError,
  log: ErrorContext['log'],
): SentError {
  const requestId = requestIdOf(headers);
  const rendered = renderError(error, {
    requestId,
    userId: undefined,
    dialect: errorDialectForUrl(url),
    log,
  });
  response.writeHead(rendered.status, {
    ...rendered.headers,
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(rendered.body),
  });
  response.end(rendered.body);
  return { requestId, status: rendered.status };
}
