import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import {
  hasPendingResponse,
  latestResponse,
  lingerOnClose,
  openConnections,
  serveInTurn,
} from './connections.ts';

// Importing the module would also load its WebSocket client, which takes 60 ms of every start.
const { createServer } = process.getBuiltinModule('node:http');

/**
 * Longer than the idle timeout of common load balancers (60 s), so that the balancer closes an idle
 * connection first. If the server did, a request sent at the same moment would be lost.
 */
const keepAliveTimeout = 72_000;

/**
 * Creates the HTTP server that both the API and the metrics port use. The caller must handle
 * 'clientError' with `handleClientError`.
 *
 * The requests of a connection are served one after the other (`serveInTurn`).
 *
 * Clients cannot use up the server's sockets by holding connections open. A connection can stall in
 * four ways, and each has its own rule:
 * - a request arrives slowly: Node's own timeouts, set by `requestTimeouts`;
 * - the client does not read its response: `closeStalledReaders`;
 * - no request arrives, or the rest of a body whose response is already sent:
 *   `closeIdleConnections`;
 * - the server shuts down: `dropIdleOnShutdown`, which the app calls.
 *
 * A client that waits for a response is never closed here, however long the response takes. A
 * connection that the server ends is gone a second later (`lingerOnClose`).
 */
export function createHttpServer({ clientTimeoutMs, serve, onWaiting, upgrades }: HttpServerOptions): Server {
  const accept = (request: IncomingMessage, response: ServerResponse) => {
    const isWaiting = serveInTurn(response, () => {
      // Node.js stops parsing after an Upgrade header, even if the response is an ordinary one.
      if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
      serve(request, response);
    });
    if (isWaiting) onWaiting?.(request.socket);
  };
  // `requireHostHeader: false`: Node.js would respond by itself, without the common headers.
  // `findAmbiguity` checks the header instead.
  const options = {
    keepAliveTimeout,
    ...requestTimeouts(clientTimeoutMs),
    requireHostHeader: false,
    // All other requests to upgrade are served as if they had not asked for it, also those behind a
    // response that would be written into the new protocol.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      upgrades?.matches(request) === true && !hasPendingResponse(request.socket),
  };
  const server = createServer(options, accept);
  if (upgrades !== undefined)
    server.on('upgrade', (request, socket, head) => void upgrades.accept(request, socket, head));
  // No limit on the number of headers: Node.js drops those past the limit from `headers` but still
  // acts on them, so a check could miss a Transfer-Encoding. Their total size is limited anyway.
  server.maxHeadersCount = 0;
  // Node.js would respond 417 by itself to any Expect header other than 100-continue.
  server.on('checkExpectation', accept);
  closeStalledReaders(server, clientTimeoutMs);
  closeIdleConnections(server, keepAliveTimeout + 2 * clientTimeoutMs);
  lingerOnClose(server);
  return server;
}

export interface HttpServerOptions {
  /** How long a client may take to send headers, or pause reading a response. */
  readonly clientTimeoutMs: number;
  readonly serve: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called for each request that waits because its connection has an earlier one. */
  readonly onWaiting?: (socket: Socket) => void;
  readonly upgrades?: UpgradeHandler;
}

/** Takes over connections that change to another protocol. */
export interface UpgradeHandler {
  matches(request: IncomingMessage): boolean;
  /** Never rejects. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
}

/** Node's timeouts for receiving a request, as server options. */
function requestTimeouts(clientTimeoutMs: number) {
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
function closeStalledReaders(server: Server, clientTimeoutMs: number): void {
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
export function closeIdleConnections(server: Server, idleMsMax: number, scanMs = 1_000): void {
  const sockets = openConnections(server);
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
export function dropIdleOnShutdown(app: FastifyInstance): void {
  const sockets = openConnections(app.server);
  app.addHook('preClose', (done) => {
    const timer = setInterval(() => {
      for (const socket of sockets) if (!hasPendingResponse(socket)) socket.destroy();
      if (sockets.size === 0) clearInterval(timer);
    }, dropEveryMs).unref();
    done();
  });
}
