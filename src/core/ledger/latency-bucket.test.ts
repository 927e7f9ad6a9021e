import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bucketOf, durationOf } from './latency-bucket.ts';

it('a duration is at most 1 % away from that of its bucket', () => {
  fc.assert(
    fc.property(fc.double({ min: 1, max: 86_400_000, noNaN: true }), (ms) => {
      expect(Math.abs(durationOf(bucketOf(ms)) - ms)).toBeLessThanOrEqual(ms * 0.01);
    }),
  );
});

it('longer durations are never in an earlier bucket', () => {
  const durations = [0, 0.5, 1, 1.01, 1.02, 1.03, 2, 100, 101, 1e6];
  const buckets = durations.map(bucketOf);
  expect(buckets).toEqual(buckets.toSorted((one, other) => one - other));
  expect(buckets.slice(0, 3)).toEqual([0, 0, 0]);
  expect(buckets[3]).toBe(1);
});
