import { retryWhileBusy, type Wait } from './retry-while-busy.ts';

/** The result for one item: what the work returned, or why it failed. */
type Outcome<Item, Result> =
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

/** Enough to hide the latency, and few enough that servers and providers with other work cope. */
export const parallelMax = 4;

/**
 * Does the same to many items, a few at a time, and continues after a failure. Retries while the
 * server is too busy. Items that were not started have no outcome.
 */
export async function runBulk<Item, Result>(
  options: BulkOptions<Item, Result>,
): Promise<readonly Outcome<Item, Result>[]> {
  const { items, work, onProgress, signal, wait } = options;
  const outcomes: Outcome<Item, Result>[] = [];
  await forEachLimited(items, signal, async (item) => {
    try {
      outcomes.push({ item, result: await retryWhileBusy(() => work(item), { signal, wait }) });
    } catch (error) {
      outcomes.push({ item, error });
    }
    onProgress?.(outcomes.length);
  });
  return outcomes;
}

/** Works on a few items at a time, and starts nothing more once the signal is aborted. */
export async function forEachLimited<Item>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const workOnRest = async () => {
    for (const item of rest) {
      if (signal?.aborted) return;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: parallelMax }, workOnRest));
}
