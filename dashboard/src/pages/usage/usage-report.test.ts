import { describe, expect, test } from 'vitest';
import type { UsageQuery, UsageResult, UsageRow } from '../../api/usage.ts';
import { positionOf } from './chart.tsx';
import { groupColor, metricSeries, quantileSeries } from './chart-series.ts';
import { liveChanges } from './live-changes.ts';
import { fetchReport, rangeBefore } from './usage-report.ts';
import { parseView } from './usage-view.ts';

const now = Date.parse('2026-11-18T13:45:00Z');
const date = '2026-11-18T00:00:00.000Z';
const viewOf = (search: string) => {
  const params = new URLSearchParams(search);
  return parseView((name) => params.get(name) ?? '', now, { isOrganization: false });
};
const ofApps = { field: 'purpose', operator: 'eq', value: 'call' };
const nameOf = (row: UsageRow) => String(row.model ?? row.preset_version);

/** Groups with costs of 10, 9, 8 … dollars, of which each has two calls on the last day. */
const models = Array.from({ length: 10 }, (_, index) => ({
  model: `m${index}`,
  total_usage: 10 - index,
  request_count: 2,
  tokens_total: 100,
  error_count: index === 9 ? 1 : 0,
  unpriced_request_count: index === 8 ? 1 : 0,
  billable_request_count: index >= 8 ? 1 : 2,
  error_rate: index === 9 ? 0.5 : 0,
  latency_p95: 100,
}));
const total = {
  total_usage: 55,
  request_count: 20,
  tokens_total: 1_000,
  error_count: 1,
  unpriced_request_count: 1,
  billable_request_count: 18,
  error_rate: 0.05,
};

/** Answers like the server, and keeps the questions. */
function server(rows: readonly UsageRow[], truncated = false) {
  const asked: UsageQuery[] = [];
  const fetch = async (query: UsageQuery): Promise<UsageResult> => {
    asked.push(query);
    const [condition] = query.filters?.filter(({ operator }) => operator === 'in') ?? [];
    const [field] = query.dimensions ?? [];
    const listed = condition && [condition.value].flat();
    const found = field
      ? rows.filter((row) => listed === undefined || listed.includes(row[field] ?? ''))
      : [total];
    const data = found.map((row) => (query.granularity === undefined ? row : { ...row, date }));
    return { data, metadata: { query_time_ms: 1, row_count: data.length, truncated } };
  };
  return { asked, fetch };
}

describe('a report', () => {
  test('has series of the first groups, and what they leave of the total', async () => {
    const { fetch, asked } = server(models);
    const report = await fetchReport(viewOf('group=model&range=7d'), now, fetch);
    expect(asked).toHaveLength(5);
    expect(asked.at(-1)?.filters).toEqual([
      ofApps,
      { field: 'model', operator: 'in', value: ['m0', 'm1', 'm2', 'm3', 'm4', 'm5'], include_unset: false },
    ]);
    const spend = metricSeries(report, 'total_usage', nameOf);
    expect(spend.map(({ name, values }) => [name, values.at(-1)])).toEqual([
      ['m0', 10],
      ['m1', 9],
      ['m2', 8],
      ['m3', 7],
      ['m4', 6],
      ['m5', 5],
      ['4 others', 10],
    ]);
    expect(spend[0]?.values).toEqual([0, 0, 0, 0, 0, 0, 10]);
    expect(metricSeries(report, 'request_count', nameOf).at(-1)?.values.at(-1)).toBe(8);
    expect(metricSeries(report, 'error_rate', nameOf).at(-1)?.values).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
      0.125,
    ]);
    // Of 8 calls, one has no known cost and one failed for free.
    expect(metricSeries(report, 'cost_per_call', nameOf).at(-1)?.values.at(-1)).toBeCloseTo(10 / 6);
    // Quantiles cannot be subtracted.
    expect(metricSeries(report, 'latency_p95', nameOf).map(({ name }) => name)).not.toContain('4 others');
    expect(groupColor(0, report)).toBe('var(--chart-1)');
    expect(groupColor(9, report)).toBe('var(--chart-other)');
  });

  test('asks for calls without a value if they are one of the first groups', async () => {
    const rows = models.map((row, index) => (index === 2 ? { ...row, model: null } : row));
    const { fetch, asked } = server(rows);
    await fetchReport(viewOf('group=model'), now, fetch);
    expect(asked.at(-1)?.filters).toEqual([
      ofApps,
      { field: 'model', operator: 'in', value: ['m0', 'm1', 'm3', 'm4', 'm5'], include_unset: true },
    ]);
  });

  test('with few groups has one series for each', async () => {
    const { fetch, asked } = server(models.slice(0, 7));
    const report = await fetchReport(viewOf('group=model'), now, fetch);
    expect(metricSeries(report, 'request_count', nameOf)).toHaveLength(7);
    expect(asked.at(-1)?.filters).toEqual([ofApps]);
  });

  test('without groups has one series, and all quantiles of the latency', async () => {
    const { fetch, asked } = server([]);
    const report = await fetchReport(viewOf('group=none&range=7d'), now, fetch);
    expect(asked).toHaveLength(3);
    expect(
      metricSeries(report, 'request_count', nameOf).map(({ name, values }) => [name, values.at(-1)]),
    ).toEqual([['Calls', 20]]);
    expect(quantileSeries(report).map(({ name }) => name)).toEqual(['p50', 'p95', 'p99']);
  });

  test('shows an unknown cost as no value, and not as zero', async () => {
    const free = [{ model: 'm0', request_count: 2, total_usage: null, unpriced_request_count: 2 }];
    const report = await fetchReport(viewOf('group=model'), now, server(free).fetch);
    const values = metricSeries(report, 'total_usage', nameOf)[0]?.values ?? [];
    expect([values.at(0), values.at(-1)]).toEqual([0, null]);
  });

  test('of two versions asks for these, and lists the older one first', async () => {
    const versions = [
      { preset_version: 7, request_count: 2, total_usage: 5 },
      { preset_version: 6, request_count: 2, total_usage: 4 },
    ];
    const { fetch, asked } = server(versions);
    const report = await fetchReport(viewOf('preset=bot&version=7&compare=6'), now, fetch);
    expect(report.groups.map(({ row }) => row.preset_version)).toEqual([6, 7]);
    expect(asked[0]?.filters).toEqual([
      ofApps,
      { field: 'preset', operator: 'eq', value: 'bot' },
      { field: 'preset_version', operator: 'in', value: [7, 6] },
    ]);
  });

  test('says if there are more groups than it has', async () => {
    expect((await fetchReport(viewOf(''), now, server([], true).fetch)).isCut).toBe(true);
    expect((await fetchReport(viewOf(''), now, server([]).fetch)).isCut).toBe(false);
  });
});

test('a version went live when an event changed the live version', () => {
  const event = (before: object | null, after: object | null, created_at: string) =>
    ({ before, after, created_at }) as Parameters<typeof liveChanges>[0][number];
  const events = [
    event({ designated_version: 2 }, { designated_version: 1 }, '2026-11-18T12:00:00.000Z'),
    event({ designated_version: 2 }, { version: 3, designated_version: 2 }, '2026-11-18T11:00:00.000Z'),
    event({ designated_version: 1 }, { version: 2, designated_version: 2 }, '2026-11-18T10:00:00.000Z'),
    event({ name: 'a' }, { name: 'b' }, '2026-11-18T09:00:00.000Z'),
    event(null, { version: 1, designated_version: 1 }, '2026-11-01T09:00:00.000Z'),
  ];
  const { start, end } = viewOf('range=7d');
  expect(liveChanges(events, start, end)).toEqual([
    { version: 2, at: Date.parse('2026-11-18T10:00:00Z') },
    { version: 1, at: Date.parse('2026-11-18T12:00:00Z') },
  ]);
});

test('a marker is inside its period', () => {
  const dates = ['2026-11-17T00:00:00.000Z', '2026-11-18T00:00:00.000Z'];
  expect(positionOf(Date.parse('2026-11-17T12:00:00Z'), dates)).toBe(0.5);
  expect(positionOf(Date.parse('2026-11-18T06:00:00Z'), dates)).toBe(1.25);
});

describe('the time before a range', () => {
  const rangeOf = (search: string) => {
    const range = rangeBefore(viewOf(search), now);
    return range && [range.start, range.end].map((at) => new Date(at).toISOString().slice(0, 16));
  };

  test('is as long as what has passed of the range', () => {
    expect(rangeOf('range=7d')).toEqual(['2026-11-05T10:00', '2026-11-12T00:00']);
    expect(rangeOf('range=24h')).toEqual(['2026-11-16T14:00', '2026-11-17T14:00']);
    expect(rangeOf('from=2026-11-01&to=2026-11-02')).toEqual(['2026-10-30T00:00', '2026-11-01T00:00']);
  });

  test('is not compared with where it would be incomplete, or beside the point', () => {
    expect(rangeOf('error=canceled')).toBeUndefined();
    expect(rangeOf('preset=bot&version=7&compare=6')).toBeUndefined();
    expect(rangeOf('from=2027-11-01&to=2027-11-02')).toBeUndefined();
    expect(rangeOf('model=m0')).toBeDefined();
  });

  test('is in a report if there were calls', async () => {
    expect((await fetchReport(viewOf(''), now, server([]).fetch)).previous).toEqual(total);
    const none = async (query: UsageQuery): Promise<UsageResult> => ({
      data: [{ request_count: query.granularity === undefined ? 0 : 1 }],
      metadata: { query_time_ms: 1, row_count: 1, truncated: false },
    });
    expect((await fetchReport(viewOf(''), now, none)).previous).toBeUndefined();
  });
});
