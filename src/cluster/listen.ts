import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../config/settings.ts';

/**
 * Whether several sockets can listen on one port, with the kernel distributing connections between
 * them (SO_REUSEPORT). Elsewhere Node.js distributes them in the supervisor. There, a connection on
 * its way to a worker that dies is neither answered nor closed.
 */
export const canReusePort = process.platform === 'linux';

/**
 * Listening sockets per process. libuv accepts one connection per socket and event-loop tick, and
 * ticks are long under load: with one socket, new clients and health checks would wait in the
 * kernel for many seconds, invisible to load shedding. docs/decisions/0022 has measurements.
 */
const listenSocketCount = canReusePort ? 256 : 1;

/** The kernel lowers this to its own maximum. */
const backlog = 65_535;

interface ListenAddress {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /**
   * Whether other processes listen on it too. Then the supervisor has already reserved the port.
   */
  readonly isShared: boolean;
}

/**
 * Listens for HTTP requests. Returns a function that stops accepting connections and resolves when
 * all accepted ones are closed; until then they are still served.
 */
export async function listen(
  app: FastifyInstance,
  { host, port, isShared }: ListenAddress,
): Promise<() => Promise<void>> {
  const reserved = canReusePort && !isShared ? await reservePort(host, port) : undefined;
  const reuse = canReusePort && { reusePort: true };
  const extraListeners: Server[] = [];
  const close = async () => {
    reserved?.release();
    // net.Server's close, not http.Server's: the latter drops idle connections at once, even if a
    // request is already on its way.
    const listeners = [app.server, ...extraListeners].filter((socket) => socket.listening);
    await Promise.all(
      listeners.map((socket) => new Promise((resolve) => Server.prototype.close.call(socket, resolve))),
    );
  };
  try {
    await app.listen({ host, port: reserved?.port ?? port, backlog, ...reuse });
    const bound = app.server.address() as AddressInfo;
    while (extraListeners.length < listenSocketCount - 1)
      extraListeners.push(createExtraListener(app.server));
    await Promise.all(
      extraListeners.map((socket) => {
        socket.listen({ host: bound.address, port: bound.port, backlog, ...reuse });
        return once(socket, 'listening');
      }),
    );
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/**
 * A socket that hands its connections to the HTTP server. The options are those of
 * `http.createServer`.
 */
function createExtraListener(server: HttpServer): Server {
  return createServer({ allowHalfOpen: true, noDelay: true }, (connection) => {
    server.emit('connection', connection);
  });
}

interface ReservedPort {
  readonly port: number;
  release(): void;
}

/**
 * Reserves a port for this server until `release`, and rejects with EADDRINUSE if it is taken.
 *
 * SO_REUSEPORT would let a second presetd that was started by mistake share the port silently. So
 * the port is first bound exclusively, to see that it is free, and then guarded by a lock that only
 * presetd knows. Port 0 picks a free port, which all sockets and workers then use.
 */
export async function reservePort(host: string, port: number): Promise<ReservedPort> {
  if (port === 0) return reservePort(host, await probePort(host, 0));
  const lock = await lockPort(host, port);
  try {
    await probePort(host, port);
  } catch (error) {
    lock?.close();
    throw error;
  }
  return { port, release: () => lock?.close() };
}

/**
 * Takes a lock on the port by listening on an abstract Unix socket. Between the probe and `listen`,
 * and while all workers restart, nothing is bound to the port, so a second server could pass the
 * probe too. An abstract socket has one owner per network namespace, no file, and vanishes with its
 * process. Returns undefined on systems without abstract sockets.
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
    // The lock is a safeguard: where it is not available, the server starts without it.
    if (code !== 'EADDRINUSE') return undefined;
    const message = `listen ${code}: address already in use ${host}:${port}`;
    throw Object.assign(new Error(message), { code, syscall: 'listen' });
  }
}

/** Binds the port exclusively for a moment and returns its number. Rejects if it is taken. */
async function probePort(host: string, port: number): Promise<number> {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return bound;
}

/** Adds the name of the setting to an error from binding the metrics port. */
export async function withMetricsPortHint<T>(bind: () => Promise<T>): Promise<T> {
  try {
    return await bind();
  } catch (error) {
    const cause = error instanceof Error ? error.message : error;
    throw new ConfigError(`PRESETD_METRICS_PORT cannot be used: ${cause}. Set it to a free port.`);
  }
}
