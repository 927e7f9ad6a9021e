import type { CooperativeTask } from './cooperative-task.ts';

/**
 * Shares the event loop between long computations and everything else in the process.
 *
 * Each event-loop tick runs one step of one task; the tasks take turns in round-robin order.
 * However many tasks there are, a request that arrives meanwhile waits for one step per tick, and a
 * short task is not delayed until the long ones before it are done. The queue is bounded by the
 * requests in flight, since each waiting task belongs to one. It is module state because the event
 * loop is shared too; when it is empty, nothing is scheduled.
 */
const waiting: (() => void)[] = [];

/** Runs a task, one step per slot. Rejects with the error that the task throws. */
export async function runCooperatively<Result>(task: CooperativeTask<Result>): Promise<Result> {
  for (;;) {
    await nextSlot();
    const { done, value } = task.next();
    if (done) return value;
  }
}

/**
 * Lets other events run before an async loop continues. Needed where every await resolves in a
 * microtask, as with SQLite and a fast consumer: such a loop would otherwise block the process.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function nextSlot(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(runNext);
  });
}

function runNext(): void {
  // The step runs in a microtask after this callback, so it has finished when the next immediate
  // fires.
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(runNext);
}
