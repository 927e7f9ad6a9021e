/** However long an upstream asks to be left alone, it is tried again after this. */
const coolingMsMax = 60_000;

const entriesMax = 1_000;

/**
 * Remembers which models of an upstream asked to be left alone for a while, by Retry-After, so that a request which has another to fall
 * back on does not bother them.
 */
export class RetryAfterTracker {
  readonly #until = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number = () => Date.now()) {
    this.#now = now;
  }

  record(model: string | undefined, retryAfter: string | string[] | undefined): void {
    const ms = Math.min(millisecondsIn(retryAfter, this.#now()), coolingMsMax);
    if (!(ms > 0)) return;
    const key = model ?? '';
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

/** A number of seconds, or a date. */
function millisecondsIn(retryAfter: string | string[] | undefined, now: number): number {
  if (typeof retryAfter !== 'string') return 0;
  if (/^\d+(\.\d+)?$/.test(retryAfter)) return Number(retryAfter) * 1_000;
  return /^[A-Z][a-z]+, /.test(retryAfter) ? Date.parse(retryAfter) - now : 0;
}
