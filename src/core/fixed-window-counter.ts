export interface WindowCount {
  /** This one included. */
  readonly count: number;
  readonly resetsInMs: number;
}

interface Minute {
  count: number;
  readonly endsAt: number;
}

/** Counts by name, each in minutes that begin with the first of them. Of many names the one that began first is forgotten. */
export class FixedWindowCounter {
  readonly #keysMax: number;
  readonly #now: () => number;
  // In the order in which the minutes began, so that the first is the oldest.
  readonly #minutes = new Map<string, Minute>();

  constructor({ keysMax, now = () => performance.now() }: { keysMax: number; now?: () => number }) {
    this.#keysMax = keysMax;
    this.#now = now;
  }

  increment(name: string): WindowCount {
    const now = this.#now();
    const minute = this.#minuteOf(name, now);
    minute.count += 1;
    return { count: minute.count, resetsInMs: minute.endsAt - now };
  }

  /** Undefined when nothing was counted in this minute. */
  get(name: string): WindowCount | undefined {
    const now = this.#now();
    const minute = this.#minutes.get(name);
    return minute !== undefined && now < minute.endsAt
      ? { count: minute.count, resetsInMs: minute.endsAt - now }
      : undefined;
  }

  #minuteOf(name: string, now: number): Minute {
    const known = this.#minutes.get(name);
    if (known !== undefined && now < known.endsAt) return known;
    const minute = { count: 0, endsAt: now + 60_000 };
    this.#minutes.delete(name);
    this.#minutes.set(name, minute);
    const [oldest] = this.#minutes.keys();
    if (this.#minutes.size > this.#keysMax && oldest !== undefined) this.#minutes.delete(oldest);
    return minute;
  }
}
