import { expect, it } from 'vitest';
import {
  costDecimals,
  formatAmount,
  formatCost,
  formatDuration,
  formatMetric,
  formatShare,
} from './metric-text.ts';

it.each<[unknown, string]>([
  [null, 'unknown'],
  [0, '$0.00'],
  [1, '$1.00'],
  [12_345.678, '$12,345.68'],
  [0.5, '$0.5000'],
  [0.0123, '$0.0123'],
  [0.001_234, '$0.00123'],
  [0.000_000_001, '$0.000000001'],
  [-1.5, '-$1.50'],
  ['\u001b', '\\u001b'],
])('a cost of %s dollars reads %s', (dollars, text) => {
  expect(formatCost(dollars)).toBe(text);
});

it.each<[(value: unknown) => string, unknown, string]>([
  [formatAmount, 1_234_567, '1,234,567'],
  [formatAmount, null, '–'],
  [formatAmount, undefined, '–'],
  [formatDuration, 0.4, '0 ms'],
  [formatDuration, 999.4, '999 ms'],
  [formatDuration, 999.6, '1.0 s'],
  [formatDuration, 75_000, '75.0 s'],
  [formatDuration, null, '–'],
  [formatShare, 0.025, '2.5%'],
  [formatShare, null, '–'],
])('%o shows %s as %s', (format, value, text) => {
  expect(format(value)).toBe(text);
});

it.each([
  ['request_count', 1_234, '1,234'],
  ['total_usage', null, 'unknown'],
  ['error_rate', 0.004, '0.4%'],
  ['latency_p95', 1_900, '1.9 s'],
  ['throughput', 54.32, '54.3'],
] as const)('the metric %s of %s reads %s', (name, value, text) => {
  expect(formatMetric(name, value)).toBe(text);
});

it.each<[readonly unknown[], readonly string[]]>([
  [
    [4.12, 3.08, 0.92, 0],
    ['$4.12', '$3.08', '$0.92', '$0.00'],
  ],
  [
    [0.002_55, 0.002_5, null],
    ['$0.00255', '$0.00250', 'unknown'],
  ],
  [
    [3.77, 0.0024],
    ['$3.7700', '$0.0024'],
  ],
  [[], []],
])('costs %j in a column have the same decimals', (costs, texts) => {
  expect(costs.map((cost) => formatCost(cost, costDecimals(costs)))).toEqual(texts);
});

it('a cost that the decimals of its column round to nothing keeps its own', () => {
  expect([0, 0.000_000_4, 0.000_461, 1].map((cost) => formatCost(cost, 6))).toEqual([
    '$0.000000',
    '$0.000000400',
    '$0.000461',
    '$1.000000',
  ]);
});
