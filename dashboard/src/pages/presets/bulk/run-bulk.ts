import { ApiError } from '../../../api/api-error.ts';

/** The result for one item: what the work returned, or why it failed. */
export type Outcome<Item, Result> =
  | { readonly item: Item; readonly result: Result }
  | { readonly item: Item; readonly error: unknown };

interface BulkOptions<Item, Result> {
  readonly items: readonly Item[];
  readonly work: (item: Item) => Promise<Result>;
  /** Called after each item. */
  readonly onProgress?: (done: number) => void;
  /** Starts nothing more once it is aborted; what is in flight completes. */
  readonly signal?: AbortSignal;
  readonly wait?: (ms: number) => Promise<void>;
}

/** Enough to hide the latency, and few enough that servers and providers with other work cope. */
export const parallelMax = 4;
const retryDelaysMs = [1_000, 2_000, 4_000, 8_000];

/**
 * Does the same to many items, a few at a time, and goes on after a failure. Retries while the
 * server is too busy. Items that were not started have no outcome.
 */
export async function runBulk<Item, Result>(
  options: BulkOptions<Item, Result>,
): Promise<readonly Outcome<Item, Result>[]> {
  const { items, work, onProgress, signal, wait = delay } = options;
  const outcomes: Outcome<Item, Result>[] = [];
  await forEachLimited(items, signal, async (item) => {
    try {
      outcomes.push({ item, result: await retryWhileBusy(() => work(item), wait) });
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

async function retryWhileBusy<Result>(
  work: () => Promise<Result>,
  wait: (ms: number) => Promise<void>,
): Promise<Result> {
  for (const ms of retryDelaysMs) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ApiError) || (error.status !== 429 && error.status !== 503)) throw error;
      await wait(ms);
    }
  }
  return work();
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
