import type { Issue } from '../errors.ts';
import type { Caller } from '../organization/caller.ts';
import { assertNoIssues } from '../request-issues.ts';
import { readableCalls, type UsageStores } from './call-access.ts';
import { quantilesOf } from './durations.ts';
import type { DimensionValue, LedgerStore, UsageRow } from './ledger-storage.ts';
import {
  type Granularity,
  isCounted,
  type UsageDimensionName,
  type UsageMetricName,
  usageDimensions,
  usageMetrics,
} from './usage-catalog.ts';
import { parseFilters, type UsageFilterInput } from './usage-filters.ts';
import { hourMs, hoursOf } from './usage-periods.ts';

/** A request for usage. */
export interface UsageQuery {
  readonly workspaceId?: string | undefined;
  readonly metrics: readonly UsageMetricName[];
  readonly dimensions: readonly UsageDimensionName[];
  readonly filters: readonly UsageFilterInput[];
  readonly granularity: Granularity | undefined;
  /** In milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  readonly orderBy: { readonly field: string; readonly direction: string } | undefined;
  readonly limit: number;
  readonly groupLimit: number | undefined;
}

interface UsageResult {
  readonly rows: readonly Readonly<Record<string, DimensionValue>>[];
  readonly isTruncated: boolean;
  readonly warnings: readonly string[];
}

const dayMs = 24 * hourMs;

/** A chart with more points than this is a mistake. */
const periodsMax = 2_000;

/**
 * Sums up the calls that the caller may read. Sums of some dimensions stay for good; any other is
 * read from single calls, which are stored for `retentionDays`.
 */
export async function queryUsage(
  { ledger, workspaces }: UsageStores,
  caller: Caller,
  query: UsageQuery,
  { retentionDays, now }: { readonly retentionDays: number; readonly now: number },
): Promise<UsageResult> {
  const scope = await readableCalls(workspaces, caller, query.workspaceId);
  assertNoIssues(issuesOf(query));
  const { dimensions, metrics, granularity } = query;
  // No call arrives later, unless the clock of a server is wrong.
  const range = hoursOf(query.start, Math.min(query.end, now + dayMs));
  const { filters, warnings } = await parseFilters(ledger, scope, query.filters);
  const rows = await ledger.report(scope, { metrics, dimensions, filters, range, granularity });
  const notes = [
    ...warnings,
    ...retentionWarnings(
      [...dimensions, ...filters.map(({ dimension }) => dimension)],
      query.start,
      retentionDays,
      now,
    ),
    ...costWarnings(metrics, rows),
  ];
  const named = await nameRows(ledger, rows, dimensions, metrics, granularity);
  const ordered = inOrder(named, query);
  const limited =
    query.groupLimit === undefined ? ordered : limitGroups(ordered, dimensions, query.groupLimit);
  return {
    rows: limited.slice(0, query.limit),
    isTruncated: limited.length > query.limit || limited.length < ordered.length,
    warnings: notes,
  };
}

function issuesOf({ metrics, dimensions, granularity, start, end, orderBy }: UsageQuery): readonly Issue[] {
  const issues: Issue[] = [];
  if (orderBy !== undefined) {
    const fields: readonly string[] = [
      ...metrics,
      ...dimensions,
      'request_count',
      ...(granularity === undefined ? [] : ['date']),
    ];
    if (!fields.includes(orderBy.field))
      issues.push({ path: '/order_by/field', message: `must be one of ${fields.join(', ')}` });
  }
  if (end <= start) issues.push({ path: '/time_range', message: 'must end after it starts' });
  const lengths = { hour: 1, day: 24, week: 168, month: 672 };
  const hours = (end - start) / hourMs;
  if (granularity !== undefined && hours / lengths[granularity] > periodsMax)
    issues.push({
      path: '/time_range',
      message: `has more than ${periodsMax} periods; choose a shorter range or a coarser granularity`,
    });
  return issues;
}

function retentionWarnings(
  names: readonly UsageDimensionName[],
  start: number,
  retentionDays: number,
  now: number,
): readonly string[] {
  const single = names.filter((name) => !isCounted(name));
  if (single.length === 0 || start >= now - retentionDays * dayMs) return [];
  return [
    `Calls are stored for ${retentionDays} days, so older ones are missing: ${single.join(', ')} cannot be counted without them.`,
  ];
}

function costWarnings(metrics: readonly UsageMetricName[], rows: readonly UsageRow[]): readonly string[] {
  if (!metrics.some((name) => usageMetrics[name].format === 'currency')) return [];
  const unpriced = rows.reduce((sum, row) => sum + row.unpricedCalls, 0);
  if (unpriced === 0) return [];
  return [
    `The cost of ${unpriced} ${unpriced === 1 ? 'call' : 'calls'} is not known and not included. Set prices in the upstream file.`,
  ];
}

async function nameRows(
  ledger: Pick<LedgerStore, 'names'>,
  rows: readonly UsageRow[],
  dimensions: readonly UsageDimensionName[],
  metrics: readonly UsageMetricName[],
  granularity: Granularity | undefined,
): Promise<readonly NamedRow[]> {
  const names = await Promise.all(
    dimensions.map(async (dimension, index) => {
      const { names: named } = usageDimensions[dimension];
      if (named === undefined) return undefined;
      const ids = [...new Set(rows.map((row) => row.dimensions[index]))].filter(
        (id) => typeof id === 'string',
      );
      return { field: named.field, of: await ledger.names(named.kind, ids) };
    }),
  );
  return rows.map((row) => ({
    ...(granularity !== undefined && { date: new Date(row.period * hourMs).toISOString() }),
    ...Object.fromEntries(
      dimensions.flatMap((dimension, index) => {
        const value = row.dimensions[index] ?? null;
        const name = names[index];
        return [
          [dimension, value],
          ...(name === undefined ? [] : [[name.field, name.of.get(String(value)) ?? null]]),
        ];
      }),
    ),
    ...Object.fromEntries(metrics.map((metric) => [metric, usageMetrics[metric].of(row)])),
    ...quantilesIn(metrics, row),
    ...(metrics.includes('request_count') ? {} : { [hiddenCount]: row.calls }),
  }));
}

type NamedRow = Readonly<Record<string | symbol, DimensionValue>>;

/** Rows can be ordered by it without being asked for. */
const hiddenCount = Symbol('request_count');

/** The quantiles among the metrics; null if there are no calls. */
function quantilesIn(metrics: readonly UsageMetricName[], row: UsageRow): NamedRow {
  const result: Record<string, number | null> = {};
  for (const measure of ['durations', 'firstTokenDurations'] as const) {
    const names = metrics.filter((name) => usageMetrics[name].quantile?.measure === measure);
    const shares = names.map((name) => usageMetrics[name].quantile?.of ?? 1);
    const quantiles = names.length === 0 ? [] : quantilesOf(row[measure], shares);
    for (const [index, name] of names.entries()) result[name] = quantiles[index] ?? null;
  }
  return result;
}

/** By time, then by the first metric, unless the request says otherwise. */
function inOrder(
  rows: readonly NamedRow[],
  { orderBy, granularity, metrics }: UsageQuery,
): readonly NamedRow[] {
  const first = metrics[0] ?? 'request_count';
  const orders =
    orderBy !== undefined
      ? [[orderBy.field, orderBy.direction] as const]
      : [...(granularity === undefined ? [] : [['date', 'asc'] as const]), [first, 'desc'] as const];
  const fieldOf = (row: NamedRow, field: string) =>
    field === 'request_count' ? (row.request_count ?? row[hiddenCount] ?? null) : (row[field] ?? null);
  return rows.toSorted((one, other) => {
    for (const [field, direction] of orders) {
      const compared = compare(fieldOf(one, field), fieldOf(other, field));
      if (compared !== 0) return direction === 'asc' ? compared : -compared;
    }
    return 0;
  });
}

function compare(one: DimensionValue, other: DimensionValue): number {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  return one < other ? -1 : 1;
}

function limitGroups(
  rows: readonly NamedRow[],
  dimensions: readonly string[],
  limit: number,
): readonly NamedRow[] {
  if (dimensions.length === 0) return rows;
  const counts = new Map<string, number>();
  return rows.filter((row) => {
    const key = JSON.stringify(dimensions.map((name) => row[name]));
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count <= limit;
  });
}
