import { expect, it } from 'vitest';
import { isMemberCountExact } from './member-count.ts';

const page = (length: number, total_count: number) => ({ data: Array(length).fill('member'), total_count });

it.each([
  ['a list', page(50, 51), 0, undefined, true],
  ['a list with an empty query', page(50, 51), 0, ' ', true],
  ['a search on its last page', page(7, 57), 50, 'grace', true],
  ['a search with several members after the page', page(50, 300), 0, 'grace', true],
  ['a search with one member after the page', page(50, 101), 50, 'grace', false],
  ['a search that finds nobody', page(0, 0), 0, 'grace', true],
])('isMemberCountExact tells whether the total of %s is exact', (_, given, offset, query, expected) => {
  expect(isMemberCountExact(given, offset, query)).toBe(expected);
});
