import { InvalidArgumentError } from 'commander';

const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/** ISO 8601. A day begins in UTC; a time without a zone is of the zone that the machine is in. */
export function parseTime(text: string): string {
  const day = form.exec(text)?.[1];
  const time = new Date(day === undefined || !isDay(day) ? Number.NaN : text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('It must be a time such as 2027-01-31 or 2027-01-31T09:30:00Z.');
  return time.toISOString();
}

/** JavaScript takes February 31 for March 3. */
function isDay(day: string): boolean {
  const time = new Date(day);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}
