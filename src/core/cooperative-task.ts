/**
 * Long work that pauses now and then. Each `yield` lets other work run; how much is done between
 * two of them is counted in units of work, never measured by a clock, so the same input takes the
 * same steps everywhere.
 */
export type CooperativeTask<Result> = Generator<void, Result>;

/** Runs to the end without a pause, for callers that may block. */
export function runToCompletion<Result>(steps: CooperativeTask<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** True once in so many units of work: `if (isPauseDue()) yield;`. */
export type YieldCheck = (units?: number) => boolean;

export function createYieldCheck(unitsPerStep: number): YieldCheck {
  let done = 0;
  return (units = 1) => {
    done += units;
    if (done < unitsPerStep) return false;
    done = 0;
    return true;
  };
}
