import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from './settings.ts';

/**
 * Whether the kernel deals the connections of a port to several sockets. Where it does not, Node.js deals them in the supervisor; that way a
 * connection which was on its way to a worker that dies is never answered nor closed.
 */
export const canReusePort = process.platform === 'linux';

/**
 * Node.js takes one connection from a socket in each turn of its loop. A busy process has long turns, and whoever comes anew, a health check among
 * them, would wait behind all others who do; nor would it be seen how many wait. So there are this many sockets.
 */
const socketsAtPort = canReusePort ? 256 : 1;

/** As many may wait to be taken as the kernel allows. */
const backlog = 65_535;

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Whether other processes are to listen there, too. */
  readonly isShared: boolean;
}

/** Gives what takes no more connections, and resolves when those are gone that were taken. Until then they are served. */
export async function listen(
  app: FastifyInstance,
  { host, port, isShared }: ListenAddress,
): Promise<() => Promise<void>> {
  const held = canReusePort && !isShared ? await reservePort(host, port) : undefined;
  const sharing = canReusePort && { reusePort: true };
  const sockets: Server[] = [];
  const close = async () => {
    held?.release();
    // As a plain server: one for HTTP would drop those connections on which nothing is under way, be a request on its way on them.
    const all = [app.server, ...sockets].filter((socket) => socket.listening);
    await Promise.all(
      all.map((socket) => new Promise((resolve) => Server.prototype.close.call(socket, resolve))),
    );
  };
  try {
    await app.listen({ host, port: held?.port ?? port, backlog, ...sharing });
    const taken = app.server.address() as AddressInfo;
    while (sockets.length < socketsAtPort - 1) sockets.push(createExtraListener(app.server));
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
function createExtraListener(server: HttpServer): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    server.emit('connection', connection);
  });
}

export interface ReservedPort {
  readonly port: number;
  release(): void;
}

/**
 * A port that is to be shared is shared with whoever asks for it in the same way, be it another server that was started by mistake: so it is asked for
 * alone, first, and held until it is released. And where any port is good, all need the same.
 */
export async function reservePort(host: string, port: number): Promise<ReservedPort> {
  if (port === 0) return reservePort(host, await freePort(host, 0));
  const lock = await lockPort(host, port);
  try {
    await freePort(host, port);
  } catch (error) {
    lock?.close();
    throw error;
  }
  return { port, release: () => lock?.close() };
}

/**
 * A port that was found free is so again until somebody listens, and also while workers are started again: a second server could find it, too. This name
 * has one holder in a network of Linux, belongs to no file, and is free as soon as its holder is gone.
 */
async function lockPort(host: string, port: number): Promise<Server | undefined> {
  if (!canReusePort) return undefined;
  const lock = createServer((connection) => connection.destroy()).unref();
  try {
    lock.listen({ path: `\0presetd-${host}-${port}` });
    await once(lock, 'listening');
    return lock;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where there is no such name to be had, a server can start all the same.
    if (code !== 'EADDRINUSE') return undefined;
    const message = `listen ${code}: address already in use ${host}:${port}`;
    throw Object.assign(new Error(message), { code, syscall: 'listen' });
  }
}

async function freePort(host: string, port: number): Promise<number> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return taken;
}

/** The port of the metrics has a setting of its own, which has to be named where it cannot be had. */
export async function withMetricsPortHint<T>(take: () => Promise<T>): Promise<T> {
  try {
    return await take();
  } catch (error) {
    const cause = error instanceof Error ? error.message : error;
    throw new ConfigError(`Set PRESETD_METRICS_PORT to a port of HOST that is free: ${cause}`);
  }
}
