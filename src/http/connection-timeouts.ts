import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isAnswered, latestResponse } from './client-error.ts';

/** So that nobody holds connections open by sending a byte now and then. A body may take twice as long as the headers. */
export function requestTimeouts(clientTimeoutMs: number): {
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
export function closeStalledReaders(server: Server, clientTimeoutMs: number): void {
  // Odd, which no time to keep a connection is.
  const unreadMs = clientTimeoutMs | 1;
  server.setTimeout(unreadMs, (socket) => {
    const isKept = socket.timeout !== unreadMs;
    if (isKept || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(unreadMs);
  });
}

/** What a client that uploads sends between two scans at the least. */
const uploadBytesMin = 65_536;

/** A connection that waits for its next request, or for the rest of one that has its answer. */
interface Idle {
  readonly after: ServerResponse | undefined;
  readonly since: number;
  readonly bytesRead: number;
}

/**
 * Closes connections that Node.js would leave open for long or forever: those on which no request has begun for
 * `idleMsMax`, though empty lines arrive, which to Node.js are activity; and those whose client has its answer, such as a
 * 401, and sends the rest of the body slowly or not at all. A client that still uploads at full speed may finish, because
 * many read nothing before.
 */
export function closeIdleConnections(
  server: Server,
  sockets: ReadonlySet<Socket>,
  idleMsMax: number,
  scanMs = 1_000,
): void {
  const idle = new WeakMap<Socket, Idle>();
  const scan = () => {
    const now = performance.now();
    for (const socket of sockets) {
      const after = latestResponse(socket);
      const { bytesRead } = socket;
      const before = idle.get(socket);
      if (!isAnswered(socket)) idle.delete(socket);
      else if (before === undefined || before.after !== after)
        idle.set(socket, { after, since: now, bytesRead });
      else if (after?.req.complete === false && bytesRead - before.bytesRead < uploadBytesMin)
        socket.destroy();
      else if (now - before.since > idleMsMax) socket.destroy();
      else idle.set(socket, { ...before, bytesRead });
    }
  };
  const timer = setInterval(scan, scanMs).unref();
  server.once('close', () => clearInterval(timer));
}

/** A server that closes looks this often for clients that hold it up. */
const leaveEveryMs = 1_000;

/**
 * Whoever has asked is answered before the server closes; whoever has only begun to ask, or keeps a connection that the server has ended, is left.
 * Node.js would wait for both.
 */
export function dropIdleOnShutdown(app: FastifyInstance, sockets: ReadonlySet<Socket>): void {
  app.addHook('preClose', (done) => {
    const timer = setInterval(() => {
      for (const socket of sockets) if (isAnswered(socket)) socket.destroy();
      if (sockets.size === 0) clearInterval(timer);
    }, leaveEveryMs).unref();
    done();
  });
}

const connectionsOf = new WeakMap<Server, Set<Socket>>();

/** The open connections of a server, from the first call on; later calls return the same set. */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const known = connectionsOf.get(server);
  if (known !== undefined) return known;
  const sockets = new Set<Socket>();
  connectionsOf.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
