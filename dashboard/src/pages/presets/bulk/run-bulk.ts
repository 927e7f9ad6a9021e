import { retryWhileBusy, type Wait } from '../../../api/retry-while-busy.ts';

/** The result for one item: what the work returned, or why it failed. */
export type Outcome<Item, Result> =
  | { readonly item: Item; readonly result: Result }
  | { readonly item: Item; readonly error: unknown };

interface BulkOptions<Item, Result> {
  readonly items: readonly Item[];
  readonly work: (item: Item) => Promise<Result>;
  /** Called after each item. */
  readonly onProgress?: (done: number) => void;
  /** Once it is aborted, nothing is started or retried; what is in flight completes. */
  readonly signal?: AbortSignal;
  readonly wait?: Wait;
}

/** Enough to hide the latency, and few enough that a server with other work barely notices. */
const parallelMax = 4;

/**
 * Does the same to many items, a few at a time, and goes on after a failure. Retries while the
 * server is too busy. Items that were not started have no outcome.
 */
export async function runBulk<Item, Result>(
  options: BulkOptions<Item, Result>,
): Promise<readonly Outcome<Item, Result>[]> {
  const { items, work, onProgress, signal, wait } = options;
  const outcomes: Outcome<Item, Result>[] = [];
  const rest = items.values();
  const runOne = async () => {
    for (const item of rest) {
      if (signal?.aborted) return;
      try {
        outcomes.push({ item, result: await retryWhileBusy(() => work(item), { signal, wait }) });
      } catch (error) {
        outcomes.push({ item, error });
      }
      onProgress?.(outcomes.length);
    }
  };
  await Promise.all(Array.from({ length: parallelMax }, runOne));
  return outcomes;
}
