import { expect, it } from 'vitest';
import { formatBar } from './bar.ts';

it.each([
  [10, 10, 4, '████'],
  [5, 10, 4, '██'],
  [5, 10, 3, '█▌'],
  [0.001, 10, 4, '▏'],
  [0, 10, 4, ''],
  [Number.NaN, 10, 4, ''],
  [1, 0, 4, ''],
  [20, 10, 4, '████'],
])('the bar of %s of %s is %s columns wide at most: %s', (value, largest, width, bar) => {
  expect(formatBar(value, largest, width)).toBe(bar);
});
