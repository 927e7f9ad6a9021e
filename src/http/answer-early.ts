import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PresetdError } from '../core/errors.ts';
import { commonHeaders, requestIdOf } from './common-headers.ts';
import { answerTo, type ErrorContext, errorDialectAt } from './error-response.ts';

export interface EarlyAnswer {
  readonly requestId: string;
  readonly status: number;
}

/** Answers with an error without the framework, in the shape that the route has for errors. */
export function answerEarly(
  { url, headers }: IncomingMessage,
  response: ServerResponse,
  error: PresetdError,
  log: ErrorContext['log'],
): EarlyAnswer {
  const requestId = requestIdOf(headers);
  const answer = answerTo(error, { requestId, userId: undefined, dialect: errorDialectAt(url), log });
  response.writeHead(answer.status, {
    ...answer.headers,
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(answer.body),
  });
  response.end(answer.body);
  return { requestId, status: answer.status };
}
