import { hourMs } from '../../../../src/core/ledger/usage-periods.ts';

/**
 * The range of time of the pages of usage and calls, in the parameters `range`, `from` and `to` of
 * the URL. Days and hours are in UTC, in which calls are counted.
 */

export interface TimeRange<Name extends string = RangeName> {
  readonly range: Name;
  /** Full hours, in milliseconds since 1970; the end is exclusive. */
  readonly start: number;
  readonly end: number;
}

export type RangeName = keyof typeof rangeDays | 'custom';

const rangeDays = { '24h': 1, '7d': 7, '30d': 30, '90d': 90 } as const;

export const rangeOptions: readonly (readonly [RangeName, string])[] = [
  ['24h', 'Last 24 hours'],
  ['7d', 'Last 7 days'],
  ['30d', 'Last 30 days'],
  ['90d', 'Last 90 days'],
  ['custom', 'Custom range'],
];

export const dayMs = 24 * hourMs;

/**
 * Whole days with today, or the last 24 hours with the current one. Undefined if the URL has no
 * valid range.
 */
export function parseRange(value: (name: string) => string, now: number): TimeRange | undefined {
  const custom = customRange(value('from'), value('to'));
  if (custom !== undefined) return { range: 'custom', ...custom };
  const given = value('range');
  return isRangeName(given) ? lastDays(given, now) : undefined;
}

function isRangeName(text: string): text is keyof typeof rangeDays {
  return Object.hasOwn(rangeDays, text);
}

export function lastDays(range: keyof typeof rangeDays, now: number): TimeRange {
  const unit = range === '24h' ? hourMs : dayMs;
  const end = (Math.floor(now / unit) + 1) * unit;
  return { range, start: end - rangeDays[range] * dayMs, end };
}

/** From the start of the first day to the end of the last; undefined unless that is a range. */
function customRange(from: string, to: string): Pick<TimeRange, 'start' | 'end'> | undefined {
  const [start, last] = [dayStart(from), dayStart(to)];
  if (start === undefined || last === undefined || last < start) return undefined;
  return { start, end: last + dayMs };
}

/** Midnight in UTC; undefined for a date that is not complete yet, such as of the year 20. */
export function dayStart(text: string): number | undefined {
  if (!/^(19[789]|2\d\d)\d-\d\d-\d\d$/.test(text)) return undefined;
  const start = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(start) ? undefined : start;
}

/** The days of a range as fields take them, the last one inclusive. */
export function daysOf({ start, end }: Pick<TimeRange, 'start' | 'end'>): Readonly<{
  from: string;
  to: string;
}> {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  return { from: day(start), to: day(end - 1) };
}

/** The parameters of the URL that mean this range. */
export function rangeParams(range: TimeRange): Readonly<Record<string, string>> {
  return range.range === 'custom' ? daysOf(range) : { range: range.range };
}
