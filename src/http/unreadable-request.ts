import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';

/** What is not HTTP never becomes a request; it is answered on the bare connection, in the shape of every error. */
export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
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

const unreadable: Readonly<Record<string, readonly [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'The headers or the URL of the request are too long.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
};
