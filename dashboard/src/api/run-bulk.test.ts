import { expect, test } from 'vitest';
import { ApiError } from './api-error.ts';
import { runBulk } from './run-bulk.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('a bulk run changes a few presets at a time and reports progress', async () => {
  let running = 0;
  let runningMax = 0;
  const progress: number[] = [];
  const outcomes = await runBulk({
    items: numbers(20),
    work: async (item) => {
      running += 1;
      runningMax = Math.max(runningMax, running);
      await Promise.resolve();
      running -= 1;
      return item * 2;
    },
    onProgress: (done) => progress.push(done),
  });
  expect(outcomes.map((outcome) => 'result' in outcome && outcome.result)).toEqual(
    numbers(20).map((n) => n * 2),
  );
  expect(runningMax).toBe(4);
  expect(progress).toEqual(numbers(20).map((n) => n + 1));
});

test('a bulk run continues after a failure', async () => {
  const outcomes = await runBulk({
    items: numbers(6),
    work: async (item) => {
      if (item === 2) throw new Error('no');
      return item;
    },
  });
  expect(outcomes).toHaveLength(6);
  expect(outcomes.filter((outcome) => 'error' in outcome).map(({ item }) => item)).toEqual([2]);
});

test('a bulk run starts nothing after it is aborted', async () => {
  const controller = new AbortController();
  const outcomes = await runBulk({
    items: numbers(20),
    work: async (item) => {
      if (item === 5) controller.abort();
    },
    signal: controller.signal,
  });
  expect(outcomes.length).toBeLessThan(10);
});

test('a bulk run retries only while the server is busy', async () => {
  const calls: string[] = [];
  const waits: number[] = [];
  const outcomes = await runBulk({
    items: ['busy', 'missing', 'overloaded'],
    work: async (item) => {
      calls.push(item);
      if (item === 'missing') throw new ApiError(404, 'No such preset.');
      if (item === 'overloaded') throw new ApiError(503, 'Try again.');
      if (calls.filter((call) => call === item).length < 3) throw new ApiError(429, 'Slow down.');
    },
    wait: async (ms) => void waits.push(ms),
  });
  expect(calls.filter((call) => call === 'busy')).toHaveLength(3);
  expect(calls.filter((call) => call === 'missing')).toHaveLength(1);
  expect(calls.filter((call) => call === 'overloaded')).toHaveLength(7);
  expect(Math.max(...waits)).toBe(32_000);
  expect(outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.item] : [])).toSorted()).toEqual([
    'missing',
    'overloaded',
  ]);
});
