import { expect, it } from 'vitest';
import { costOf, exactNanos, type Price, type TokenCounts, toDollars } from './price.ts';

const none: TokenCounts = { input: null, cached: null, cacheWrite: null, output: null, reasoning: null };
const usual: Price = { inputPerMillion: 3, outputPerMillion: 15 };

it.each<[what: string, tokens: Partial<TokenCounts>, price: Price, nanos: number | undefined]>([
  ['input and output', { input: 1_000, output: 100 }, usual, 4_500_000],
  [
    'cached input at its own price',
    { input: 1_000, cached: 600, output: 0 },
    { ...usual, cachedInputPerMillion: 0.3 },
    1_380_000,
  ],
  ['cached input without a price of its own', { input: 1_000, cached: 600, output: 0 }, usual, 3_000_000],
  [
    'input written to the cache',
    { input: 1_000, cacheWrite: 400, output: 0 },
    { ...usual, cacheWritePerMillion: 3.75 },
    3_300_000,
  ],
  [
    'cached and written input',
    { input: 1_000, cached: 500, cacheWrite: 300, output: 0 },
    { ...usual, cachedInputPerMillion: 0.3, cacheWritePerMillion: 3.75 },
    1_875_000,
  ],
  [
    'more cached input than input',
    { input: 100, cached: 900, output: 0 },
    { ...usual, cachedInputPerMillion: 0 },
    0,
  ],
  ['a price for each call', { input: 1_000, output: 100 }, { ...usual, request: 0.01 }, 14_500_000],
  ['only a price for each call', {}, { request: 0.04 }, 40_000_000],
  ['embeddings, which have no output', { input: 10 }, { inputPerMillion: 0.02 }, 200],
  ['a response whose input is not known', { output: 10 }, usual, undefined],
  ['a response whose input is free', { output: 10 }, { inputPerMillion: 0, outputPerMillion: 1 }, 10_000],
  ['no known count', {}, usual, undefined],
  ['prices that say nothing about tokens', { input: 5 }, {}, undefined],
  ['a free model', { input: 5, output: 5 }, { inputPerMillion: 0, outputPerMillion: 0 }, 0],
])('the cost of %s', (_, tokens, price, nanos) => {
  expect(costOf({ ...none, ...tokens }, price)).toBe(nanos);
});

it.each([
  [0, 0],
  [0.000_000_001, 1],
  [0.3, 300_000_000],
  [12.345_678_901, 12_345_678_901],
  [4_503_599.63, 4_503_599_630_000_000],
  [8_999_999.97, 8_999_999_970_000_000],
  [9_000_000, 9_000_000_000_000_000],
])('%d dollars are %d billionths, and the other way around', (dollars, nanos) => {
  expect(exactNanos(dollars)).toBe(nanos);
  expect(toDollars(nanos)).toBe(dollars);
});

it.each([0.1 + 0.2, 0.000_000_000_1, 1e-30, 1.000_000_000_5])(
  '%d dollars are not a whole number of billionths',
  (dollars) => {
    expect(exactNanos(dollars)).toBeUndefined();
  },
);
