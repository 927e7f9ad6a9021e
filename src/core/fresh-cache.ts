interface Entry<Value> {
  readonly value: Value;
  /** When the question was asked, not when the answer came: a write in between must not be missed. */
  readonly askedAt: number;
}

export interface FreshCacheOptions<Value> {
  readonly entriesMax: number;
  /** No answer is older than this, as long as the source answers. A source that takes as long is in trouble. */
  readonly freshMs: number;
  /** Undefined when the source has nothing under the key; that is not remembered. */
  readonly load: (key: string) => Promise<Value | undefined>;
  readonly now?: () => number;
}

/**
 * Remembers answers for a short while. A key in use is asked for again in the background before its answer grows
 * stale, so that requests do not wait; and while the source is in trouble, what was last known is given at once.
 */
export class FreshCache<Value> {
  readonly #options: Required<FreshCacheOptions<Value>>;
  // A key that is in use is written anew at every refresh, so the oldest in writing order is the least used.
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loading = new Map<string, Promise<Value | undefined>>();
  #isInTrouble = false;

  constructor(options: FreshCacheOptions<Value>) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** At once where a fresh answer is at hand. Rejects when the source cannot be asked and nothing was ever known. */
  get(key: string): Value | Promise<Value | undefined> {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#load(key);
    const ageMs = this.#options.now() - entry.askedAt;
    if (ageMs < this.#options.freshMs / 2) return entry.value;
    const loading = this.#load(key).catch(() => entry.value);
    return ageMs < this.#options.freshMs || this.#isInTrouble ? entry.value : this.#patiently(loading, entry);
  }

  /** A source that hangs must not hold up those whose answer is known. */
  #patiently(loading: Promise<Value | undefined>, { value }: Entry<Value>): Promise<Value | undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#isInTrouble = true;
        resolve(value);
      }, this.#options.freshMs);
      void loading.then(resolve).finally(() => clearTimeout(timer));
    });
  }

  #load(key: string): Promise<Value | undefined> {
    const underWay = this.#loading.get(key);
    if (underWay !== undefined) return underWay;
    const askedAt = this.#options.now();
    const loading = this.#options
      .load(key)
      .then(
        (value) => {
          this.#isInTrouble = false;
          this.#keep(key, value, askedAt);
          return value;
        },
        (error: unknown) => {
          this.#isInTrouble = true;
          throw error;
        },
      )
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
