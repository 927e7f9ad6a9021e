import { InvalidArgumentError } from 'commander';

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
