import { Argument, type Command, InvalidArgumentError } from 'commander';
import { graceSecondsMax } from '../api/limits.ts';
import { parseProfileName } from '../config/client-config.ts';
import { PresetdError } from '../core/errors.ts';
import { isName, nameRule } from '../core/organization/organization.ts';
import { MisuseError } from './command-error.ts';

/**
 * Options and arguments that several commands share. Parsers throw Commander's
 * `InvalidArgumentError`, whose message follows the name of the option.
 */

export interface PageOptions {
  readonly limit: number;
  readonly offset: number;
}

/** Adds the options of lists that are paged by offset. Fifty rows are about one screen. */
export function withPageOptions(command: Command): Command {
  return command
    .option('--limit <count>', 'Maximum number of results', parsePageLimit, 50)
    .option('--offset <count>', 'Number of results to skip', parseCount, 0);
}

/** Nine digits at most, so that the value fits into a 32-bit integer. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a whole number.');
  return Number(text);
}

/** The server returns at most 100 items per page. */
export function parsePageLimit(text: string): number {
  const count = parseCount(text);
  if (count < 1 || count > 100) throw new InvalidArgumentError('Must be from 1 to 100.');
  return count;
}

/**
 * Parses an ID, slug, label or email address that becomes a segment of a URL path. "." and ".."
 * are rejected because URL normalization would remove them, together with the segment before them.
 */
export function parseIdentifier(text: string): string {
  const identifier = text.trim();
  if (!/^\.{0,2}$/.test(identifier)) return identifier;
  throw new InvalidArgumentError('Must not be empty, "." or "..".');
}

export function memberArgument(): Argument {
  return new Argument('<member>', 'Email address or ID of the member').argParser(parseIdentifier);
}

export function workspaceArgument(): Argument {
  return new Argument('<workspace>', 'Slug or ID of the workspace').argParser(parseIdentifier);
}

/** Names of members and keys. The server checks them too; here the message names the option. */
export function parseName(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`The name ${nameRule}.`);
}

export function parseProfile(text: string): string {
  try {
    return parseProfileName(text);
  } catch (error) {
    throw new InvalidArgumentError(`The name ${error instanceof Error ? error.message : error}.`);
  }
}

/**
 * Converts an ISO 8601 date or time to a UTC timestamp. As in JavaScript, a date alone is midnight
 * in UTC, and a time without an offset is local time.
 */
export function parseTime(text: string): string {
  const day = timePattern.exec(text)?.[1];
  const time = new Date(day === undefined || !isCalendarDay(day) ? Number.NaN : text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('Must be a time such as 2027-01-31 or 2027-01-31T09:30:00Z.');
  return time.toISOString();
}

const timePattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/i;

/** Needed because JavaScript parses February 31 as March 3. */
function isCalendarDay(day: string): boolean {
  const time = new Date(day);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}

/**
 * Converts "90s", "30m", "12h" or "7d" to seconds. Only 0 may omit the unit: a bare number could
 * mean seconds or minutes.
 */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(number) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  if (seconds <= graceSecondsMax) return seconds;
  throw new InvalidArgumentError('Must be 0 or a duration such as 90s, 30m, 12h or 7d, at most 30d.');
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Parses an option or argument that may be repeated. Commander passes the values so far. */
export function repeated<T>(parse: (text: string) => T) {
  return (text: string, previous: readonly T[] = []): readonly T[] => [...previous, parse(text)];
}

/**
 * An argument that is checked by the server's own rule before anything is sent: URL normalization
 * would remove "..", together with the segment before it.
 */
export function validatedArgument(
  name: string,
  description: string,
  assert: (text: string) => void,
): Argument {
  return new Argument(name, description).argParser((text: string) => validated(text, assert));
}

export function validated(text: string, assert: (text: string) => void): string {
  try {
    assert(text);
    return text;
  } catch (error) {
    if (error instanceof PresetdError) throw new MisuseError(`"${text}" is not valid. ${error.message}`);
    throw error;
  }
}
