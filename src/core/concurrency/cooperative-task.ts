/**
 * A long computation that pauses regularly, so that it does not block the event loop.
 *
 * It is a generator: each `yield` ends a step. The length of a step is counted in units of work,
 * never measured with a clock, so the same input takes the same number of steps on every machine
 * and tests can assert it. `runCooperatively` runs one on the server; `runToCompletion` runs it
 * without pauses.
 */
export type CooperativeTask<Result> = Generator<void, Result>;

/** Runs a task without pausing, for callers that may block, such as the browser. */
export function runToCompletion<Result>(task: CooperativeTask<Result>): Result {
  for (;;) {
    const { done, value } = task.next();
    if (done) return value;
  }
}

/** Counts units of work and returns true when a step is full: `if (shouldYield()) yield;`. */
export type YieldCheck = (units?: number) => boolean;

/** Choose `unitsPerStep` so that a typical step takes a few milliseconds at most. */
export function createYieldCheck(unitsPerStep: number): YieldCheck {
  let done = 0;
  return (units = 1) => {
    done += units;
    if (done < unitsPerStep) return false;
    done = 0;
    return true;
  };
}
