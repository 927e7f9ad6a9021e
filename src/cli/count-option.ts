import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function parseLimit(text: string): number {
  return countUpTo(10_000, text);
}

/** As many as one answer of the server holds. */
export function parsePageLimit(text: string): number {
  return countUpTo(100, text);
}

function countUpTo(maximum: number, text: string): number {
  const count = parseCount(text);
  if (count < 1 || count > maximum) throw new InvalidArgumentError(`It must be from 1 to ${maximum}.`);
  return count;
}
