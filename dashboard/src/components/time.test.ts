import { describe, expect, it } from 'vitest';
import { dayOf, endOfDay, exactTimes, relativeTime, startOfDay } from './time.tsx';

const now = Date.parse('2026-11-15T12:00:00.000Z');
const minute = 60_000;
const day = 1_440 * minute;

it.each([
  [0, 'just now'],
  [-59_000, 'just now'],
  [30_000, 'in a moment'],
  [-minute, '1 minute ago'],
  [-119 * minute, '1 hour ago'],
  [-day, 'yesterday'],
  [-30 * day, '30 days ago'],
  [-31 * day, 'Oct 15, 2026'],
  [15 * minute - 1_000, 'in 15 minutes'],
  [60 * minute - 1_000, 'in 1 hour'],
  [119 * minute, 'in 2 hours'],
  [13 * 60 * minute, 'in 13 hours'],
  [day - 1_000, 'tomorrow'],
  [2 * day, 'in 2 days'],
  [7 * day - 1, 'in 7 days'],
  [30 * day - 5_000, 'in 30 days'],
  [31 * day - 1_000, 'Dec 16, 2026'],
  [90 * day, 'Feb 13, 2027'],
])('the time %s ms from now is shown as "%s"', (distance, text) => {
  expect(relativeTime(now + distance, now)).toBe(text);
});

it.each([
  ['Europe/Berlin', 'Mon, Nov 16, 2026, 00:30:05 GMT+1'],
  ['America/New_York', 'Sun, Nov 15, 2026, 18:30:05 EST'],
])('exactTimes returns the local time in %s with its zone, then UTC', (timeZone, local) => {
  expect(exactTimes('2026-11-15T23:30:05.678Z', timeZone)).toEqual([local, '2026-11-15 23:30:05 UTC']);
});

it.each([
  ['2026-11-15T00:00:00.000Z', 'Today'],
  ['2026-11-14T23:59:59.999Z', 'Yesterday'],
  ['2026-11-13T12:00:00.000Z', 'Friday, November 13'],
  ['2025-12-31T12:00:00.000Z', 'Wednesday, December 31, 2025'],
])('the day of %s is "%s"', (at, text) => {
  expect(dayOf(at, new Date(now))).toBe(text);
});

describe('startOfDay and endOfDay', () => {
  it('return midnight in local time', () => {
    expect(startOfDay('2027-12-31')).toEqual(new Date(2027, 11, 31));
    expect(endOfDay('2027-12-31')).toEqual(new Date(2028, 0, 1));
  });

  it.each(['', 'yesterday', '2027-13-01', '2027-1-1', '0001-01-01', '12027-01-01'])(
    'return undefined for "%s"',
    (date) => {
      expect(startOfDay(date)).toBeUndefined();
      expect(endOfDay(date)).toBeUndefined();
    },
  );
});
