import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { dialectOf } from '../../dialects/dialects.ts';
import { standardErrorBody } from '../../dialects/model/error-details.ts';
import { endInTurn, latestResponse } from '../protocol/connections.ts';
import { commonHeaders, requestIdOf } from '../protocol/headers.ts';
import { errorDialectForUrl } from './error-response.ts';

/**
 * Handles Node's 'clientError': bytes that are not HTTP, oversized headers and requests that time
 * out. They never become a request, so the response is written to the bare socket, in the usual
 * error format, and the connection ends.
 *
 * Responses to earlier pipelined requests go out first. If the bad bytes belong to the body of a
 * request that already has its response, nothing is written: the client would take a second
 * response for that of its next request, or find it in the middle of the first.
 */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  // The last response is on its way to a client that still sends.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const last = latestResponse(socket);
  const isInBody = last?.req.complete === false;
  endInTurn(socket, () => {
    if (!isInBody) socket.write(renderClientError(error));
    else if (!last.headersSent) socket.write(renderClientError(error, last));
    socket.destroySoon();
  });
}

/** `response` is that of the request with the broken body; undefined without its headers. */
function renderClientError({ code = '' }: Error & { code?: string }, response?: ServerResponse): string {
  const request = response?.req;
  const [status, message] = clientErrors[code] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const requestId = requestIdOf(request?.headers ?? {});
  const dialect = errorDialectForUrl(request?.url);
  const shape =
    dialect === undefined || dialect === 'scim' ? standardErrorBody : dialectOf[dialect].errors.write;
  const body = JSON.stringify(shape({ status: Number.parseInt(status, 10), message, requestId }));
  const headers = {
    // CORS headers, if the request is from a web page.
    ...response?.getHeaders(),
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    connection: 'close',
    ...(status.startsWith('408') ? {} : { 'x-should-retry': 'false' }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

/** Responses by Node's error code; every other code is a 400. Only a timeout is worth a retry. */
const clientErrors: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The request headers or the URL are too long.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
