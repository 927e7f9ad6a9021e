import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { hasPendingResponse, latestResponse } from '../overload/response-tracker.ts';

/*
 * Closes connections whose clients send or read too slowly, or nothing at all, so that nobody can
 * use up the server's sockets by holding them open.
 *
 * A connection can stall in four ways, and each has its own rule:
 * - a request arrives slowly: Node's own timeouts, set by `requestTimeouts`;
 * - the client does not read its response: `closeStalledReaders`;
 * - no request arrives, or the rest of a body whose response is already sent:
 *   `closeIdleConnections`;
 * - the server shuts down: `dropIdleOnShutdown`.
 *
 * A client that waits for a response is never closed here, however long the response takes.
 */

/** Node's timeouts for receiving a request, as server options. */
export function requestTimeouts(clientTimeoutMs: number): {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  readonly connectionsCheckingInterval: number;
} {
  return {
    headersTimeout: clientTimeoutMs,
    // Bodies can be large, so they get as long again.
    requestTimeout: 2 * clientTimeoutMs,
    // Timeouts fire at most a quarter late. The floor bounds the cost of tiny timeouts.
    connectionsCheckingInterval: Math.max(100, clientTimeoutMs / 4),
  };
}

/**
 * Closes a connection whose client has stopped reading its response for `clientTimeoutMs`.
 *
 * Node.js emits one 'timeout' event for three states: a client that does not read, a client that
 * waits for a response, and an idle keep-alive connection. Only the last has a timeout other than
 * ours, which tells it apart.
 */
export function closeStalledReaders(server: Server, clientTimeoutMs: number): void {
  // Odd, so that it never equals the keep-alive timeout, which is even.
  const stalledMs = clientTimeoutMs | 1;
  server.setTimeout(stalledMs, (socket) => {
    const isKeepAlive = socket.timeout !== stalledMs;
    if (isKeepAlive || socket.writableLength > 0) socket.destroy();
    else socket.setTimeout(stalledMs);
  });
}

/** A client that uploads at full speed sends at least this much between two scans. */
const uploadBytesMin = 65_536;

/** A connection without a pending response, as the last scan saw it. */
interface Idle {
  /** The response after which it became idle; undefined before the first request. */
  readonly after: ServerResponse | undefined;
  readonly since: number;
  readonly bytesRead: number;
}

/**
 * Closes connections that Node.js would keep open for long or forever:
 * - no request has begun for `idleMsMax`. Empty lines count as activity to Node.js, but not here;
 * - the response, such as a 401, is sent, and the client trickles or stops sending the body.
 *
 * A client that uploads at full speed may finish, because many clients read nothing before that.
 * The scan runs every `scanMs` from now until the server closes.
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
      if (hasPendingResponse(socket)) idle.delete(socket);
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

/** How often a closing server drops idle connections; bounds how long they delay the shutdown. */
const dropEveryMs = 1_000;

/**
 * On shutdown, drops every connection without a pending response. Node.js would wait for clients
 * that have sent only part of a request, and for those that never close their side.
 */
export function dropIdleOnShutdown(app: FastifyInstance, sockets: ReadonlySet<Socket>): void {
  app.addHook('preClose', (done) => {
    const timer = setInterval(() => {
      for (const socket of sockets) if (!hasPendingResponse(socket)) socket.destroy();
      if (sockets.size === 0) clearInterval(timer);
    }, dropEveryMs).unref();
    done();
  });
}

const connectionsOf = new WeakMap<Server, Set<Socket>>();

/**
 * The open connections of a server, as a live set. Connections that were opened before the first
 * call are missing from it, so call it before listening; later calls return the same set.
 */
export function openConnections(server: Server): ReadonlySet<Socket> {
  const existing = connectionsOf.get(server);
  if (existing !== undefined) return existing;
  const sockets = new Set<Socket>();
  connectionsOf.set(server, sockets);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}
