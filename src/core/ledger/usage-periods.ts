import type { Resolution } from './rollup.ts';
import type { Granularity } from './usage-catalog.ts';

/** A range of time, in hours since 1970, UTC. */
export interface HourRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** A part of a range that one kind of sums covers. */
interface Segment extends HourRange {
  readonly resolution: Resolution;
}

/** A period that calls are grouped by, or the part of it that is in a range. */
interface Period extends HourRange {
  /** Where the whole period starts, in hours since 1970. */
  readonly period: number;
}

export const hourMs = 3_600_000;
const dayHours = 24;

/** The range of full hours that contains a range of time. */
export function hoursOf(startMs: number, endMs: number): HourRange {
  return { start: Math.floor(startMs / hourMs), end: Math.ceil(endMs / hourMs) };
}

/**
 * The periods of a range, in order. Without a granularity, there is one. Weeks start on Monday, and
 * everything is in UTC.
 */
export function periodsOf(
  { start, end }: HourRange,
  granularity: Granularity | undefined,
): readonly Period[] {
  if (granularity === undefined) return [{ period: start, start, end }];
  const periods: Period[] = [];
  for (let from = start; from < end; ) {
    const period = periodStart(from, granularity);
    const to = Math.min(end, nextPeriod(period, granularity));
    periods.push({ period, start: from, end: to });
    from = to;
  }
  return periods;
}

/** Divides a range into whole days, which have their own sums, and the hours around them. */
export function segmentsOf({ start, end }: HourRange): readonly Segment[] {
  const firstDay = Math.ceil(start / dayHours) * dayHours;
  const lastDay = Math.floor(end / dayHours) * dayHours;
  if (firstDay >= lastDay) return [{ resolution: 1, start, end }];
  const parts: readonly Segment[] = [
    { resolution: 1, start, end: firstDay },
    { resolution: 24, start: firstDay, end: lastDay },
    { resolution: 1, start: lastDay, end },
  ];
  return parts.filter((part) => part.start < part.end);
}

function periodStart(hour: number, granularity: Granularity): number {
  if (granularity === 'hour') return hour;
  if (granularity === 'day') return hour - (hour % dayHours);
  // 1970-01-01 was a Thursday.
  if (granularity === 'week') return hour - ((hour + 3 * dayHours) % (7 * dayHours));
  return startOfMonth(hour, 0);
}

function nextPeriod(start: number, granularity: Granularity): number {
  if (granularity === 'hour') return start + 1;
  if (granularity === 'day') return start + dayHours;
  return granularity === 'week' ? start + 7 * dayHours : startOfMonth(start, 1);
}

function startOfMonth(hour: number, later: number): number {
  const date = new Date(hour * hourMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later) / hourMs;
}

/** When the current day, week or month ends. */
export function endOfPeriod(now: number, granularity: Granularity): string {
  const start = periodStart(Math.floor(now / hourMs), granularity);
  return new Date(nextPeriod(start, granularity) * hourMs).toISOString();
}

/** The starts of the current day, week and month, in hours since 1970. */
export function currentPeriods(now: number): Readonly<Record<'day' | 'week' | 'month', number>> {
  const hour = Math.floor(now / hourMs);
  return {
    day: periodStart(hour, 'day'),
    week: periodStart(hour, 'week'),
    month: periodStart(hour, 'month'),
  };
}
