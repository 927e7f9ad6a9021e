interface Entry<Value> {
  readonly value: Value;
  /** When the question was asked, not when the answer came: a write in between must not be missed. */
  readonly askedAt: number;
}

export interface FreshCacheOptions<Value> {
  readonly entriesMax: number;
  /** No answer is older than this, as long as the source can be asked. */
  readonly freshMs: number;
  /** Undefined when the source has nothing under the key; that is not remembered. */
  readonly load: (key: string) => Promise<Value | undefined>;
  readonly now?: () => number;
}

/**
 * Remembers answers for a short while. A key in use is asked for again in the background before its answer grows
 * stale, so that requests do not wait; and while the source is out of reach, what was last known stays good.
 */
export class FreshCache<Value> {
  readonly #options: Required<FreshCacheOptions<Value>>;
  // A key that is in use is written anew at every refresh, so the oldest in writing order is the least used.
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loading = new Map<string, Promise<Value | undefined>>();

  constructor(options: FreshCacheOptions<Value>) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** At once where a fresh answer is at hand. Rejects when the source cannot be asked and nothing was ever known. */
  get(key: string): Value | Promise<Value | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#load(key);
    const ageMs = this.#options.now() - entry.askedAt;
    if (ageMs >= this.#options.freshMs) return this.#load(key).catch(() => entry.value);
    if (ageMs >= this.#options.freshMs / 2) void this.#load(key).catch(() => {});
    return entry.value;
  }

  #load(key: string): Promise<Value | undefined> {
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const askedAt = this.#options.now();
    const loading = this.#options
      .load(key)
      .then((value) => {
        this.#keep(key, value, askedAt);
        return value;
      })
      .finally(() => this.#loading.delete(key));
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: string, value: Value | undefined, askedAt: number): void {
    this.#entries.delete(key);
    if (value === undefined) return;
    this.#entries.set(key, { value, askedAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#options.entriesMax && oldest !== undefined) this.#entries.delete(oldest);
  }
}
