import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isAnswered } from './unreadable-request.ts';

/** So that nobody holds connections open by sending a byte now and then. A body may take twice as long as the headers. */
export function arrivalTimeouts(clientTimeoutMs: number): {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
} {
  return {
    headersTimeout: clientTimeoutMs,
    requestTimeout: 2 * clientTimeoutMs,
    connectionsCheckingInterval: Math.max(100, clientTimeoutMs / 4),
  };
}

/**
 * Closes a connection whose client takes nothing of what is there for it. One that waits for an answer may wait. Node.js tells of both, and of
 * connections that were kept for a next request, by the same event; it marks the last by another timeout.
 */
export function closeUnread(server: Server, clientTimeoutMs: number): void {
  // Odd, which no time to keep a connection is.
  const unreadMs = clientTimeoutMs | 1;
  server.setTimeout(unreadMs, (socket) => {
    const isKept = socket.timeout !== unreadMs;
    if (isKept || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(unreadMs);
  });
}

/** A server that closes looks this often for clients that hold it up. */
const leaveEveryMs = 1_000;

/**
 * Whoever has asked is answered before the server closes; whoever has only begun to ask, or keeps a connection that the server has ended, is left.
 * Node.js would wait for both.
 */
export function leaveUnasked(app: FastifyInstance, sockets: ReadonlySet<Socket>): void {
  app.addHook('preClose', (done) => {
    const timer = setInterval(() => {
      for (const socket of sockets) if (isAnswered(socket)) socket.destroy();
      if (sockets.size === 0) clearInterval(timer);
    }, leaveEveryMs).unref();
    done();
  });
}

/** The connections that there are. */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
