/** Lets a number of requests have their turn at once; the others wait in order, up to a number of them. */
export class ConcurrencyLimiter {
  readonly #turnsMax: number;
  readonly #waitingMax: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(turnsMax: number, waitingMax: number) {
    this.#turnsMax = turnsMax;
    this.#waitingMax = waitingMax;
  }

  /**
   * Calls back when it is the caller's turn, which may be at once. False when too many wait already. Whoever has had the
   * turn gives it back; whoever no longer wants it leaves.
   */
  acquire(begin: () => void): boolean {
    if (this.#taken < this.#turnsMax) {
      this.#taken += 1;
      begin();
      return true;
    }
    if (this.#waiting.size >= this.#waitingMax) return false;
    this.#waiting.add(begin);
    return true;
  }

  cancel(begin: () => void): void {
    this.#waiting.delete(begin);
  }

  release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
