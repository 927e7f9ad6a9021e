import type { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { arriving } from './unreadable-request.ts';

/** So seldom that looking at thousands of connections costs next to nothing. */
const lookEveryMs = 200;

/** Bodies of the longest kind must have room, also where memory is scarce. */
const bodiesMin = 4;

/**
 * Bodies that are on their way and answers that nobody takes are memory that clients decide over: each within its limits, and all of them together
 * without one. Where they are half of what they may be, connections are closed, those first that hold much and did so a moment ago; where
 * they come too fast for that, requests are refused.
 */
export class HeldBytes {
  readonly #bodyBytesMax: number;
  readonly #bytesMax: number;
  #found = 0;
  #madeSince = 0;
  #heldBefore: ReadonlySet<Socket> = new Set();

  constructor(bodyBytesMax: number) {
    this.#bodyBytesMax = bodyBytesMax;
    this.#bytesMax = Math.max(bodiesMin * bodyBytesMax, getHeapStatistics().heap_size_limit / 4);
  }

  /** To be told of what is made for a client who may not take it. */
  add(bytes: number): void {
    this.#madeSince += bytes;
  }

  get areTooMany(): boolean {
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
    const heldMiB = Math.round(this.#found / 2 ** 20);
    // A client that takes what it asked for is seldom met twice.
    const rank = ([socket, bytes]: [Socket, number]) =>
      heldBefore.has(socket) ? bytes : bytes - this.#bytesMax;
    let closed = 0;
    for (const [socket, bytes] of [...held].toSorted((one, other) => rank(other) - rank(one))) {
      if (this.#found <= aim) break;
      socket.destroy();
      this.#found -= bytes;
      closed += 1;
    }
    log.warn(
      { heldMiB, closed },
      'connections were closed: what clients sent without an end or asked for and did not take filled too much of the memory',
    );
  }

  /** No more than this has arrived of a body. On a connection that had others before, it may be less. */
  #arrived(socket: Socket): number {
    const request = arriving(socket);
    if (request === undefined) return 0;
    const { 'content-length': announced } = request.headers;
    return Math.min(socket.bytesRead, announced === undefined ? this.#bodyBytesMax : Number(announced));
  }
}
