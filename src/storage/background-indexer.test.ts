import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { settlesWithin } from '../../test/support/settles-within.ts';
import { BackgroundIndexer } from './background-indexer.ts';

describe('a background indexer', () => {
  it('pauses briefly after a small batch that waited for the database, even while busy', async () => {
    const batches = [1, 1];
    const indexer = new BackgroundIndexer({
      noun: 'items',
      indexBatch: async () => {
        await delay(300);
        return batches.pop();
      },
    });
    const load = setInterval(() => {
      for (const end = performance.now() + 20; performance.now() < end; );
    }, 1);
    const run = indexer.run();
    // Pausing in proportion to the time of the batches would take 11 seconds.
    expect(await settlesWithin(run, { timers: 25, ms: 200 })).toBe(true);
    clearInterval(load);
    expect(await run).toBe(2);
  });
});
