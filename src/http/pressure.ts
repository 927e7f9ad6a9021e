/** A request that waited this long in one turn of the event loop has waited long enough to be refused. */
const turnMs = 100;

/** But only where so many turns have been that long, one after the other: a slow answer or two are no overload. */
const longTurnsMin = 5;

/** And where nobody has come for this long, it is over. */
const quietMs = 500;

export interface PressureOptions {
  /** Requests that may be under way at once. */
  readonly underWayMax: number;
  readonly now?: () => number;
  /** Calls back when the turn of the event loop is over. */
  readonly atEndOfTurn?: (done: () => void) => void;
}

/**
 * Knows when there is more to do than can be done. Then a request is better refused at once, which costs little, than
 * answered when nobody waits for it any more.
 */
export class Pressure {
  readonly #underWayMax: number;
  readonly #now: () => number;
  readonly #atEndOfTurn: (done: () => void) => void;
  #underWay = 0;
  /** When the first request of this turn came up; 0 before. */
  #turnBegan = 0;
  /** When the last turn with requests ended. */
  #turnEnded = 0;
  /** How many of the last ones were long. */
  #longTurns = 0;

  constructor({
    underWayMax,
    now = () => performance.now(),
    atEndOfTurn = (done) => void setImmediate(done),
  }: PressureOptions) {
    this.#underWayMax = underWayMax;
    this.#now = now;
    this.#atEndOfTurn = atEndOfTurn;
  }

  /** To be asked once for every request, as it comes up. */
  isTooHigh(): boolean {
    return this.#isTurnTooLong() || this.isFull;
  }

  get isFull(): boolean {
    return this.#underWay >= this.#underWayMax;
  }

  /** Counts a request that has arrived in full, until what this gives is called. */
  begin(): () => void {
    this.#underWay += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.#underWay -= 1;
      isOver = true;
    };
  }

  #isTurnTooLong(): boolean {
    const now = this.#now();
    if (this.#turnBegan === 0) {
      if (now - this.#turnEnded > quietMs) this.#longTurns = 0;
      this.#turnBegan = now;
      this.#atEndOfTurn(() => this.#endTurn());
      return false;
    }
    return this.#longTurns >= longTurnsMin && now - this.#turnBegan > turnMs;
  }

  #endTurn(): void {
    this.#turnEnded = this.#now();
    this.#longTurns = this.#turnEnded - this.#turnBegan > turnMs ? this.#longTurns + 1 : 0;
    this.#turnBegan = 0;
  }
}
