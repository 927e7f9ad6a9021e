/**
 * Bounds how much expensive work runs at once, such as requests to an upstream or the hashing of
 * passwords.
 *
 * Work acquires a slot or joins a bounded FIFO queue; a full queue rejects it, so that a backlog
 * turns into quick 503s instead of memory. Every acquired slot must be released exactly once, and
 * queued work that no longer needs its slot must cancel. A released slot goes straight to the head
 * of the queue.
 */
export class ConcurrencyLimiter {
  readonly #concurrencyMax: number;
  readonly #queueMax: number;
  /** A set keeps insertion order and removes a cancelled callback in constant time. */
  readonly #queue = new Set<() => void>();
  #inFlight = 0;

  constructor(concurrencyMax: number, queueMax: number) {
    this.#concurrencyMax = concurrencyMax;
    this.#queueMax = queueMax;
  }

  /** Calls `onAcquired` once a slot is free, maybe at once. Returns false if the queue is full. */
  acquire(onAcquired: () => void): boolean {
    if (this.#inFlight < this.#concurrencyMax) {
      this.#inFlight += 1;
      onAcquired();
      return true;
    }
    if (this.#queue.size >= this.#queueMax) return false;
    this.#queue.add(onAcquired);
    return true;
  }

  /** Removes a queued callback. Does nothing if it is not queued. */
  cancel(onAcquired: () => void): void {
    this.#queue.delete(onAcquired);
  }

  /** Frees a slot, or hands it to the next in the queue. */
  release(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#inFlight -= 1;
      return;
    }
    this.#queue.delete(next);
    next();
  }
}
