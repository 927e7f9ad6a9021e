import { expect, it } from 'vitest';
import { limitInput, readLimit } from './limit-field.tsx';

it.each([
  ['', 'never', { limit: null, limit_reset: null }],
  [' ', 'daily', { limit: null, limit_reset: 'daily' }],
  ['20', 'monthly', { limit: 20, limit_reset: 'monthly' }],
  [' $12.50 ', 'never', { limit: 12.5, limit_reset: null }],
  ['0', 'weekly', { limit: 0, limit_reset: 'weekly' }],
] as const)('reads the limit "%s" that resets %s', (amount, reset, limit) => {
  expect(readLimit({ amount, reset })).toEqual({ limit });
});

it.each(['twenty', '-1', '1e3', '12,50', '9000000.01', '0.0000000001'])(
  'asks for another amount than "%s"',
  (amount) => {
    expect(readLimit({ amount, reset: 'never' }).problem).toMatch(/^Enter an amount such as 20/);
  },
);

it.each([
  { limit: null, limit_reset: null },
  { limit: 12.5, limit_reset: 'weekly' },
  { limit: 8_999_999.97, limit_reset: 'daily' },
  { limit: 0.000_000_001, limit_reset: null },
] as const)('an unchanged limit stays the same: %j', (limit) => {
  expect(readLimit(limitInput(limit))).toEqual({ limit });
});
