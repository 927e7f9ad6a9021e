import { useQuery } from '@tanstack/react-query';
import {
  filterDimensions,
  filterNames,
  isCounted,
  type UsageDimensionName,
  type UsageMetricName,
} from '../../../../src/core/ledger/usage-catalog.ts';
import { hourMs } from '../../../../src/core/ledger/usage-periods.ts';
import { useSession } from '../../api/session.ts';
import {
  fetchUsage,
  type UsageCondition,
  type UsageQuery,
  type UsageRow,
  type UsageScope,
  usageIntervalMs,
} from '../../api/usage.ts';
import { conditionsOf } from '../../features/usage/usage-filter.ts';
import { dimensionOf, periodDates, type UsageView } from './usage-view.ts';

/** All that the Usage page shows, of one view: its parts always belong together. */
export interface UsageReport {
  readonly view: UsageView;
  /** Of the whole range; undefined if there are no calls. */
  readonly total: UsageRow | undefined;
  /** Of as much time before the range; undefined without calls, and where versions are compared. */
  readonly previous: UsageRow | undefined;
  /** The start of each period. */
  readonly dates: readonly string[];
  /** Of all calls, by the start of the period. Periods without calls are missing. */
  readonly periods: RowsByDate;
  /** Of the whole range, the most expensive first. */
  readonly groups: readonly UsageGroup[];
  /** There are more groups than these. */
  readonly isCut: boolean;
}

type RowsByDate = ReadonlyMap<string, UsageRow>;

export interface UsageGroup {
  readonly row: UsageRow;
  /** Undefined for groups without a series of their own: charts show them together. */
  readonly periods: RowsByDate | undefined;
}

export function useUsageReport(scope: UsageScope, view: UsageView) {
  const { api } = useSession();
  return useQuery({
    queryKey: ['usage', scope, 'report', view],
    // Keeps the rows of the last report on the page, but never those of another workspace.
    placeholderData: (previous: UsageReport | undefined, query) =>
      JSON.stringify(query?.queryKey[1]) === JSON.stringify(scope) ? previous : undefined,
    refetchInterval: usageIntervalMs,
    queryFn: ({ signal }) => fetchReport(view, Date.now(), (body) => fetchUsage(api, scope, body, signal)),
  });
}

type Fetch = (body: UsageQuery) => ReturnType<typeof fetchUsage>;

/** More lines than this cannot be told apart. */
const seriesMax = 6;
const groupsMax = 1_000;
const rowsMax = 10_000;

/**
 * Groups are ranked by the whole range, and only the first get a series, in a query of their own:
 * thousands of keys by hour would be more rows than the API returns.
 */
export async function fetchReport(view: UsageView, now: number, fetch: Fetch): Promise<UsageReport> {
  const { granularity } = view;
  const dimension = dimensionOf(view);
  const query = {
    metrics: metricsOf(view),
    filters: filtersOf(view),
    time_range: rangeOf(view),
    limit: rowsMax,
  };
  const grouped = dimension && { ...query, dimensions: [dimension] };
  const before = rangeBefore(view, now);
  const [total, periods, found, previous] = await Promise.all([
    fetch(query),
    fetch({ ...query, granularity }),
    grouped && fetch({ ...grouped, limit: groupsMax }),
    before && fetch({ ...query, time_range: rangeOf(before) }),
  ]);
  const rows = inOrder(found?.data ?? [], view);
  const first = rows.slice(0, rows.length > seriesMax + 1 ? seriesMax : seriesMax + 1);
  const series =
    grouped && first.length > 0
      ? await fetch({
          ...grouped,
          granularity,
          filters: [...query.filters, ...(first.length < rows.length ? [oneOf(grouped, first)] : [])],
        })
      : undefined;
  const byGroup = Map.groupBy(series?.data ?? [], (row) => keyOf(row, dimension));
  return {
    view,
    total: total.data[0],
    previous: previous?.data.find(({ request_count: calls }) => calls !== 0),
    dates: periodDates(view),
    periods: byDate(periods.data),
    groups: rows.map((row, index) => ({
      row,
      periods: index < first.length ? byDate(byGroup.get(keyOf(row, dimension)) ?? []) : undefined,
    })),
    isCut: [total, periods, found, series].some((result) => result?.metadata.truncated === true),
  };
}

type Range = Pick<UsageView, 'start' | 'end'>;

function rangeOf({ start, end }: Range) {
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() };
}

/**
 * As much time before the range as has passed of it. Undefined where versions are compared, and for
 * filters that need single calls: those of earlier times may not be stored any more.
 */
export function rangeBefore({ start, end, filter, compared }: UsageView, now: number): Range | undefined {
  const isCountedForGood = filterNames.every(
    (name) => filter[name] === undefined || isCounted(filterDimensions[name]),
  );
  const passed = Math.min(end, Math.ceil(now / hourMs) * hourMs) - start;
  if (compared !== undefined || !isCountedForGood || passed <= 0) return undefined;
  return { start: start - passed, end: start };
}

function metricsOf({ measure }: UsageView): UsageMetricName[] {
  return [
    'total_usage',
    'cost_per_call',
    'billable_request_count',
    'unpriced_request_count',
    'request_count',
    'tokens_total',
    'tokens_prompt',
    'tokens_completion',
    'error_count',
    'error_rate',
    `${measure}_p50`,
    `${measure}_p95`,
    `${measure}_p99`,
  ];
}

function filtersOf({ filter, compared }: UsageView): UsageCondition[] {
  if (compared === undefined) return conditionsOf(filter);
  const { version, ...others } = filter;
  const versions = [Number(version), compared];
  return [...conditionsOf(others), { field: 'preset_version', operator: 'in', value: versions }];
}

/** A condition that the rows of these groups meet. */
function oneOf(
  { dimensions: [field] }: { readonly dimensions: readonly [UsageDimensionName] | UsageDimensionName[] },
  rows: readonly UsageRow[],
): UsageCondition {
  if (field === undefined) throw new Error('A grouped report needs a dimension.');
  const values = rows.map((row) => row[field] ?? null);
  return {
    field,
    operator: 'in',
    value: values.filter((value) => value !== null),
    include_unset: values.includes(null),
  };
}

/** The most expensive first, or the most called if no price is known. Versions are in order. */
function inOrder(rows: readonly UsageRow[], { compared }: UsageView): readonly UsageRow[] {
  const amount = (row: UsageRow, name: string) => Number(row[name] ?? 0);
  if (compared !== undefined)
    return rows.toSorted((one, other) => amount(one, 'preset_version') - amount(other, 'preset_version'));
  return rows.toSorted(
    (one, other) =>
      amount(other, 'total_usage') - amount(one, 'total_usage') ||
      amount(other, 'request_count') - amount(one, 'request_count'),
  );
}

function keyOf(row: UsageRow, dimension: UsageDimensionName | undefined): string {
  return JSON.stringify(dimension === undefined ? null : (row[dimension] ?? null));
}

function byDate(rows: readonly UsageRow[]): RowsByDate {
  return new Map(rows.map((row) => [String(row.date), row]));
}
