import { describe, expect, it, test } from 'vitest';
import { daysOf } from '../../features/usage/time-range.ts';
import { granularitiesOf, groupNames, parseView, periodDates, type UsageView } from './usage-view.ts';

const now = Date.parse('2026-11-18T13:45:00Z');
const view = (search = '', isOrganization = false) => {
  const params = new URLSearchParams(search);
  return parseView((name) => params.get(name) ?? '', now, { isOrganization });
};
const rangeOf = ({ start, end, granularity }: UsageView) => [
  new Date(start).toISOString().slice(0, 16),
  new Date(end).toISOString().slice(0, 16),
  granularity,
];

describe('a range', () => {
  it.each([
    ['', ['2026-10-20T00:00', '2026-11-19T00:00', 'day']],
    ['range=24h', ['2026-11-17T14:00', '2026-11-18T14:00', 'hour']],
    ['range=7d', ['2026-11-12T00:00', '2026-11-19T00:00', 'day']],
    ['range=90d&granularity=week', ['2026-08-21T00:00', '2026-11-19T00:00', 'week']],
    ['range=90d&granularity=hour', ['2026-08-21T00:00', '2026-11-19T00:00', 'day']],
    ['range=constructor', ['2026-10-20T00:00', '2026-11-19T00:00', 'day']],
    ['from=2026-11-01&to=2026-11-02', ['2026-11-01T00:00', '2026-11-03T00:00', 'hour']],
    ['from=2024-01-01&to=2025-01-01', ['2024-01-01T00:00', '2025-01-02T00:00', 'week']],
    ['from=2016-01-01&to=2026-11-18', ['2016-01-01T00:00', '2026-11-19T00:00', 'month']],
    ['from=2026-11-02&to=2026-11-01', ['2026-10-20T00:00', '2026-11-19T00:00', 'day']],
    ['from=2026-02-31&to=soon', ['2026-10-20T00:00', '2026-11-19T00:00', 'day']],
  ])('of "%s" is %j', (search, range) => {
    expect(rangeOf(view(search))).toEqual(range);
  });

  test('is shown by its first and last day', () => {
    expect(daysOf(view('from=2026-11-01&to=2026-11-02'))).toEqual({ from: '2026-11-01', to: '2026-11-02' });
  });

  test('has a period for each day, with calls or without', () => {
    expect(periodDates(view('range=7d'))).toHaveLength(7);
    expect(periodDates(view('range=7d'))[0]).toBe('2026-11-12T00:00:00.000Z');
    expect(periodDates(view('range=24h'))).toHaveLength(24);
  });

  test('offers hours only if there are few', () => {
    expect(granularitiesOf(view('range=7d'))).toEqual(['hour', 'day', 'week', 'month']);
    expect(granularitiesOf(view('range=90d'))).toEqual(['day', 'week', 'month']);
  });
});

describe('groups', () => {
  it.each([
    ['', 'preset'],
    ['group=model', 'model'],
    ['group=none', undefined],
    ['group=session', 'preset'],
    ['group=version', 'preset'],
    ['preset=bot', 'version'],
    ['preset=bot&version=7', undefined],
    ['preset=bot&version=7&group=key', 'key'],
    ['group=workspace', 'preset'],
  ])('of "%s" are by %s', (search, group) => {
    expect(view(search).group).toBe(group);
  });

  test('can be workspaces in the whole organization', () => {
    expect(view('group=workspace', true).group).toBe('workspace');
    expect(groupNames({}, { isOrganization: true })).toContain('workspace');
    expect(groupNames({}, { isOrganization: false })).not.toContain('workspace');
  });
});

it.each([
  ['', { purpose: 'call' }],
  ['purpose=call', { purpose: 'call' }],
  ['purpose=work', { purpose: 'call' }],
  ['preset=bot', { preset: 'bot', purpose: 'call' }],
  ['purpose=workbench', { purpose: 'workbench' }],
  ['purpose=all', {}],
  ['preset=bot&purpose=all', { preset: 'bot' }],
])('"%s" filters by %o: runs in the workbench count only if asked for', (search, filter) => {
  expect(view(search).filter).toEqual(filter);
});

test('two versions are compared only with each other', () => {
  expect(view('preset=bot&version=7&compare=6')).toMatchObject({ compared: 6, group: 'version' });
  expect(view('preset=bot&version=7&compare=7').compared).toBeUndefined();
  expect(view('preset=bot&compare=6').compared).toBeUndefined();
  expect(view('preset=bot&version=7&compare=x').compared).toBeUndefined();
});

test('an unknown measure or quantile in the URL becomes the default', () => {
  expect(view('')).toMatchObject({ measure: 'latency', quantile: 'p95' });
  expect(view('measure=first_token&quantile=p99')).toMatchObject({ measure: 'first_token', quantile: 'p99' });
  expect(view('measure=x&quantile=p1')).toMatchObject({ measure: 'latency', quantile: 'p95' });
});
