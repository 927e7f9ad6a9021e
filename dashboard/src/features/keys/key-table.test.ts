import { expect, it } from 'vitest';
import { keyState, spentOfLimit } from './key-table.tsx';

const now = Date.parse('2027-01-01T00:00:00.000Z');

it.each([
  [false, null, 'active'],
  [false, '2027-01-01T00:00:00.001Z', 'active'],
  [false, '2027-01-01T00:00:00.000Z', 'expired'],
  [true, '2026-01-01T00:00:00.000Z', 'disabled'],
  [true, null, 'disabled'],
] as const)('a key with disabled=%s and expiry %s is %s', (disabled, expires_at, state) => {
  expect(keyState({ disabled, expires_at }, now)).toBe(state);
});

it.each([
  [{ limit: 50, limit_remaining: 37.6, limit_reset: 'monthly' }, '$12.40 of $50 this month', 0.248],
  [{ limit: 0.3, limit_remaining: 0.1, limit_reset: 'daily' }, '$0.2000 of $0.30 today', 2 / 3],
  [{ limit: 20, limit_remaining: -1.5, limit_reset: 'weekly' }, '$21.50 of $20 this week', 1],
  [{ limit: 20, limit_remaining: 20, limit_reset: null }, '$0.00 of $20', 0],
  [{ limit: 0, limit_remaining: 0, limit_reset: null }, '$0.00 of $0', 1],
] as const)('a key with %j has spent %s', (key, text, share) => {
  const spent = spentOfLimit(key);
  expect(spent?.text).toBe(text);
  expect(spent?.share).toBeCloseTo(share, 9);
});

it('a key without a limit shows no spend', () => {
  expect(spentOfLimit({ limit: null, limit_remaining: null, limit_reset: 'daily' })).toBeUndefined();
});
