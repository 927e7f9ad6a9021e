/**
 * A request that comes up this late in a turn of the event loop has waited long enough to be refused. Turns have no end while more than a thousand clients
 * ask, and those refused ask again; so after as long a time as others were refused in, some are served again.
 */
const turnMs = 250;

/**
 * But only where half of the last second went by in turns that long. However long one of them is, it counts for a fifth of a second: a slow
 * answer or two are no overload.
 */
const longShareMin = 0.5;
const turnCountsMs = 200;

/** How often it is looked whether turns are long. */
const lookEveryMs = 20;

/** Where nobody has come for this long, it is not looked any more. */
const quietMs = 500;

export interface OverloadDetectorOptions {
  /** Requests that may be under way at once; 0 never refuses any. */
  readonly inFlightMax: number;
  readonly now?: () => number;
  /** Calls at the beginning of a turn of the event loop where the time has come, until what this gives is called. */
  readonly every?: (ms: number, call: () => void) => () => void;
}

/**
 * Knows when there is more to do than can be done. Then a request is better refused at once, which costs little, than
 * answered when nobody waits for it any more.
 */
export class OverloadDetector {
  readonly #underWayMax: number;
  readonly #now: () => number;
  readonly #every: (ms: number, call: () => void) => () => void;
  #underWay = 0;
  #stopLooking: (() => void) | undefined;
  /** Where turns are long, that is when this one began. */
  #lookedAt = 0;
  /** How much of the last second went by in long turns; those before count less and less. */
  #longShare = 0;
  #hasBeenAsked = false;
  #quietSince = 0;

  constructor({
    inFlightMax: underWayMax,
    now = () => performance.now(),
    every = callEvery,
  }: OverloadDetectorOptions) {
    this.#underWayMax = underWayMax;
    this.#now = now;
    this.#every = every;
  }

  /** To be asked once for every request, as it comes up. */
  isOverloaded(): boolean {
    if (this.#underWayMax === 0) return false;
    this.#hasBeenAsked = true;
    if (this.#stopLooking === undefined) this.#startLooking();
    return this.isAtCapacity || (this.#longShare > longShareMin && this.#isLate());
  }

  get isAtCapacity(): boolean {
    return this.#underWayMax > 0 && this.#underWay >= this.#underWayMax;
  }

  /** Counts a request that has arrived in full, until what this gives is called. */
  trackRequest(): () => void {
    this.#underWay += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#underWay -= 1;
      isOver = true;
    };
  }

  #isLate(): boolean {
    return (this.#now() - this.#lookedAt) % (2 * turnMs) > turnMs;
  }

  #startLooking(): void {
    this.#longShare = 0;
    this.#lookedAt = this.#now();
    this.#stopLooking = this.#every(lookEveryMs, () => this.#look());
  }

  #look(): void {
    const now = this.#now();
    const tookMs = now - this.#lookedAt;
    const isLong = tookMs > lookEveryMs + turnMs;
    this.#longShare += (Number(isLong) - this.#longShare) * (Math.min(tookMs, turnCountsMs) / 1_000);
    this.#lookedAt = now;
    if (this.#hasBeenAsked) this.#quietSince = now;
    else if (now - this.#quietSince > quietMs) {
      this.#stopLooking?.();
      this.#stopLooking = undefined;
    }
    this.#hasBeenAsked = false;
  }
}

function callEvery(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms).unref();
  return () => clearInterval(timer);
}
