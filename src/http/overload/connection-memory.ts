import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import {
  dropConnection,
  openConnections,
  unservedBytes,
  waitingRequestBytes,
} from '../protocol/connections.ts';

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
 * Two things cost memory that clients control: requests, bodies and messages still arriving or
 * waiting, and responses the client is not reading. Each is limited by itself, but thousands of
 * connections together are not. `createFrontStages` creates one instance; a timer measures all open
 * connections until the server closes, and what is added between two scans is counted.
 *
 * When the total passes half of the limit, connections are closed until it is below half again,
 * largest first. Those that already held memory at the last scan go before all others: a client
 * that reads what it asked for is rarely seen twice. When clients fill memory faster than that,
 * `isOverLimit` becomes true until the next scan: new requests and streams get 503, and connections
 * whose requests would have to wait are closed.
 */
export class ConnectionMemory {
  readonly #bytesMax: number;
  #measuredBytes = 0;
  #addedSinceScan = 0;
  #holdersAtLastScan: ReadonlySet<Socket> = new Set();
  #closedSinceLog = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;
  readonly #heldByUpgraded = new WeakMap<Socket, () => number>();

  constructor(bodyBytesMax: number) {
    this.#bytesMax = Math.max(bodiesMin * bodyBytesMax, getHeapStatistics().heap_size_limit / 4);
  }

  /** For a connection that is no longer HTTP: `heldBytes` is what it has sent and is not served. */
  trackUpgraded(connection: Socket, heldBytes: () => number): void {
    this.#heldByUpgraded.set(connection, heldBytes);
  }

  /** Counts a response when it ends: the client may read none of it. Call this for every one. */
  trackResponse(response: ServerResponse): void {
    response.once('prefinish', () => this.addPending(response.writableLength));
  }

  /** Counts bytes that were just produced for a client and that the next scan will measure. */
  addPending(bytes: number): void {
    this.#addedSinceScan += bytes;
  }

  /**
   * Counts a request that waits behind another one. Over the limit, its connection is closed: all
   * that arrives in one event-loop tick may be too much before the next scan.
   */
  addWaiting(socket: Socket): void {
    this.addPending(waitingRequestBytes);
    if (this.isOverLimit) this.#close(socket);
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
      const bytes = socket.writableLength + (this.#heldByUpgraded.get(socket)?.() ?? unservedBytes(socket));
      if (bytes > 0) holders.set(socket, bytes);
      this.#measuredBytes += bytes;
    }
    const target = this.#bytesMax / 2;
    if (this.#measuredBytes > target) this.#closeLargest(holders, target);
    this.#holdersAtLastScan = new Set(holders.keys());
    if (this.#closedSinceLog > 0) this.#logClosed(log);
  }

  #closeLargest(holders: ReadonlyMap<Socket, number>, target: number): void {
    // New holders get a negative rank, so they come after all that were seen before.
    const rank = ([socket, bytes]: [Socket, number]) =>
      this.#holdersAtLastScan.has(socket) ? bytes : bytes - this.#bytesMax;
    for (const [socket, bytes] of [...holders].toSorted((one, other) => rank(other) - rank(one))) {
      if (this.#measuredBytes <= target) break;
      this.#close(socket);
      this.#measuredBytes -= bytes;
    }
  }

  #close(socket: Socket): void {
    dropConnection(socket);
    this.#closedSinceLog += 1;
  }

  #logClosed(log: FastifyBaseLogger): void {
    const now = performance.now();
    if (now - this.#loggedAt < logEveryMs) return;
    this.#loggedAt = now;
    log.warn(
      { closed: this.#closedSinceLog },
      'closed connections to free memory: waiting requests, unfinished bodies and unread responses exceed the limit',
    );
    this.#closedSinceLog = 0;
  }
}
