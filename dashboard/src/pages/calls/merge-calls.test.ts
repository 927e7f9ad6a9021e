import { describe, expect, test } from 'vitest';
import type { Generation } from '../../../../src/api/generations.ts';
import { mergeCalls, newCalls } from './merge-calls.ts';

const calls = (...ids: readonly string[]) => ids.map((id) => ({ id }) as Generation);
const idsOf = (list: readonly Generation[]) => list.map(({ id }) => id);

test('calls of several pages are in one order, each once', () => {
  expect(idsOf(mergeCalls(calls('c', 'a'), calls('d', 'c', 'b')))).toEqual(['d', 'c', 'b', 'a']);
});

describe('new calls', () => {
  test('are those that the list lacks, also between calls that it shows', () => {
    expect(idsOf(newCalls(calls('e', 'd', 'c', 'b'), calls('d', 'b'), false))).toEqual(['e', 'c']);
  });

  test('older calls loaded by paging are not new', () => {
    expect(idsOf(newCalls(calls('c', 'b', 'a'), calls('c', 'b'), false))).toEqual([]);
    expect(idsOf(newCalls(calls('c', 'b', 'a'), calls('c', 'b'), true))).toEqual(['a']);
    expect(idsOf(newCalls(calls('a'), [], true))).toEqual(['a']);
  });
});
