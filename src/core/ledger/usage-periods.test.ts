import fc from 'fast-check';
import { expect, it } from 'vitest';
import { granularities } from './usage-catalog.ts';
import { currentPeriods, endOfPeriod, hourMs, hoursOf, periodsOf, segmentsOf } from './usage-periods.ts';

const hour = (time: string) => Date.parse(time) / hourMs;

it.each([
  ['hour', '2026-03-04T05:00Z', ['2026-03-04T05:00Z', '2026-03-04T06:00Z', '2026-03-04T07:00Z']],
  ['day', '2026-02-28T05:00Z', ['2026-02-28T00:00Z', '2026-03-01T00:00Z', '2026-03-02T00:00Z']],
  // A Sunday, and a year that starts on a Thursday.
  ['week', '2026-01-04T23:00Z', ['2025-12-29T00:00Z', '2026-01-05T00:00Z', '2026-01-12T00:00Z']],
  ['month', '2025-12-31T23:00Z', ['2025-12-01T00:00Z', '2026-01-01T00:00Z', '2026-02-01T00:00Z']],
] as const)('periods of a %s start where they should', (granularity, from, starts) => {
  const range = { start: hour(from), end: hour(from) + 90 * 24 };
  expect(
    periodsOf(range, granularity)
      .slice(0, 3)
      .map(({ period }) => period),
  ).toEqual(starts.map(hour));
});

const range = fc
  .tuple(fc.integer({ min: 0, max: 600_000 }), fc.integer({ min: 1, max: 3_000 }))
  .map(([start, hours]) => ({ start, end: start + hours }));

it('periods and segments cover a range exactly once', () => {
  fc.assert(
    fc.property(range, fc.constantFrom(undefined, ...granularities), (whole, granularity) => {
      const periods = periodsOf(whole, granularity);
      for (const parts of [periods, periods.flatMap(segmentsOf)]) {
        expect(parts[0]?.start).toBe(whole.start);
        expect(parts.at(-1)?.end).toBe(whole.end);
        for (const [index, part] of parts.entries()) {
          expect(part.end).toBeGreaterThan(part.start);
          if (index > 0) expect(part.start).toBe(parts[index - 1]?.end);
        }
      }
      for (const { period, start } of periods) expect(period).toBeLessThanOrEqual(start);
    }),
  );
});

it('segments of days begin and end at midnight', () => {
  fc.assert(
    fc.property(range, (whole) => {
      for (const { resolution, start, end } of segmentsOf(whole))
        expect([start % resolution, end % resolution]).toEqual([0, 0]);
    }),
  );
});

it('a range is widened to full hours', () => {
  expect(hoursOf(Date.parse('2026-01-01T10:59:59Z'), Date.parse('2026-01-01T11:00:01Z'))).toEqual({
    start: hour('2026-01-01T10:00Z'),
    end: hour('2026-01-01T12:00Z'),
  });
});

it('the current periods start at midnight, on Monday and on the first of the month', () => {
  expect(currentPeriods(Date.parse('2026-11-18T22:41:00Z'))).toEqual({
    day: hour('2026-11-18T00:00Z'),
    week: hour('2026-11-16T00:00Z'),
    month: hour('2026-11-01T00:00Z'),
  });
});

it.each([
  ['day', '2026-12-01T00:00:00.000Z'],
  ['week', '2026-12-07T00:00:00.000Z'],
  ['month', '2026-12-01T00:00:00.000Z'],
] as const)('the current %s ends in UTC', (granularity, end) => {
  expect(endOfPeriod(Date.parse('2026-11-30T23:59:59.999Z'), granularity)).toBe(end);
});
