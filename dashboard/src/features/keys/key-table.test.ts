import { expect, it } from 'vitest';
import { keyState } from './key-table.tsx';

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
