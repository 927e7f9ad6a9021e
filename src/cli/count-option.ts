import { InvalidArgumentError } from 'commander';

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function parseLimit(text: string): number {
  const count = parseCount(text);
  if (count < 1 || count > 10_000) throw new InvalidArgumentError('It must be from 1 to 10000.');
  return count;
}
