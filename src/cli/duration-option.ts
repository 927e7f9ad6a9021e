import { InvalidArgumentError } from 'commander';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** The longest grace period that the server accepts. */
const secondsMax = 30 * 86_400;

/**
 * Converts "90s", "30m", "12h" or "7d" to seconds. Only 0 may omit the unit: a bare number could
 * mean seconds or minutes.
 */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(number) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  if (seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError('Must be 0 or a duration such as 90s, 30m, 12h or 7d, at most 30d.');
}
