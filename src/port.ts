import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * Whether the kernel deals the connections of a port to several sockets. Where it does not, Node.js deals them in the supervisor; that way a
 * connection which was on its way to a worker that dies is never answered nor closed.
 */
export const canSharePort = process.platform === 'linux';

/**
 * Node.js takes one connection from a socket in each turn of its loop. A busy process has long turns, and whoever comes anew, a health check among
 * them, would wait behind all others who do; nor would it be seen how many wait. So there are this many sockets.
 */
const socketsAtPort = canSharePort ? 256 : 1;

/** As many may wait to be taken as the kernel allows. */
const backlog = 65_535;

export interface Place {
  readonly host: string;
  readonly port: number;
  /** Whether other processes are to listen there, too. */
  readonly isShared: boolean;
}

/** Gives what takes no more connections, and resolves when those are gone that were taken. Until then they are served. */
export async function listen(
  app: FastifyInstance,
  { host, port, isShared }: Place,
): Promise<() => Promise<void>> {
  const isAlone = canSharePort && !isShared;
  const sharing = canSharePort && { reusePort: true };
  await app.listen({ host, port: isAlone ? await freePort(host, port) : port, backlog, ...sharing });
  const taken = app.server.address() as AddressInfo;
  const sockets = Array.from({ length: socketsAtPort - 1 }, () => anotherDoorTo(app.server));
  const close = async () => {
    // As a plain server: one for HTTP would drop those connections on which nothing is under way, be a request on its way on them.
    const all = [app.server, ...sockets].filter((socket) => socket.listening);
    await Promise.all(
      all.map((socket) => new Promise((resolve) => Server.prototype.close.call(socket, resolve))),
    );
  };
  try {
    await Promise.all(
      sockets.map((socket) => {
        socket.listen({ host: taken.address, port: taken.port, backlog, ...sharing });
        return once(socket, 'listening');
      }),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/** With the options that a server for HTTP gives its own. */
function anotherDoorTo(server: HttpServer): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    server.emit('connection', connection);
  });
}

/**
 * A port that is to be shared is shared with whoever asks for it in the same way, be it another server that was started by mistake: so it is asked for
 * alone, first. And where any port is good, all need the same.
 */
export async function freePort(host: string, port: number): Promise<number> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}
