import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Remembers the latest response of every connection, which Node.js does not expose.
 *
 * `createHttpServer` tracks each response before serving it. Connection timeouts ask whether a
 * connection has work pending, `ConnectionMemory` asks for the body that is still arriving, and
 * `handleClientError` asks which responses must be sent before its own. The state is module-level
 * and keyed weakly by socket and response, so it goes away with the connection and needs no
 * cleanup. It holds at most two responses per connection.
 */
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

/**
 * Whether the client still waits for a response. A request whose headers have not fully arrived
 * does not count.
 */
export function hasPendingResponse(socket: Socket): boolean {
  return latestResponses.get(socket)?.writableFinished === false;
}

/**
 * The latest request of this connection if the server is still reading its body; undefined if the
 * body is complete or the response no longer depends on it.
 */
export function incomingRequest(socket: Socket): IncomingMessage | undefined {
  const last = latestResponses.get(socket);
  return last === undefined || last.req.complete || last.writableEnded ? undefined : last.req;
}
