import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { incomingRequest } from './client-error.ts';

/** So seldom that looking at thousands of connections costs next to nothing. */
const lookEveryMs = 200;

/** While it goes on, it is told this often. */
const tellEveryMs = 10_000;

/** Bodies of the longest kind must have room, also where memory is scarce. */
const bodiesMin = 4;

/**
 * Bodies that are on their way and answers that nobody takes are memory that clients decide over: each within its limits, and all of them together
 * without one. Where they are half of what they may be, connections are closed, those first that hold much and did so a moment ago; where
 * they come too fast for that, requests are refused.
 */
export class ConnectionMemory {
  readonly #bytesMax: number;
  #found = 0;
  #madeSince = 0;
  #heldBefore: ReadonlySet<Socket> = new Set();
  #closedSinceTold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  /** What its connection had sent when a request began. */
  readonly #readBefore = new WeakMap<IncomingMessage, number>();

  constructor(bodyBytesMax: number) {
    this.#bytesMax = Math.max(bodiesMin * bodyBytesMax, getHeapStatistics().heap_size_limit / 4);
  }

  /** To be told of every request. A body that comes with GET is not kept. */
  trackRequest(request: IncomingMessage): void {
    if (request.method !== 'GET') this.#readBefore.set(request, request.socket.bytesRead);
  }

  /** To be told of what is made for a client who may not take it. */
  addPending(bytes: number): void {
    this.#madeSince += bytes;
  }

  get isOverLimit(): boolean {
    return this.#found + this.#madeSince > this.#bytesMax;
  }

  watch(app: FastifyInstance, sockets: ReadonlySet<Socket>, log: FastifyBaseLogger): void {
    const timer = setInterval(() => this.#look(sockets, log), lookEveryMs).unref();
    app.addHook('onClose', (_app, done) => {
      clearInterval(timer);
      done();
    });
  }

  #look(sockets: ReadonlySet<Socket>, log: FastifyBaseLogger): void {
    this.#madeSince = 0;
    this.#found = 0;
    const held = new Map<Socket, number>();
    for (const socket of sockets) {
      const bytes = socket.writableLength + this.#arrived(socket);
      if (bytes > 0) held.set(socket, bytes);
      this.#found += bytes;
    }
    const heldBefore = this.#heldBefore;
    this.#heldBefore = new Set(held.keys());
    const aim = this.#bytesMax / 2;
    if (this.#found <= aim) return;
    // A client that takes what it asked for is seldom met twice.
    const rank = ([socket, bytes]: [Socket, number]) =>
      heldBefore.has(socket) ? bytes : bytes - this.#bytesMax;
    for (const [socket, bytes] of [...held].toSorted((one, other) => rank(other) - rank(one))) {
      if (this.#found <= aim) break;
      socket.destroy();
      this.#found -= bytes;
      this.#closedSinceTold += 1;
    }
    this.#tell(log);
  }

  #tell(log: FastifyBaseLogger): void {
    const now = performance.now();
    if (now - this.#toldAt < tellEveryMs) return;
    this.#toldAt = now;
    log.warn(
      { closed: this.#closedSinceTold },
      'connections were closed: what clients sent without an end or asked for and did not take filled too much of the memory',
    );
    this.#closedSinceTold = 0;
  }

  #arrived(socket: Socket): number {
    const request = incomingRequest(socket);
    const before = request && this.#readBefore.get(request);
    return before === undefined ? 0 : socket.bytesRead - before;
  }
}
