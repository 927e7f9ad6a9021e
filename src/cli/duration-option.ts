import { InvalidArgumentError } from 'commander';

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const secondsMax = 30 * 86_400;

/** Seconds of "90s", "30m", "12h" or "7d". Only nothing at all needs no unit. */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = text === '0' ? 0 : Number(number) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  if (seconds <= secondsMax) return seconds;
  throw new InvalidArgumentError('It must be 0 or a duration such as 90s, 30m, 12h or 7d, at most 30d.');
}
