import { yieldToEventLoop } from '../concurrency/cooperative-scheduler.ts';
import type { Page } from '../page.ts';

/**
 * Batch sizes. A version can be a megabyte, so the first batch is small, and batches grow only
 * while the consumer keeps reading.
 */
const batchSizes = { first: 2, largest: 16 };

/**
 * Yields a page of `count` items in order, reading them in batches. `read` must return the same
 * items in the same places until the end: an item added or removed meanwhile must not shift them.
 */
export async function* streamBatches<Item>(
  read: (page: Page) => Promise<readonly Item[]>,
  count: number,
  page: Page = { offset: 0, limit: count },
): AsyncGenerator<Item> {
  const end = Math.min(page.offset + page.limit, count);
  let { offset } = page;
  let batchSize = batchSizes.first;
  while (offset < end) {
    yield* await read({ offset, limit: Math.min(batchSize, end - offset) });
    offset += batchSize;
    batchSize = Math.min(2 * batchSize, batchSizes.largest);
    await yieldToEventLoop();
  }
}
