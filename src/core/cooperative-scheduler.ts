import type { CooperativeTask } from './cooperative-task.ts';

/**
 * Shares the event loop between long computations and everyone else.
 *
 * All computations wait in one queue. Each event-loop tick runs one step of the first, which then goes to the end of the
 * queue. However many are under way, a request that arrives meanwhile waits for one step per tick, and a short
 * computation is not held up until the long ones before it are done.
 */
const waiting: (() => void)[] = [];

/** Runs the steps one per turn. Errors reject the promise. */
export async function runCooperatively<Result>(steps: CooperativeTask<Result>): Promise<Result> {
  for (;;) {
    await turn();
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(runNext);
  });
}

function runNext(): void {
  // The step runs in a microtask after this callback, so it is over when the next immediate comes.
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(runNext);
}
