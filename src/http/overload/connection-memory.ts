import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { incomingRequest, openConnections } from '../protocol/connections.ts';

declare module 'fastify' {
  interface FastifyInstance {
    connectionMemory: ConnectionMemory;
  }
}

/**
 * Scan interval. Short enough to act before memory runs out, long enough to cost next to nothing.
 */
const scanEveryMs = 200;

/** While connections are being closed, log at most this often. */
const logEveryMs = 10_000;

/** The limit always has room for this many bodies of maximum size, even if the heap is small. */
const bodiesMin = 4;

/**
 * Bounds the memory that clients can make the server hold.
 *
 * Two things cost memory that clients control: request bodies or messages still arriving or
 * waiting, and responses the client is not reading. Each is limited by itself, but thousands of
 * connections together are not.
 * `buildApp` creates one instance; a timer measures all open connections until the server closes.
 *
 * When the total passes half of the limit, connections are closed until it is below half again,
 * largest first. Those that already held memory at the last scan go before all others: a client
 * that reads what it asked for is rarely seen twice. When clients fill memory faster than that,
 * `isOverLimit` becomes true, and new requests and streams get 503 until the next scan.
 */
export class ConnectionMemory {
  readonly #bytesMax: number;
  #measuredBytes = 0;
  #addedSinceScan = 0;
  #holdersAtLastScan: ReadonlySet<Socket> = new Set();
  #closedSinceLog = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** `socket.bytesRead` when the request began; what came since then is its body. */
  readonly #bytesReadBefore = new WeakMap<IncomingMessage, number>();
  readonly #heldByUpgraded = new WeakMap<Socket, () => number>();

  constructor(bodyBytesMax: number) {
    this.#bytesMax = Math.max(bodiesMin * bodyBytesMax, getHeapStatistics().heap_size_limit / 4);
  }

  /** Must be called once for every request. GET is exempt: its body is never buffered. */
  trackRequest(request: IncomingMessage): void {
    if (request.method !== 'GET') this.#bytesReadBefore.set(request, request.socket.bytesRead);
  }

  /** For a connection that is no longer HTTP: `heldBytes` is what it has sent and is not served. */
  trackUpgraded(connection: Socket, heldBytes: () => number): void {
    this.#heldByUpgraded.set(connection, heldBytes);
  }

  /** Counts bytes that were just produced for a client and that the next scan will measure. */
  addPending(bytes: number): void {
    this.#addedSinceScan += bytes;
  }

  get isOverLimit(): boolean {
    return this.#measuredBytes + this.#addedSinceScan > this.#bytesMax;
  }

  /** Scans the connections of this app until it closes. */
  watch(app: FastifyInstance, log: FastifyBaseLogger): void {
    const sockets = openConnections(app.server);
    const timer = setInterval(() => this.#scan(sockets, log), scanEveryMs).unref();
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  #scan(sockets: ReadonlySet<Socket>, log: FastifyBaseLogger): void {
    this.#addedSinceScan = 0;
    this.#measuredBytes = 0;
    const holders = new Map<Socket, number>();
    for (const socket of sockets) {
      const bytes = socket.writableLength + this.#receivedBytes(socket);
      if (bytes > 0) holders.set(socket, bytes);
      this.#measuredBytes += bytes;
    }
    const heldBefore = this.#holdersAtLastScan;
    this.#holdersAtLastScan = new Set(holders.keys());
    const target = this.#bytesMax / 2;
    if (this.#measuredBytes <= target) return;
    // New holders get a negative rank, so they come after all that were seen before.
    const rank = ([socket, bytes]: [Socket, number]) =>
      heldBefore.has(socket) ? bytes : bytes - this.#bytesMax;
    for (const [socket, bytes] of [...holders].toSorted((one, other) => rank(other) - rank(one))) {
      if (this.#measuredBytes <= target) break;
      socket.destroy();
      this.#measuredBytes -= bytes;
      this.#closedSinceLog += 1;
    }
    this.#logClosed(log);
  }

  #logClosed(log: FastifyBaseLogger): void {
    const now = performance.now();
    if (now - this.#loggedAt < logEveryMs) return;
    this.#loggedAt = now;
    log.warn(
      { closed: this.#closedSinceLog },
      'closed connections to free memory: unfinished request bodies and unread responses exceed the limit',
    );
    this.#closedSinceLog = 0;
  }

  #receivedBytes(socket: Socket): number {
    const heldBytes = this.#heldByUpgraded.get(socket);
    if (heldBytes !== undefined) return heldBytes();
    const request = incomingRequest(socket);
    const before = request && this.#bytesReadBefore.get(request);
    return before === undefined ? 0 : socket.bytesRead - before;
  }
}
