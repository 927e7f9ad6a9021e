import { type UsageMetricName, usageMetrics } from '../../../../src/core/ledger/usage-catalog.ts';
import type { UsageRow } from '../../api/usage.ts';
import type { UsageGroup, UsageReport } from './usage-report.ts';

/** A line or a part of the bars of a chart. */
export interface ChartSeries {
  readonly name: string;
  /** A color of the theme, as CSS. */
  readonly color: string;
  /** One for each period. Null where there is no value: unknown, or not defined without calls. */
  readonly values: readonly (number | null)[];
}

/** The color of the groups of a report, in their order. Those without a series share the last. */
export function groupColor(index: number, { groups }: Pick<UsageReport, 'groups'>): string {
  return groups[index]?.periods === undefined ? otherColor : `var(--chart-${index + 1})`;
}

const otherColor = 'var(--chart-other)';

/**
 * The series of a metric: one for each of the first groups and one for all others, whose sums are
 * what is left of the total. Others have no quantiles, which cannot be computed from those of
 * groups.
 */
export function metricSeries(
  report: UsageReport,
  metric: UsageMetricName,
  nameOf: (row: UsageRow) => string,
): readonly ChartSeries[] {
  const { groups, dates, periods } = report;
  if (groups.length === 0)
    return [
      {
        name: usageMetrics[metric].label,
        color: metric === 'error_rate' ? 'var(--danger)' : 'var(--chart-1)',
        values: valuesOf(periods, dates, metric),
      },
    ];
  const shown = groupsWithSeries(report).map(({ row, periods: own, color }) => ({
    name: nameOf(row),
    color,
    values: valuesOf(own, dates, metric),
  }));
  if (shown.length === groups.length || usageMetrics[metric].quantile !== undefined) return shown;
  const rest = new Map(dates.map((date) => [date, restOf(periods.get(date), groups, date)]));
  const name = othersName(report) ?? '';
  return [...shown, { name, color: otherColor, values: valuesOf(rest, dates, metric) }];
}

/** The name of the series for all remaining groups; undefined if there are none. */
function othersName({ groups, isCut }: UsageReport): string | undefined {
  const count = groups.filter(({ periods }) => periods === undefined).length;
  if (count === 0) return undefined;
  return isCut ? 'All others' : `${count} others`;
}

/** The groups that have a series of their own, in their order; versions by number. */
function groupsWithSeries(report: UsageReport) {
  const found = report.groups.flatMap(({ row, periods }, index) =>
    periods === undefined ? [] : [{ row, periods, color: groupColor(index, report) }],
  );
  if (report.view.group !== 'version') return found;
  const versionOf = ({ row }: { readonly row: UsageRow }) => Number(row.preset_version);
  return found.toSorted((one, other) => versionOf(one) - versionOf(other));
}

/** The names and colors of all series. Empty without groups. */
export function legendSeries(
  report: UsageReport,
  nameOf: (row: UsageRow) => string,
): readonly Pick<ChartSeries, 'name' | 'color'>[] {
  const named = groupsWithSeries(report).map(({ row, color }) => ({ name: nameOf(row), color }));
  const others = othersName(report);
  return others === undefined ? named : [...named, { name: others, color: otherColor }];
}

/** The three quantiles of a latency, where there are no groups. */
export function quantileSeries(report: UsageReport): readonly ChartSeries[] {
  const { dates, periods, view } = report;
  return (['p50', 'p95', 'p99'] as const).map((quantile, index) => ({
    name: quantile,
    color: `var(--chart-${index + 1})`,
    values: valuesOf(periods, dates, `${view.measure}_${quantile}`),
  }));
}

function valuesOf(
  rows: ReadonlyMap<string, UsageRow | undefined>,
  dates: readonly string[],
  metric: UsageMetricName,
): readonly (number | null)[] {
  return dates.map((date) => metricValue(rows.get(date), metric));
}

/** Without calls, sums are zero and rates are not defined. */
export function metricValue(row: UsageRow | undefined, metric: UsageMetricName): number | null {
  if (row === undefined) return usageMetrics[metric].isRate ? null : 0;
  const value = row[metric];
  return typeof value === 'number' ? value : null;
}

/** The value of a period minus that of all groups shown; undefined if no calls remain. */
function restOf(
  total: UsageRow | undefined,
  groups: readonly UsageGroup[],
  date: string,
): UsageRow | undefined {
  if (total === undefined) return undefined;
  const rows = groups.map(({ periods }) => periods?.get(date));
  const left = (metric: UsageMetricName) => {
    const sum = rows.reduce<number>((added, row) => added + Number(row?.[metric] ?? 0), 0);
    return Number(total[metric] ?? 0) - sum;
  };
  const calls = left('request_count');
  if (calls === 0) return undefined;
  const unpriced = left('unpriced_request_count');
  const billable = left('billable_request_count');
  // Costs are stored in billionths.
  const cost = Math.max(0, Math.round(left('total_usage') * 1e9) / 1e9);
  return {
    request_count: calls,
    tokens_total: left('tokens_total'),
    unpriced_request_count: unpriced,
    total_usage: unpriced === calls ? null : cost,
    cost_per_call: billable === 0 ? null : cost / billable,
    error_rate: left('error_count') / calls,
  };
}
