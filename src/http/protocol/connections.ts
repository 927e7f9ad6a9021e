import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/*
 * Serves the requests of each connection one after the other, and knows what Node.js does not
 * expose about connections: which are open, which have a response pending, and what their clients
 * sent that nobody has read yet.
 *
 * Node.js parses 64 KiB at a time and hands over every request in them, up to 3,600, at once. If
 * all were served, their responses would queue where no limit counts them: seven connections that
 * sent 1,000 requests each and read nothing crashed a server. In turn, a connection has one
 * response at a time, and the next request begins when the client has taken that from us.
 *
 * `createHttpServer` passes every request to `serveInTurn`. The state is module-level and keyed
 * weakly, so it goes away with the connection and needs no cleanup.
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

/**
 * How many requests may wait on a connection; one more closes it. As many as the last browser that
 * pipelined sent ahead. To stop reading instead would be kinder, but Node.js has parsed the rest of
 * the chunk by then, and a connection that is not read does not show that its client disconnects.
 */
const waitingMax = 32;

/**
 * The memory that a waiting request counts for. Measured: 1.8 KB for the objects of Node.js, and
 * half as much again for the errors that it creates to abort them.
 */
export const waitingRequestBytes = 4_096;

interface Connection {
  /** The response to the last request that arrived. */
  latest: ServerResponse;
  /** `socket.bytesRead` when the current request arrived; what came since then is its body. */
  bytesReadBefore: number;
  isServing: boolean;
  readonly waiting: Turn[];
}

interface Turn {
  readonly begin: () => void;
  /** `socket.bytesRead` when the request arrived. */
  readonly bytesReadBefore: number;
}

const connections = new WeakMap<Socket, Connection>();

/**
 * Calls `serve` once the responses to all earlier requests of the connection are sent, and never if
 * the connection ends before. Must be called once for every request, when it arrives. Returns
 * whether the request waits.
 */
export function serveInTurn(response: ServerResponse, serve: () => void): boolean {
  // Not `response.socket`: a pipelined response has none until the one before it is sent.
  const { socket } = response.req;
  // The client has closed its side, which ends the connection.
  if (!socket.writable) return false;
  const connection = connections.get(socket) ?? newConnection(socket, response);
  connection.latest = response;
  const begin = () => {
    response.once('close', () => endTurn(socket, connection));
    serve();
  };
  const { bytesRead: bytesReadBefore } = socket;
  if (!connection.isServing) {
    beginTurn(connection, { begin, bytesReadBefore });
    return false;
  }
  connection.waiting.push({ begin, bytesReadBefore });
  if (connection.waiting.length > waitingMax) dropConnection(socket);
  return true;
}

/** Closes a connection at once, also in the middle of what Node.js parses. */
export function dropConnection(socket: Socket): void {
  socket.destroy();
  discardInput(socket);
}

function newConnection(socket: Socket, latest: ServerResponse): Connection {
  const connection: Connection = { latest, bytesReadBefore: 0, isServing: false, waiting: [] };
  connections.set(socket, connection);
  return connection;
}

function beginTurn(connection: Connection, { begin, bytesReadBefore }: Turn): void {
  connection.isServing = true;
  connection.bytesReadBefore = bytesReadBefore;
  begin();
}

function endTurn(socket: Socket, connection: Connection): void {
  if (connection.waiting.length === 0) connection.isServing = false;
  // Later, when everyone else knows that this response is over, and other connections had a turn.
  else setImmediate(beginNext, socket, connection);
}

function beginNext(socket: Socket, connection: Connection): void {
  const next = socket.writable ? connection.waiting.shift() : undefined;
  if (next === undefined) connection.waiting.length = 0;
  else beginTurn(connection, next);
}

/**
 * Ends a connection whose client sent something that is not a request. Nothing more is read from
 * it, and `end` is called once the responses to all earlier requests are sent. If the latest
 * request is not complete, it is the broken one, which is not served any more.
 */
export function endInTurn(socket: Socket, end: () => void): void {
  discardInput(socket);
  const connection = connections.get(socket);
  const isInBody = connection?.latest.req.complete === false;
  const mustWait = isInBody ? connection.waiting.pop() !== undefined : connection?.isServing === true;
  if (mustWait) connection?.waiting.push({ begin: end, bytesReadBefore: socket.bytesRead });
  else end();
}

/** The response to the latest request of this connection; undefined before the first request. */
export function latestResponse(socket: Socket): ServerResponse | undefined {
  return connections.get(socket)?.latest;
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
  return upgraded.has(socket) || latestResponse(socket)?.writableFinished === false;
}

/**
 * The memory that a client holds with what it has sent: the requests that wait, or else the body
 * that is still arriving. A body counts until its response no longer depends on it; one of GET
 * never does, because it is not buffered.
 */
export function unservedBytes(socket: Socket): number {
  const connection = connections.get(socket);
  if (connection === undefined) return 0;
  const { latest, bytesReadBefore, waiting } = connection;
  const [first] = waiting;
  if (first !== undefined)
    return socket.bytesRead - first.bytesReadBefore + waiting.length * waitingRequestBytes;
  const isArriving = !latest.req.complete && !latest.writableEnded && latest.req.method !== 'GET';
  return isArriving ? socket.bytesRead - bytesReadBefore : 0;
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
      discardInput(socket);
      // Not on 'finish': a client that reads nothing could delay that event forever.
      linger();
      if (socket.writable) socket.end();
    };
  });
}

/**
 * Drops the rest of what the client sends without parsing it. Node.js would keep each request in
 * memory until the connection is closed: four connections that sent on after their last response
 * ended a server with a heap of 128 MiB, and 1,000 closed for 64 KB of requests took 4 GB.
 */
function discardInput(socket: Socket): void {
  socket.removeAllListeners('data');
  // Node.js leaves the bytes to this listener and no longer reads them itself.
  socket.on('data', () => {});
  // Node.js stops reading if a client that takes no response sends another request. It has not told
  // the stream, which waits for bytes until it gets some.
  socket.push('');
  socket.resume();
  // No public API stops the parsing of the current chunk.
  const { parser } = socket as Socket & { parser?: RequestParser | null };
  if (parser) parser.onIncoming = stopParsing;
}

/** The part of Node's parser that is used here. */
interface RequestParser {
  onIncoming: (request: { upgrade: boolean }) => number;
}

function stopParsing(request: { upgrade: boolean }): number {
  // Node.js would go on to perform the upgrade.
  request.upgrade = false;
  // To the parser, this means that no more HTTP follows.
  return 2;
}
