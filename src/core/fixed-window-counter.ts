export interface WindowCount {
  /** Including the current event. */
  readonly count: number;
  readonly resetsInMs: number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

const windowMs = 60_000;

/**
 * Counts events per key in windows of one minute, for rate limits.
 *
 * The window of a key starts with its first event and ends a minute later, when the count restarts
 * at zero. Memory is bounded: beyond `keysMax` keys, the key with the oldest window is evicted and
 * starts over. Windows that have ended stay until they are evicted or replaced; there is no timer.
 */
export class FixedWindowCounter {
  readonly #keysMax: number;
  readonly #now: () => number;
  // In order of window start, so the first entry is the oldest.
  readonly #windows = new Map<string, Window>();

  constructor({ keysMax, now = () => performance.now() }: { keysMax: number; now?: () => number }) {
    this.#keysMax = keysMax;
    this.#now = now;
  }

  increment(key: string): WindowCount {
    const now = this.#now();
    const window = this.#currentWindow(key, now);
    window.count += 1;
    return { count: window.count, resetsInMs: window.endsAt - now };
  }

  /**
   * Returns the count without adding to it; undefined if the key has no event in the current
   * window.
   */
  get(key: string): WindowCount | undefined {
    const now = this.#now();
    const window = this.#windows.get(key);
    return window !== undefined && now < window.endsAt
      ? { count: window.count, resetsInMs: window.endsAt - now }
      : undefined;
  }

  #currentWindow(key: string, now: number): Window {
    const existing = this.#windows.get(key);
    if (existing !== undefined && now < existing.endsAt) return existing;
    const window = { count: 0, endsAt: now + windowMs };
    this.#windows.delete(key);
    this.#windows.set(key, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > this.#keysMax && oldest !== undefined) this.#windows.delete(oldest);
    return window;
  }
}
