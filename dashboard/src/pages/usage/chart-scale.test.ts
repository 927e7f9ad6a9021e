import { describe, expect, it, test } from 'vitest';
import {
  axisDate,
  currentPeriod,
  labeledPeriods,
  linePath,
  markerGroups,
  periodText,
  pointsPath,
  tickText,
  valueTicks,
} from './chart-scale.ts';

it.each([
  [0, [0]],
  [Number.NaN, [0]],
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [3, [0, 1, 2, 3]],
  [7.3, [0, 2, 4, 6, 8]],
  [40, [0, 10, 20, 30, 40]],
  [0.3, [0, 0.1, 0.2, 0.3]],
  [0.000_000_003, [0, 0.000_000_001, 0.000_000_002, 0.000_000_003]],
  [1_234_567, [0, 500_000, 1_000_000, 1_500_000]],
])('values up to %s have the ticks %j', (largest, ticks) => {
  expect(valueTicks(largest)).toEqual(ticks);
});

it.each([
  [0, 'currency', '$0'],
  [0.4, 'currency', '$0.40'],
  [0.0025, 'currency', '$0.0025'],
  [0.000_000_001, 'currency', '$0.000000001'],
  [12.5, 'currency', '$12.5'],
  [1_500, 'currency', '$1.5K'],
  [2_500_000, 'number', '2.5M'],
  [0.075, 'percent', '7.5%'],
  [500, 'latency', '500 ms'],
  [1_500, 'latency', '1.5 s'],
] as const)('the tick %s of a %s reads %s', (tick, format, text) => {
  expect(tickText(tick, format)).toBe(text);
});

it.each([
  [30, 600, 60, [0, 3, 6, 9, 12, 15, 18, 21, 24, 27]],
  [24, 300, 60, [0, 6, 12, 18]],
  [3, 600, 60, [0, 1, 2]],
  [10, 20, 60, [0]],
])('%s periods in %s pixels are labeled every %s pixels at %j', (count, width, labelWidth, periods) => {
  expect(labeledPeriods(count, width, labelWidth)).toEqual(periods);
});

it.each([
  ['hour', '2026-11-18T14:00:00.000Z', '14:00', 'Wed, Nov 18, 2026, 14:00'],
  ['hour', '2026-11-18T00:00:00.000Z', 'Nov 18', 'Wed, Nov 18, 2026, 00:00'],
  ['day', '2026-11-18T00:00:00.000Z', 'Nov 18', 'Wed, Nov 18, 2026'],
  ['week', '2026-11-16T00:00:00.000Z', 'Nov 16', 'Week of Mon, Nov 16, 2026'],
  ['month', '2026-11-01T00:00:00.000Z', 'Nov 2026', 'Nov 2026'],
] as const)('the %s of %s reads "%s" on an axis and "%s" in a table', (granularity, date, axis, table) => {
  expect([axisDate(date, granularity), periodText(date, granularity)]).toEqual([axis, table]);
});

test('a line has gaps where there is no value, and a point where there is only one', () => {
  const points = [[0, 1], [10, 2.25], null, [30, 4], null] as const;
  expect(linePath(points)).toBe('M0 1L10 2.3M30 4');
  expect(pointsPath(points)).toBe('M30 4h0');
});

test('the period with the current time has not ended', () => {
  const dates = ['2026-11-17T00:00:00.000Z', '2026-11-18T00:00:00.000Z'];
  const end = Date.parse('2026-11-19T00:00:00Z');
  expect(currentPeriod(dates, end, Date.parse('2026-11-18T12:00:00Z'))).toBe(1);
  expect(currentPeriod(dates, end, end)).toBe(-1);
});

describe('markers', () => {
  const plot = { left: 40, right: 640 };
  const group = (...xs: readonly number[]) =>
    markerGroups(
      xs.map((x, index) => ({ x, text: `v${index + 1}` })),
      plot,
    );

  test('that are far apart have a text each', () => {
    expect(group(100, 200)).toEqual([
      { text: 'v1', textX: 100, lines: [100] },
      { text: 'v2', textX: 200, lines: [200] },
    ]);
  });

  test('whose texts would touch share one', () => {
    expect(group(100, 110, 400)).toEqual([
      { text: '2 versions went live', textX: 105, lines: [100, 110] },
      { text: 'v3', textX: 400, lines: [400] },
    ]);
  });

  test('join a group whose text would touch theirs, and draw no lines that look like one', () => {
    expect(group(60, 200, 202, 270)).toEqual([
      { text: 'v1', textX: 60, lines: [60] },
      { text: '3 versions went live', textX: 235, lines: [200, 270] },
    ]);
  });

  test('have their text inside the plot', () => {
    const [{ textX = 0 } = {}] = group(636, 640);
    expect(textX).toBeLessThan(580);
    expect(group(640)[0]?.textX).toBeLessThan(640);
  });
});
