import { describe, expect, it } from 'vitest';
import { queryOf, renderUsage, type UsageOptions } from './usage.ts';

const now = Date.parse('2026-11-19T10:30:00.000Z');
const render = (data: Parameters<typeof renderUsage>[0]['data'], options: UsageOptions, lineWidth: number) =>
  renderUsage({ data }, options, queryOf(options, now), lineWidth);

describe('the query of presetd usage', () => {
  it('usage asks for each of the last 30 days, today included', () => {
    expect(queryOf({}, now)).toEqual({
      metrics: ['total_usage', 'request_count', 'tokens_total', 'error_rate', 'latency_p95'],
      filters: [{ field: 'purpose', operator: 'eq', value: 'call' }],
      granularity: 'day',
      time_range: { start: '2026-10-21T00:00:00.000Z', end: '2026-11-19T10:30:00.000Z' },
      limit: 10_000,
    });
  });

  it('usage asks for sums, filters and a range as its options say', () => {
    const options: UsageOptions = {
      by: ['model'],
      preset: 'bot',
      upstream: 'main',
      since: '2026-11-01T00:00:00.000Z',
      until: '2026-11-02T00:00:00.000Z',
      metric: ['request_count'],
    };
    expect(queryOf(options, now)).toEqual({
      metrics: ['request_count'],
      dimensions: ['model'],
      filters: [
        { field: 'preset', operator: 'eq', value: 'bot' },
        { field: 'upstream', operator: 'eq', value: 'main' },
        { field: 'purpose', operator: 'eq', value: 'call' },
      ],
      time_range: { start: '2026-11-01T00:00:00.000Z', end: '2026-11-02T00:00:00.000Z' },
      limit: 50,
    });
  });

  it('usage includes runs of the workbench if it is asked to, or shows purposes', () => {
    expect(queryOf({ purpose: 'all' }, now).filters).toEqual([]);
    expect(queryOf({ by: ['purpose'] }, now).filters).toEqual([]);
    expect(queryOf({ purpose: 'workbench' }, now).filters).toEqual([
      { field: 'purpose', operator: 'eq', value: 'workbench' },
    ]);
  });

  it('usage counts whole days back from the end', () => {
    const range = (options: UsageOptions) => queryOf(options, now).time_range;
    expect(range({ days: 1 })).toMatchObject({ start: '2026-11-19T00:00:00.000Z' });
    expect(range({ days: 7, until: '2026-11-08T00:00:00.000Z' })).toMatchObject({
      start: '2026-11-01T00:00:00.000Z',
    });
  });

  it('usage rejects --days together with --since', () => {
    expect(() => queryOf({ days: 1, since: '2026-11-01T00:00:00.000Z' }, now)).toThrow(
      'Use --days or --since, not both.',
    );
  });
});

describe('the table of presetd usage', () => {
  const day = (date: string, calls: number, cost: number | null) => ({
    date: `${date}T00:00:00.000Z`,
    request_count: calls,
    total_usage: cost,
    tokens_total: calls * 1_000,
    error_rate: 0.025,
    latency_p95: 1_250,
  });
  const days = [day('2026-11-17', 2_000, 4), day('2026-11-19', 5, null)];

  it('days without calls are shown, an unknown cost is never 0, and lines fit 80 columns', () => {
    const text = render(days, {}, 80);
    expect(text).toBe(
      `
DAY            COST  CALLS     TOKENS  ERROR RATE  LATENCY P95
2026-11-17    $4.00  2,000  2,000,000        2.5%        1.3 s  ████████████████
2026-11-18    $0.00      0          0           –            –
2026-11-19  unknown      5      5,000        2.5%        1.3 s`.trimStart(),
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('a pipe gets the same table without bars', () => {
    expect(render(days, {}, Number.POSITIVE_INFINITY)).not.toMatch(/[█▏]/);
  });

  it('days before the first call are shown if the range was asked for', () => {
    const shown = (options: UsageOptions) => render(days, options, 80).split('\n').length - 1;
    expect(shown({ days: 5 })).toBe(3);
    expect(shown({ since: '2026-11-15T00:00:00.000Z' })).toBe(5);
  });

  it('bars show calls if no cost is known, and rows are in their order', () => {
    const rows = [
      { model: 'a', request_count: 1, total_usage: null, tokens_total: 1, error_rate: 0, latency_p95: 1 },
      { model: null, request_count: 4, total_usage: null, tokens_total: 1, error_rate: 0, latency_p95: 1 },
    ];
    expect(render(rows, { by: ['model'] }, 70)).toBe(
      `
MODEL      COST  CALLS  TOKENS  ERROR RATE  LATENCY P95
(none)  unknown      4       1        0.0%         1 ms  █████████████
a       unknown      1       1        0.0%         1 ms  ███▎`.trimStart(),
    );
  });

  it('a version is shown with its preset, and names in place of ids', () => {
    const rows = [
      {
        preset: 'p-1',
        preset_slug: 'bot',
        preset_version: 3,
        user: 'u-1',
        user_email: 'ann@example.com',
        request_count: 2,
      },
      {
        preset: 'p-2',
        preset_slug: null,
        preset_version: 1,
        user: 'u-2',
        user_email: null,
        request_count: 1,
      },
      {
        preset: null,
        preset_slug: null,
        preset_version: null,
        user: 'u-2',
        user_email: null,
        request_count: 1,
      },
    ];
    const options: UsageOptions = { by: ['preset', 'preset_version', 'user'], metric: ['request_count'] };
    expect(render(rows, options, Number.POSITIVE_INFINITY)).toBe(
      `
VERSION  PERSON           CALLS
bot@3    ann@example.com      2
p-2@1    u-2                  1
(none)   u-2                  1`.trimStart(),
    );
  });

  it.each([
    ['hour', '2026-11-19 00:00Z'],
    ['day', '2026-11-19'],
    ['week', '2026-11-19'],
    ['month', '2026-11'],
  ] as const)('a row of each %s begins with its time', (granularity, shown) => {
    const text = render([day('2026-11-19', 1, 1)], { granularity, by: ['status'] }, 80);
    expect(text.split('\n')[1]?.split(/ {2,}/)[0]).toBe(shown);
  });

  it('without calls, usage says so', () => {
    expect(render([], {}, 80)).toBe('No calls found.');
  });
});

it('versions are listed in the order of their numbers, those of a preset together', () => {
  const row = (slug: string | null, version: number | null, calls: number) => ({
    preset: slug,
    preset_slug: slug,
    preset_version: version,
    request_count: calls,
  });
  const options: UsageOptions = { by: ['preset', 'preset_version'], metric: ['request_count'] };
  const rows = [row(null, null, 9), row('bot', 10, 8), row('mail', 1, 7), row('bot', 2, 1)];
  const lines = render(rows, options, Number.POSITIVE_INFINITY).split('\n');
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['VERSION', 'bot@2', 'bot@10', 'mail@1', '(none)']);
});
