import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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

/** Connections on which further requests are dropped. */
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

/** Drops requests that arrive from now on. Returns false if they were being dropped already. */
export function stopAcceptingRequests(socket: Socket): boolean {
  if (ending.has(socket)) return false;
  ending.add(socket);
  return true;
}
