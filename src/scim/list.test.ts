import { expect, it } from 'vitest';
import { findMatching, pageOf } from './list.ts';

it.each<[query: object, offset: number, limit: number]>([
  [{}, 0, 100],
  [{ startIndex: '', count: '' }, 0, 100],
  [{ startIndex: '11', count: '10' }, 10, 10],
  [{ startIndex: '0', count: '-5' }, 0, 0],
  [{ startIndex: '-1', count: '5000' }, 0, 1_000],
])('the query %j is the page at %i with %i resources', (query, offset, limit) => {
  expect(pageOf(query)).toEqual({ offset, limit });
});

it.each([{ count: 'x' }, { startIndex: '1.5' }, { count: '1e3' }, { startIndex: '9999999999' }])(
  'the query %j is not a page',
  (query) => {
    expect(() => pageOf(query)).toThrow(expect.objectContaining({ scimType: 'invalidValue' }));
  },
);

it('a filter without an index reads everything, up to a limit', async () => {
  const numbers =
    (count: number) =>
    async ({ offset, limit }: { offset: number; limit: number }) =>
      Array.from({ length: Math.max(0, Math.min(limit, count - offset)) }, (_, index) => offset + index);
  expect(await findMatching(numbers(1_200), (each) => each % 500 === 1)).toEqual([1, 501, 1_001]);
  await expect(findMatching(numbers(10_001), () => true)).rejects.toMatchObject({ scimType: 'tooMany' });
});
