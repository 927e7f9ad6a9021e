import { expect, test } from 'vitest';
import { versionRanges } from './presets.ts';

test.each([
  [1, 1, [[0, 1]]],
  [29, 9, [[0, 29]]],
  [
    30,
    9,
    [
      [20, 10],
      [0, 20],
    ],
  ],
  [60, 1, [[40, 20]]],
  [
    60,
    2,
    [
      [40, 20],
      [20, 20],
    ],
  ],
  [1_000, 1, [[980, 20]]],
])('splits %i versions into at most %i ranges, newest first', (count, rangesMax, expected) => {
  expect(versionRanges(count, rangesMax)).toEqual(expected.map(([offset, limit]) => ({ offset, limit })));
});

test('for any count, the ranges contain each version once and none is large', () => {
  for (let count = 1; count <= 200; count += 1) {
    const ranges = versionRanges(count, 99);
    expect(ranges.reduce((sum, { limit }) => sum + limit, 0)).toBe(count);
    expect(Math.max(...ranges.map(({ limit }) => limit))).toBeLessThan(30);
    expect(ranges.at(-1)?.offset).toBe(0);
  }
});
