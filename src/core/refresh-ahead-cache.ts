import { type CacheGenerations, unsharedGenerations } from './cache-generations.ts';
import { PresetdError } from './errors.ts';

interface Entry<Value> {
  readonly value: Value;
  /** When the question was asked, not when the answer came: a write in between must not be missed. */
  readonly askedAt: number;
  /** As it was when the question was asked. */
  readonly generation: number;
  /** Until then the source is not waited for: it has just failed to answer this very question. */
  troubleUntil: number;
}

interface Question<Value> {
  readonly answer: Promise<Value | undefined>;
  readonly askedAt: number;
  readonly generation: number;
}

export interface RefreshAheadCacheOptions<Value> {
  /** How much may be remembered: this many entries, unless entries are weighed. */
  readonly weightMax: number;
  readonly weigh?: (value: Value) => number;
  /** No answer is older than this, as long as the source answers. */
  readonly freshMs: number;
  /** Nor is any older than this while the source does not. */
  readonly staleMs: number;
  /** Whether a fresh answer says what was known already; then the known value stays, with what others remember of it. */
  readonly isSame?: (known: Value, fresh: Value) => boolean;
  /** Undefined when the source has nothing under the key; that is not remembered. */
  readonly load: (key: string) => Promise<Value | undefined>;
  readonly now?: () => number;
  /** Of the processes that write to the same source; what one of them wrote is forgotten by all. */
  readonly generations?: CacheGenerations;
  /** Told of every look-up: whether the answer was at hand, or somebody waits for the source. */
  readonly observe?: (isHit: boolean) => void;
}

/**
 * Remembers answers for a short while. A key in use is asked for again in the background before its answer grows
 * stale, so that requests do not wait. While the source does not answer, what it last said stays good for some time.
 */
export class RefreshAheadCache<Value> {
  readonly #options: Required<RefreshAheadCacheOptions<Value>>;
  // A key that is in use is written anew at every refresh, so the oldest in writing order is the least used.
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #loading = new Map<string, Question<Value>>();
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

  /** At once where a fresh answer is at hand. Rejects when the source cannot be asked and nothing recent is known. */
  get(key: string): Value | Promise<Value | undefined> {
    const answer = this.#answer(key);
    this.#options.observe(!(answer instanceof Promise));
    return answer;
  }

  #answer(key: string): Value | Promise<Value | undefined> {
    const { freshMs, staleMs, now, generations } = this.#options;
    const entry = this.#entries.get(key);
    const ageMs = entry === undefined ? Number.POSITIVE_INFINITY : now() - entry.askedAt;
    if (entry === undefined || ageMs >= staleMs || entry.generation !== generations.of(key))
      return this.#load(key).answer;
    if (ageMs < freshMs / 2) return entry.value;
    const question = this.#load(key);
    const patienceMs = question.askedAt + freshMs - now();
    if (ageMs >= freshMs && now() >= entry.troubleUntil && patienceMs > 0)
      return this.#patiently(question.answer, patienceMs, entry);
    return entry.value;
  }

  /** After a write: what was remembered or asked for before it must not be answered any more. */
  invalidate(key: string): void {
    this.#remove(key);
    this.#loading.delete(key);
    this.#options.generations.advance(key);
  }

  /** After a write that may not have happened: what was remembered is good only while the source does not answer. */
  markStale(key: string): void {
    this.#loading.delete(key);
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const askedAt = Math.min(entry.askedAt, this.#options.now() - this.#options.freshMs);
    this.#entries.set(key, { ...entry, askedAt });
  }

  /** Waits for a write that is about all values which it `concerns`, and then forgets them, or doubts them. */
  async invalidateAfter<T>(write: Promise<T>, concerns: (value: Value) => boolean): Promise<T> {
    try {
      const result = await write;
      this.#eachOf(concerns, (key) => this.#remove(key));
      this.#options.generations.advanceAll();
      return result;
    } catch (error) {
      this.#eachOf(concerns, (key) => this.markStale(key));
      throw error;
    }
  }

  #eachOf(concerns: (value: Value) => boolean, work: (key: string) => void): void {
    for (const [key, { value }] of this.#entries) if (concerns(value)) work(key);
    // Nobody knows yet what these are about; they were asked before the write, all the same.
    this.#loading.clear();
  }

  /** A source that hangs or fails must not hold up those whose answer is known. */
  #patiently(
    answer: Promise<Value | undefined>,
    patienceMs: number,
    { value }: Entry<Value>,
  ): Promise<Value | undefined> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(value), patienceMs);
      answer
        .then(resolve, (error: unknown) => (isUnavailable(error) ? resolve(value) : reject(error)))
        .finally(() => clearTimeout(timer));
    });
  }

  #load(key: string): Question<Value> {
    const { load, now, generations } = this.#options;
    const generation = generations.of(key);
    const underWay = this.#loading.get(key);
    if (underWay !== undefined && underWay.generation === generation) return underWay;
    const askedAt = now();
    const question = { answer: load(key), askedAt, generation };
    // Unless it was forgotten meanwhile: then the question was asked before a write.
    const isStillAsked = () => this.#loading.get(key) === question && this.#loading.delete(key);
    question.answer.then(
      (value) => {
        if (isStillAsked()) this.#keep(key, value, question);
      },
      (error: unknown) => {
        if (isStillAsked() && isUnavailable(error)) this.#noteTrouble(key);
      },
    );
    this.#loading.set(key, question);
    return question;
  }

  #noteTrouble(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.troubleUntil = this.#options.now() + this.#options.freshMs;
  }

  #keep(key: string, fresh: Value | undefined, { askedAt, generation }: Question<Value>): void {
    const known = this.#entries.get(key)?.value;
    this.#remove(key);
    if (fresh === undefined) return;
    const value = known !== undefined && this.#options.isSame(known, fresh) ? known : fresh;
    const weight = this.#options.weigh(value);
    // Making room for it would let go of all the others, and then of it.
    if (weight > this.#options.weightMax) return;
    this.#entries.set(key, { value, askedAt, generation, troubleUntil: askedAt });
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
