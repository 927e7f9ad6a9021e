/**
 * Long work that pauses now and then. Each `yield` lets other work run; how much is done between
 * two of them is counted in units of work, never measured by a clock, so the same input takes the
 * same steps everywhere.
 */
export type Steps<Result> = Generator<void, Result>;

/** Runs to the end without a pause, for callers that may block. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** True once in so many units of work: `if (isPauseDue()) yield;`. */
export type Pace = (units?: number) => boolean;

export function createPace(unitsPerStep: number): Pace {
  let done = 0;
  return (units = 1) => {
    done += units;
    if (done < unitsPerStep) return false;
    done = 0;
    return true;
  };
}
