import { expect, it } from 'vitest';
import { formatBar, formatCount, formatDollars, formatDuration, formatShare } from './metric-text.ts';

it.each<[unknown, string]>([
  [null, 'unknown'],
  [0, '$0.00'],
  [1, '$1.00'],
  [12_345.678, '$12,345.68'],
  [0.5, '$0.5000'],
  [0.0123, '$0.0123'],
  [0.001_234, '$0.0012'],
  [0.000_000_001, '$0.000000001'],
  [-1.5, '-$1.50'],
  ['\u001b', '\\u001b'],
])('a cost of %s dollars reads %s', (dollars, text) => {
  expect(formatDollars(dollars)).toBe(text);
});

it.each<[(value: unknown) => string, unknown, string]>([
  [formatCount, 1_234_567, '1,234,567'],
  [formatCount, null, '-'],
  [formatCount, undefined, '-'],
  [formatDuration, 0.4, '0 ms'],
  [formatDuration, 999.4, '999 ms'],
  [formatDuration, 999.6, '1.0 s'],
  [formatDuration, 75_000, '75.0 s'],
  [formatDuration, null, '-'],
  [formatShare, 0.025, '2.5%'],
  [formatShare, null, '-'],
])('%o shows %s as %s', (format, value, text) => {
  expect(format(value)).toBe(text);
});

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
