import { expect, test } from 'vitest';
import { versionRanges } from './presets.ts';

test.each([
  [1, 1, 1, [[0, 1]]],
  [10, 1, 10, [[0, 10]]],
  [11, 11, 11, [[10, 1]]],
  [
    200,
    38,
    42,
    [
      [30, 10],
      [40, 10],
    ],
  ],
  [45, 41, 45, [[40, 5]]],
])('of %i versions, those from %i to %i are on the pages %j', (count, oldest, newest, pages) => {
  const ranges = versionRanges(count, oldest, newest);
  expect(ranges.map(({ offset, limit }) => [offset, limit])).toEqual(pages);
});
