/** Bounds the back-off, so that a bad value cannot disable a model for long. */
const backOffMsMax = 60_000;

/** Clients choose the model names, so the map has to be bounded. The oldest entry is evicted. */
const entriesMax = 1_000;

/**
 * Remembers which models of an upstream sent a Retry-After, so that calls with another candidate
 * skip them for that long. A call without an alternative is sent anyway.
 *
 * Each upstream connection has one tracker, which is lost with the connection when a reload changes
 * the upstream. Entries expire when they are looked up after their time.
 */
export class RetryAfterTracker {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  /** Does nothing if `retryAfter` is missing, malformed or in the past. */
  record(model: string | undefined, retryAfter: string | string[] | undefined): void {
    const ms = Math.min(parseRetryAfterMs(retryAfter, this.#now()), backOffMsMax);
    if (!(ms > 0)) return;
    const key = model ?? '';
    // Deleting first moves the entry to the end of the map, which is evicted from the front.
    this.#until.delete(key);
    this.#until.set(key, this.#now() + ms);
    const [oldest] = this.#until.keys();
    if (this.#until.size > entriesMax && oldest !== undefined) this.#until.delete(oldest);
  }

  isBackingOff(model: string | undefined): boolean {
    if (this.#until.size === 0) return false;
    const key = model ?? '';
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (until > this.#now()) return true;
    this.#until.delete(key);
    return false;
  }
}

/** Retry-After is a number of seconds or an HTTP date. Returns 0 for anything else. */
function parseRetryAfterMs(retryAfter: string | string[] | undefined, now: number): number {
  if (typeof retryAfter !== 'string') return 0;
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  return /^[A-Z][a-z]+, /.test(retryAfter) ? Date.parse(retryAfter) - now : 0;
}
