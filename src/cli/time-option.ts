import { InvalidArgumentError } from 'commander';

const pattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/**
 * Converts an ISO 8601 date or time to a UTC timestamp. As in JavaScript, a date alone is midnight
 * in UTC, and a time without an offset is local time.
 */
export function parseTime(text: string): string {
  const day = pattern.exec(text)?.[1];
  const time = new Date(day === undefined || !isCalendarDay(day) ? Number.NaN : text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Must be a time such as 2027-01-31 or 2027-01-31T09:30:00Z.');
  return time.toISOString();
}

/** Needed because JavaScript parses February 31 as March 3. */
function isCalendarDay(day: string): boolean {
  const time = new Date(day);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}
