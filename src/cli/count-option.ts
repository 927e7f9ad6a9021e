import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

/** As many as one answer of the server holds. */
export function parsePageLimit(text: string): number {
  const count = parseCount(text);
  if (count < 1 || count > 100) throw new InvalidArgumentError('It must be from 1 to 100.');
  return count;
}
