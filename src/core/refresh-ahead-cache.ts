import { PresetdError } from './errors.ts';

/**
 * Lets processes that share one database invalidate each other's caches. Every key has a generation
 * number that changes with each acknowledged write. A cache stores the generation with a value;
 * once the two differ, the value is out of date. `cluster/shared-generations.ts` shares them
 * between workers.
 */
export interface CacheGenerations {
  /** The current generation of a key. Unrelated keys may share one. */
  of(key: string): number;
  /** Call this after a write commits and before its response is sent. */
  advance(key: string): void;
  /** Like `advance`, for a write that can affect any key. */
  advanceAll(): void;
}

/** For a single process, which invalidates its own cache entries directly. */
export const unsharedGenerations: CacheGenerations = { of: () => 0, advance: () => {}, advanceAll: () => {} };

interface Entry<Value> {
  readonly value: Value;
  /**
   * The age counts from the start of the load, not its end: a write in between must not be missed.
   */
  readonly loadStartedAt: number;
  /** The key's generation when the load started. */
  readonly generation: number;
  /** Until then, the stale value is returned without waiting: the last refresh has just failed. */
  retryAt: number;
}

/** A load that has not finished yet. Concurrent lookups of one key share it. */
interface InFlightLoad<Value> {
  readonly result: Promise<Value | undefined>;
  readonly loadStartedAt: number;
  readonly generation: number;
}

interface RefreshAheadCacheOptions<Value> {
  /** Upper bound of the total weight. Without `weigh` it is the number of entries. */
  readonly weightMax: number;
  readonly weigh?: (value: Value) => number;
  /** No value is older than this while the source responds. */
  readonly freshMs: number;
  /** No value is older than this while the source is unavailable. */
  readonly staleMs: number;
  /**
   * Whether a refreshed value says the same as the cached one. Then the cached object stays,
   * together with everything that callers derived from it and hold in a WeakMap.
   */
  readonly isSame?: (cached: Value, fresh: Value) => boolean;
  /** Returns undefined when the source has no such key. That is not cached. */
  readonly load: (key: string) => Promise<Value | undefined>;
  readonly now?: () => number;
  /**
   * Shared by the processes that write to the same source, so that a write in one evicts in all.
   */
  readonly generations?: CacheGenerations;
  /** Called for every lookup. A hit was returned at once; a miss has to wait for the source. */
  readonly observe?: (isHit: boolean) => void;
}

/**
 * A bounded cache that reloads an entry in the background before it expires.
 *
 * An entry goes through these ages, counted from the start of its load:
 *
 * - up to half of `freshMs`: returned as it is;
 * - up to `freshMs`: returned as it is, while a background load replaces it;
 * - up to `staleMs`: reloaded, and returned only if the source is unavailable or too slow;
 * - older: never returned. A lookup waits for the source and rejects if that fails.
 *
 * Lookups of a busy key therefore rarely wait, and an outage of the source is bridged for
 * `staleMs`. Only `unavailable` errors count as an outage; any other error reaches the caller.
 * A write must call `invalidate`, or `markStale` if it may have failed. A load that started before
 * the write is then ignored when it finishes. Beyond `weightMax`, the entries that were reloaded
 * least recently are evicted. The cache needs no shutdown: it holds no timer beyond a lookup.
 */
export class RefreshAheadCache<Value> {
  readonly #options: Required<RefreshAheadCacheOptions<Value>>;
  // A refresh inserts the key again, so insertion order approximates the order of last use.
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loads = new Map<string, InFlightLoad<Value>>();
  #weight = 0;

  constructor(options: RefreshAheadCacheOptions<Value>) {
    this.#options = {
      now: () => performance.now(),
      weigh: () => 1,
      observe: () => {},
      generations: unsharedGenerations,
      isSame: () => false,
      ...options,
    };
  }

  /**
   * Returns the value without a promise on a cache hit. On a miss, resolves to undefined when the
   * source has no such key, and rejects when the source fails and no usable value is cached.
   */
  get(key: string): Value | Promise<Value | undefined> {
    const found = this.#lookUp(key);
    this.#options.observe(!(found instanceof Promise));
    return found;
  }

  #lookUp(key: string): Value | Promise<Value | undefined> {
    const { freshMs, staleMs, now, generations } = this.#options;
    const entry = this.#entries.get(key);
    const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : now() - entry.loadStartedAt;
    if (entry === undefined || ageMs >= staleMs || entry.generation !== generations.of(key))
      return this.#load(key).result;
    if (ageMs < freshMs / 2) return entry.value;
    const load = this.#load(key);
    // Counted from the start of the load, so that a hanging source delays one lookup, not each of
    // them.
    const timeoutMs = load.loadStartedAt + freshMs - now();
    if (ageMs >= freshMs && now() >= entry.retryAt && timeoutMs > 0)
      return this.#resultOrStale(load.result, timeoutMs, entry);
    return entry.value;
  }

  /** After a successful write: drops the entry and ignores loads that started before the write. */
  invalidate(key: string): void {
    this.#remove(key);
    this.#loads.delete(key);
    this.#options.generations.advance(key);
  }

  /**
   * After a write with an unknown outcome: the next lookup asks the source, and the cached value is
   * only a fallback for an outage.
   */
  markStale(key: string): void {
    this.#loads.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const loadStartedAt = Math.min(entry.loadStartedAt, this.#options.now() - this.#options.freshMs);
    this.#entries.set(key, { ...entry, loadStartedAt });
  }

  /**
   * Waits for a write that affects every value for which `isAffected` is true, then drops those
   * entries. If the write rejects, there is no result: marks them stale and rejects with the same
   * error.
   */
  async invalidateAfter<T>(
    write: Promise<T>,
    isAffected: (value: Value, result: T | undefined) => boolean,
  ): Promise<T> {
    try {
      const result = await write;
      this.#forEach(
        (value) => isAffected(value, result),
        (key) => this.#remove(key),
      );
      this.#options.generations.advanceAll();
      return result;
    } catch (error) {
      this.#forEach(
        (value) => isAffected(value, undefined),
        (key) => this.markStale(key),
      );
      throw error;
    }
  }

  #forEach(isAffected: (value: Value) => boolean, work: (key: string) => void): void {
    for (const [key, { value }] of this.#entries) if (isAffected(value)) work(key);
    // The values of in-flight loads are not known yet, and every load may have read the old state.
    this.#loads.clear();
  }

  /** Falls back to the stale value when the source hangs or is unavailable. */
  #resultOrStale(
    result: Promise<Value | undefined>,
    timeoutMs: number,
    { value }: Entry<Value>,
  ): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(value), timeoutMs);
      result
        .then(resolve, (error: unknown) => (isUnavailable(error) ? resolve(value) : reject(error)))
        .finally(() => clearTimeout(timer));
    });
  }

  /**
   * Starts a load, or joins the one in flight unless another process has written since it started.
   */
  #load(key: string): InFlightLoad<Value> {
    const { load, now, generations } = this.#options;
    const generation = generations.of(key);
    const inFlight = this.#loads.get(key);
    if (inFlight !== undefined && inFlight.generation === generation) return inFlight;
    const loadStartedAt = now();
    const started = { result: load(key), loadStartedAt, generation };
    // False when a write has invalidated the load: its result may predate the write.
    const finish = () => this.#loads.get(key) === started && this.#loads.delete(key);
    started.result.then(
      (value) => {
        if (finish()) this.#store(key, value, started);
      },
      (error: unknown) => {
        if (finish() && isUnavailable(error)) this.#postponeRetry(key);
      },
    );
    this.#loads.set(key, started);
    return started;
  }

  #postponeRetry(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.retryAt = this.#options.now() + this.#options.freshMs;
  }

  #store(key: string, fresh: Value | undefined, { loadStartedAt, generation }: InFlightLoad<Value>): void {
    const cached = this.#entries.get(key)?.value;
    this.#remove(key);
    if (fresh === undefined) return;
    const value = cached !== undefined && this.#options.isSame(cached, fresh) ? cached : fresh;
    const weight = this.#options.weigh(value);
    // Making room for it would evict every other entry, and then the value itself.
    if (weight > this.#options.weightMax) return;
    this.#entries.set(key, { value, loadStartedAt, generation, retryAt: loadStartedAt });
    this.#weight += weight;
    while (this.#weight > this.#options.weightMax) {
      const [oldest] = this.#entries.keys();
      if (oldest === undefined) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#weight -= this.#options.weigh(entry.value);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof PresetdError && error.kind === 'unavailable';
}
