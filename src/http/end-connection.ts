import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends connections so that no client can keep their descriptors.
 *
 * Node.js opens server sockets with `allowHalfOpen`: after the server has closed its side, a client that does not close its
 * own keeps the descriptor forever. After the last response of a connection, on the other hand, Node.js destroys it at
 * once; if the client is still sending, the kernel then resets the connection and the client may lose the response. So
 * every connection that the server ends lingers: what still arrives is dropped until the client closes its side, for at
 * most a second, and then the socket is destroyed.
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
      // Not at 'finish': a client that reads nothing could put that off.
      linger();
      if (socket.writable) socket.end();
    };
  });
}

/** Connections that take no further requests. */
const ending = new WeakSet<Socket>();

/** Makes the response the last on its connection. Requests that follow it are dropped. */
export function endConnection(response: ServerResponse): void {
  response.shouldKeepAlive = false;
  ending.add(response.req.socket);
}

/** Whether requests that arrive on this connection are dropped. */
export function isEnding(socket: Socket): boolean {
  return ending.has(socket);
}

/** Drops requests that arrive from now on. Returns false if they already were. */
export function stopAcceptingRequests(socket: Socket): boolean {
  if (ending.has(socket)) return false;
  ending.add(socket);
  return true;
}
