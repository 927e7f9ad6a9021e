import { describe, expect, test } from 'vitest';
import type { Generation } from '../../../../src/api/generations.ts';
import { mergeCalls, newCalls } from './merge-calls.ts';
import { fetchNewest } from './use-calls.ts';

const calls = (...ids: readonly string[]) => ids.map((id) => ({ id }) as Generation);
const idsOf = (list: readonly Generation[]) => list.map(({ id }) => id);

test('calls of several pages are in one order, each once', () => {
  expect(idsOf(mergeCalls(calls('c', 'a'), calls('d', 'c', 'b')))).toEqual(['d', 'c', 'b', 'a']);
});

describe('new calls', () => {
  test('are those that the list lacks, also between calls that it shows', () => {
    expect(idsOf(newCalls(calls('e', 'd', 'c', 'b'), calls('d', 'b'), false))).toEqual(['e', 'c']);
  });

  test('are not those that come when the list is continued', () => {
    expect(idsOf(newCalls(calls('c', 'b', 'a'), calls('c', 'b'), false))).toEqual([]);
    expect(idsOf(newCalls(calls('c', 'b', 'a'), calls('c', 'b'), true))).toEqual(['a']);
    expect(idsOf(newCalls(calls('a'), [], true))).toEqual(['a']);
  });
});

describe('the newest calls', () => {
  /** Pages of one call each: z, y, x, … */
  const letters = [...'abcdefghijklmnopqrstuvwxyz'].toReversed();
  const fetchPage = async (cursor = 'zz') => {
    const next = letters.find((letter) => letter < cursor);
    return { rows: calls(next ?? ''), next };
  };

  test('are read up to the first one that is known', async () => {
    expect(await fetchNewest(fetchPage, 'x')).toMatchObject({ calls: calls('z', 'y', 'x'), isGap: false });
    expect(await fetchNewest(fetchPage, 'z')).toMatchObject({ calls: calls('z'), isGap: false });
  });

  test('are one page if none is known', async () => {
    expect(await fetchNewest(fetchPage, undefined)).toMatchObject({ calls: calls('z'), isGap: false });
  });

  test('have a gap if there are too many', async () => {
    const { calls: found, isGap, first } = await fetchNewest(fetchPage, 'a');
    expect([found.length, isGap, idsOf(first.rows)]).toEqual([5, true, ['z']]);
  });

  test('are not searched further after an empty page, and may have a gap', async () => {
    const fetchRare = async (cursor?: string) =>
      cursor === undefined ? { rows: calls('z'), next: 'y' } : { rows: [], next: 'k' };
    expect(await fetchNewest(fetchRare, 'a')).toMatchObject({ calls: calls('z'), isGap: true });
    expect(await fetchNewest(fetchRare, 'm')).toMatchObject({ calls: calls('z'), isGap: false });
  });
});
