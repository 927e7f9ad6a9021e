import { expect, it } from 'vitest';
import { keyKind, keyState } from './key-state.ts';

const now = Date.parse('2027-01-01T00:00:00.000Z');

it.each([
  [false, null, 'active'],
  [false, '2027-01-01T00:00:00.001Z', 'active'],
  [false, '2027-01-01T00:00:00.000Z', 'expired'],
  [true, '2026-01-01T00:00:00.000Z', 'disabled'],
  [true, null, 'disabled'],
] as const)('disabled %s with the expiry %s is %s', (disabled, expires_at, state) => {
  expect(keyState({ disabled, expires_at }, now)).toBe(state);
});

it.each([
  ['api', false, 'API key'],
  ['management', false, 'Management'],
  ['management', true, 'Management, read-only'],
] as const)('%s, read-only %s, is called %s', (kind, read_only, words) => {
  expect(keyKind({ kind, read_only })).toBe(words);
});
