/**
 * A request that is picked up this late in an event-loop tick has already waited too long. While
 * more than a thousand clients send requests, a tick may never end, because rejected clients retry
 * into the same tick. So within one tick, rejecting and serving alternate in intervals of this
 * length.
 */
const lateMs = 250;

/** Shedding starts only when this share of the last second was spent in long ticks. */
const longShareMin = 0.5;

/** One tick counts for at most this long, so that one or two slow requests are no overload. */
const tickWeightMaxMs = 200;

/** How often tick length is sampled. */
const sampleEveryMs = 20;

/** Sampling stops after this long without requests, so that an idle process can sleep. */
const quietMs = 500;

export interface OverloadDetectorOptions {
  /** Requests that may be in flight at once; 0 turns load shedding off. */
  readonly inFlightMax: number;
  readonly now?: () => number;
  /**
   * Calls back every `ms`, at the start of an event-loop tick. Returns a function that stops it.
   */
  readonly schedule?: (ms: number, callback: () => void) => () => void;
}

/**
 * Decides when the process has more work than it can do. Rejecting a request at once is cheap;
 * serving it after its client has given up wastes the capacity that others need.
 *
 * `buildApp` creates one instance per process. There are two independent signals:
 * - capacity: the number of requests in flight, counted by `trackRequest`;
 * - lateness: a timer samples how long event-loop ticks take, and `#longShare` is the moving
 *   average of time spent in long ones. Above one half, late requests are rejected.
 *
 * The first request starts the timer; it stops when requests stop coming, and the next request
 * starts with a clean average. The timer is unref'ed, so shutdown needs no call.
 */
export class OverloadDetector {
  readonly #inFlightMax: number;
  readonly #now: () => number;
  readonly #schedule: (ms: number, callback: () => void) => () => void;
  #inFlight = 0;
  #stopSampling: (() => void) | undefined;
  /** When the last sample was taken. While ticks are long, that is when the current one began. */
  #sampledAt = 0;
  /** Share of the last second spent in long ticks, as an exponential moving average. */
  #longShare = 0;
  #hasNewRequests = false;
  #quietSince = 0;

  constructor({ inFlightMax, now = () => performance.now(), schedule = callEvery }: OverloadDetectorOptions) {
    this.#inFlightMax = inFlightMax;
    this.#now = now;
    this.#schedule = schedule;
  }

  /** Call once for every request, as soon as it is picked up: the call itself is a measurement. */
  isOverloaded(): boolean {
    if (this.#inFlightMax === 0) return false;
    this.#hasNewRequests = true;
    if (this.#stopSampling === undefined) this.#startSampling();
    return this.isAtCapacity || (this.#longShare > longShareMin && this.#isLate());
  }

  get isAtCapacity(): boolean {
    return this.#inFlightMax > 0 && this.#inFlight >= this.#inFlightMax;
  }

  /**
   * Counts a request as in flight until the returned function is called. Calling it again is safe.
   */
  trackRequest(): () => void {
    this.#inFlight += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#inFlight -= 1;
      isOver = true;
    };
  }

  #isLate(): boolean {
    return (this.#now() - this.#sampledAt) % (2 * lateMs) > lateMs;
  }

  #startSampling(): void {
    this.#longShare = 0;
    this.#sampledAt = this.#now();
    this.#stopSampling = this.#schedule(sampleEveryMs, () => this.#sample());
  }

  #sample(): void {
    const now = this.#now();
    const tickMs = now - this.#sampledAt;
    const isLong = tickMs > sampleEveryMs + lateMs;
    this.#longShare += (Number(isLong) - this.#longShare) * (Math.min(tickMs, tickWeightMaxMs) / 1_000);
    this.#sampledAt = now;
    if (this.#hasNewRequests) this.#quietSince = now;
    else if (now - this.#quietSince > quietMs) {
      this.#stopSampling?.();
      this.#stopSampling = undefined;
    }
    this.#hasNewRequests = false;
  }
}

function callEvery(ms: number, callback: () => void): () => void {
  const timer = setInterval(callback, ms).unref();
  return () => clearInterval(timer);
}
