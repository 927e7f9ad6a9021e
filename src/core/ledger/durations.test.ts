import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketOf, compactDurations, durationOf, formatDuration, quantilesOf } from './durations.ts';

describe('durations', () => {
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

  it('a duration of any length has a bucket', () => {
    for (const ms of [0, 1e12, 1e300, Number.POSITIVE_INFINITY])
      expect(formatDuration(ms)).toMatch(/^[A-Za-z]{2}$/);
    expect(formatDuration(0)).toBe('AA');
  });

  it('texts that were appended or compacted have the quantiles of all their durations', () => {
    const durations = fc.array(fc.double({ min: 0, max: 600_000, noNaN: true }), {
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(durations, durations, (some, more) => {
        const text = (all: readonly number[]) => all.map(formatDuration).join('');
        const appended = compactDurations(text(some)) + text(more);
        const shares = [0.01, 0.5, 0.95, 1];
        const sorted = [...some, ...more].toSorted((one, other) => one - other);
        const exact = shares.map((share) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
        for (const each of [appended, compactDurations(appended)])
          expect(quantilesOf(each, shares)).toEqual(exact.map((ms) => durationOf(bucketOf(ms))));
        expect(compactDurations(appended).length).toBeLessThanOrEqual(appended.length);
      }),
    );
  });

  it('nothing has no quantiles', () => {
    expect(quantilesOf('', [0.5])).toEqual([undefined]);
    expect(compactDurations('')).toBe('');
  });

  it('a bucket with several calls is written once', () => {
    expect(compactDurations('FyFzFyFy')).toBe('Fy3Fz');
    expect(compactDurations('Fy12Fz10Fy')).toBe('Fy13Fz10');
  });
});
