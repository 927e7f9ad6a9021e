import type { EventValues } from '../../api/events.ts';
import { oneLine, truncate } from '../../core/text/printable.ts';

/**
 * One line for the CHANGE column of event lists: "label production, version 1 → 2". Values that did
 * not change identify the subject and are shown once.
 */
export function formatEventChange(before: EventValues, after: EventValues): string {
  const sides = [before ?? {}, after ?? {}];
  const names = [...new Set(sides.flatMap((side) => Object.keys(side)))];
  return names
    .map((name) => {
      const values = sides.filter((side) => Object.hasOwn(side, name)).map((side) => formatValue(side[name]));
      return `${oneLine(name.replaceAll('_', ' '))} ${[...new Set(values)].join(' → ')}`;
    })
    .join(', ');
}

/** Values come from users and may be long, so each is cut to keep the table readable. */
function formatValue(value: unknown): string {
  if (value === null) return 'none';
  if (typeof value !== 'string') return truncate(oneLine(JSON.stringify(value)), 60);
  return timestampPattern.test(value) ? shortTime(value) : truncate(oneLine(value), 60);
}

const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Shortens an ISO 8601 timestamp in UTC to the minute, for tables: "2026-08-01 09:30Z". */
export function shortTime(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z`;
}

/** The same to the second: "2026-08-01 09:30:12Z". */
export function timeOfDay(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}Z`;
}

/** Empty if a person has no name. */
export function fullName(person: { readonly first_name: string; readonly last_name: string }): string {
  return `${person.first_name} ${person.last_name}`.trim();
}

/** The state of a key or link: "active", "expired" or "expires 2026-08-01 09:30Z". */
export function describeExpiry(expiresAt: string | null, now: string): string {
  if (expiresAt === null) return 'active';
  return Date.parse(expiresAt) <= Date.parse(now) ? 'expired' : `expires ${shortTime(expiresAt)}`;
}

/** One line for a list that can be long: the first ten, and how many more there are. */
export function listNames(names: readonly string[]): string {
  const rest = names.length - 10;
  return `${names.slice(0, 10).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** "1 preset", "2 presets": for nouns that form the plural with -s. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** "1 preset with 2 versions" */
export function describeCounts(count: { readonly presets: number; readonly versions: number }): string {
  return `${pluralize(count.presets, 'preset')} with ${pluralize(count.versions, 'version')}`;
}
