import { yieldToEventLoop } from '../cooperative-scheduler.ts';
import type { Page } from '../organization/organization.ts';

/**
 * Batch sizes. A version can be a megabyte, so the first batch is small, and batches grow only
 * while the consumer keeps reading.
 */
const batchSizes = { first: 2, largest: 16 };

/**
 * Yields the versions of a page in order, reading them in batches. Stops at `latestVersion`, so
 * that versions added meanwhile do not appear.
 */
export async function* streamVersions<Version>(
  read: (page: Page) => Promise<readonly Version[]>,
  latestVersion: number,
  page: Page = { offset: 0, limit: latestVersion },
): AsyncGenerator<Version> {
  const end = Math.min(page.offset + page.limit, latestVersion);
  let { offset } = page;
  let batchSize = batchSizes.first;
  while (offset < end) {
    yield* await read({ offset, limit: Math.min(batchSize, end - offset) });
    offset += batchSize;
    batchSize = Math.min(2 * batchSize, batchSizes.largest);
    await yieldToEventLoop();
  }
}
