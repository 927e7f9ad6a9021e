import { expect, it } from 'vitest';
import { Cooling } from './cooling.ts';

it.each([
  ['2', 2_000],
  ['0.5', 500],
  [new Date(1_000_000_003_000).toUTCString(), 3_000],
  ['3600', 60_000],
])('a model that said "Retry-After: %s" is left alone for %i ms', (retryAfter, ms) => {
  let now = 1_000_000_000_000;
  const cooling = new Cooling(() => now);
  cooling.note('a', retryAfter);
  expect(cooling.isCooling('a')).toBe(true);
  expect(cooling.isCooling('b')).toBe(false);
  now += ms - 1;
  expect(cooling.isCooling('a')).toBe(true);
  now += 1;
  expect(cooling.isCooling('a')).toBe(false);
});

it.each([undefined, '', 'soon', '-1', '0', ['1']])('nothing follows from "Retry-After: %j"', (retryAfter) => {
  const cooling = new Cooling(() => 0);
  cooling.note(undefined, retryAfter);
  expect(cooling.isCooling(undefined)).toBe(false);
});

it('remembers no more than a thousand', () => {
  const cooling = new Cooling(() => 0);
  for (let index = 0; index <= 1_000; index += 1) cooling.note(String(index), '60');
  expect(cooling.isCooling('0')).toBe(false);
  expect(cooling.isCooling('1')).toBe(true);
});
