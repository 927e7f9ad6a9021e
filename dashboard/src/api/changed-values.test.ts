import { expect, it } from 'vitest';
import { changedValues } from './changed-values.ts';

it('changed values are those that differ, or undefined if none do', () => {
  const before = { name: 'A', description: null as string | null };
  expect(changedValues(before, { name: 'B', description: null })).toEqual({ name: 'B' });
  expect(changedValues(before, { name: 'A', description: 'text' })).toEqual({ description: 'text' });
  expect(changedValues(before, { ...before })).toBeUndefined();
});
