import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { dialectOf } from '../dialects/dialects.ts';
import { standardErrorBody } from '../dialects/error-details.ts';
import { commonHeaders, requestIdOf } from './common-headers.ts';
import { stopTakingRequests } from './end-connection.ts';
import { errorDialectAt } from './error-response.ts';

/** The last on each connection. */
const answers = new WeakMap<Socket, ServerResponse>();

/** The one before, where it was not sent yet: a client may send requests without waiting for answers. */
const answersBefore = new WeakMap<ServerResponse, ServerResponse>();

/** To be told of every answer before it begins. */
export function noteAnswer(response: ServerResponse): void {
  // Its own has none while it waits behind another.
  const { socket } = response.req;
  const last = answers.get(socket);
  if (last?.writableFinished === false) answersBefore.set(response, last);
  // Or each would be kept by the one after it for as long as the connection.
  if (last !== undefined) answersBefore.delete(last);
  answers.set(socket, response);
}

/** The response to the latest request of this connection; undefined before the first. */
export function lastAnswer(socket: Socket): ServerResponse | undefined {
  return answers.get(socket);
}

/** Whether what was asked on this connection has its answer, or nothing was. What has only begun to be asked does not count. */
export function isAnswered(socket: Socket): boolean {
  return answers.get(socket)?.writableFinished ?? true;
}

/** What was asked last on this connection, where its body is on its way and waited for. */
export function arriving(socket: Socket): IncomingMessage | undefined {
  const last = answers.get(socket);
  return last === undefined || last.req.complete || last.writableEnded ? undefined : last.req;
}

/**
 * What is not HTTP never becomes a request; it is answered on the bare connection, in the shape of every error. What came before it on
 * the connection is answered before it. Where it is the body of a request that has its answer, that was the answer: another one would
 * pass for that to the next request, or would stand in the middle of the first.
 */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || (!socket.writable && !socket.writableEnded)) {
    socket.destroy();
    return;
  }
  // Of bytes that follow, each piece is told of again.
  if (!stopTakingRequests(socket)) return;
  const last = answers.get(socket);
  const isBody = last !== undefined && !last.req.complete;
  const before = isBody ? answersBefore.get(last) : last;
  const end = () => {
    if (!isBody) socket.write(answerTo(error));
    else if (!last.headersSent) socket.write(answerTo(error, last.req));
    socket.destroySoon();
  };
  if (before === undefined || before.writableFinished) end();
  else before.once('close', end);
}

/** `request` is the one whose body cannot be read; undefined where it was no request yet. */
function answerTo({ code = '' }: Error & { code?: string }, request?: IncomingMessage): string {
  const [status, message] = unreadable[code] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const requestId = requestIdOf(request?.headers ?? {});
  const dialect = errorDialectAt(request?.url);
  const shape = dialect === undefined ? standardErrorBody : dialectOf[dialect].errorBody;
  const body = JSON.stringify(shape({ status: Number.parseInt(status, 10), message, requestId }));
  const headers = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    connection: 'close',
    ...(status.startsWith('408') ? {} : { 'x-should-retry': 'false' }),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`;
}

const unreadable: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers or the URL of the request are too long.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
