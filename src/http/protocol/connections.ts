import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Facts about connections that Node.js does not expose: which are open, which responses are pending
 * on each, and which are ending.
 *
 * `createHttpServer` tracks each connection and response. Timeouts ask whether a connection has work
 * pending, `ConnectionMemory` asks for the body that is still arriving, and `handleClientError` asks
 * which responses must be sent before its own. The state is module-level and keyed weakly, so it
 * goes away with the connection and needs no cleanup. It holds at most two responses per connection.
 */

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

const latestResponses = new WeakMap<Socket, ServerResponse>();

/** The response before the latest one, if it was still unsent: clients may pipeline requests. */
const previousResponses = new WeakMap<ServerResponse, ServerResponse>();

/** Must be called once for every response, before anything is written to it. */
export function trackResponse(response: ServerResponse): void {
  // Not `response.socket`: a pipelined response has none until the one before it is sent.
  const { socket } = response.req;
  const last = latestResponses.get(socket);
  if (last?.writableFinished === false) previousResponses.set(response, last);
  // Otherwise every response would keep its predecessor alive for as long as the connection.
  if (last !== undefined) previousResponses.delete(last);
  latestResponses.set(socket, response);
}

/** The response to the latest request of this connection; undefined before the first request. */
export function latestResponse(socket: Socket): ServerResponse | undefined {
  return latestResponses.get(socket);
}

/** The unsent response before this one on its connection; undefined if there is none. */
export function previousResponse(response: ServerResponse): ServerResponse | undefined {
  return previousResponses.get(response);
}

/** Connections that are no longer HTTP and end by themselves. */
const upgraded = new WeakSet<Socket>();

/** Exempts a connection from all that closes idle ones. */
export function keepOpen(socket: Socket): void {
  upgraded.add(socket);
}

/**
 * Whether the client still waits for a response. A request whose headers have not fully arrived
 * does not count.
 */
export function hasPendingResponse(socket: Socket): boolean {
  return upgraded.has(socket) || latestResponses.get(socket)?.writableFinished === false;
}

/**
 * The latest request of this connection if the server is still reading its body; undefined if the
 * body is complete or the response no longer depends on it.
 */
export function incomingRequest(socket: Socket): IncomingMessage | undefined {
  const last = latestResponses.get(socket);
  return last === undefined || last.req.complete || last.writableEnded ? undefined : last.req;
}

/** Connections on which further requests are dropped. */
const ending = new WeakSet<Socket>();

/** Makes the response the last on its connection. Requests that follow it are dropped. */
export function endConnection(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  ending.add(response.req.socket);
}

/** Drops requests that arrive from now on. Returns false if they were being dropped already. */
export function stopAcceptingRequests(socket: Socket): boolean {
  if (ending.has(socket)) return false;
  ending.add(socket);
  return true;
}

/** Whether requests that arrive on this connection are dropped. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/**
 * Ends connections so that the client gets the last response and cannot keep the socket open.
 *
 * Node.js gets both wrong. It opens server sockets with `allowHalfOpen`, so after the server has
 * closed its side, a client that never closes its own keeps the file descriptor forever. And after
 * the last response of a connection it destroys the socket at once; if the client is still sending,
 * the kernel resets the connection and the client may lose that response.
 *
 * So every connection that the server ends lingers: incoming bytes are dropped until the client
 * closes its side, for at most `lingerMs`, and then the socket is destroyed.
 */
export function lingerOnClose(server: Server, lingerMs = 1_000): void {
  server.on('connection', (socket: Socket) => {
    const linger = () => {
      const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
      socket.once('close', () => clearTimeout(timer));
    };
    socket.once('finish', linger);
    // Node.js calls this after the last response.
    socket.destroySoon = () => {
      ending.add(socket);
      // Not on 'finish': a client that reads nothing could delay that event forever.
      linger();
      if (socket.writable) socket.end();
    };
  });
}
