import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The last on each connection. */
const answers = new WeakMap<Socket, ServerResponse>();

/** To be told of every answer before it begins. */
export function noteAnswer(response: ServerResponse): void {
  if (response.socket !== null) answers.set(response.socket, response);
}

/** What is not HTTP never becomes a request; it is answered on the bare connection, in the shape of every error. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (!canBeAnswered(answers.get(socket))) {
    socket.destroySoon();
    return;
  }
  const [status, message] = unreadable[error.code ?? ''] ?? [
    '400 Bad Request',
    'The request is not valid HTTP.',
  ];
  const body = JSON.stringify({ error: { code: Number.parseInt(status, 10), message } });
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\nX-Request-Id: ${randomUUID()}`;
  socket.end(`${head}\r\n\r\n${body}`);
}

/**
 * Whether another answer would be taken for what it is: a body may turn out to be unreadable after its request was
 * refused, and a second answer would pass for that to the next request; or would stand in the middle of the first.
 */
function canBeAnswered(last: ServerResponse | undefined): boolean {
  if (last === undefined) return true;
  return last.req.complete ? last.writableFinished : !last.headersSent;
}

const unreadable: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers or the URL of the request are too long.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
