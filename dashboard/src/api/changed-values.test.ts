import { expect, it } from 'vitest';
import { changedValues } from './changed-values.ts';

it('returns the values that changed, or undefined if none did', () => {
  const before = { name: 'A', description: null as string | null };
  expect(changedValues(before, { name: 'B', description: null })).toEqual({ name: 'B' });
  expect(changedValues(before, { name: 'A', description: 'text' })).toEqual({ description: 'text' });
  expect(changedValues(before, { ...before })).toBeUndefined();
});
