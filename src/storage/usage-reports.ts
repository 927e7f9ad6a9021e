import { firstIdAt } from '../core/ledger/call-record.ts';
import { bucketsMax, durationOf, growth, letters } from '../core/ledger/durations.ts';
import type {
  CallScope,
  DimensionValue,
  UsageFilter,
  UsageReport,
  UsageRow,
} from '../core/ledger/ledger-storage.ts';
import {
  type FilterOperator,
  type UsageDimensionName,
  usageDimensions,
  usageMetrics,
} from '../core/ledger/usage-catalog.ts';
import { hourMs, periodsOf, segmentsOf } from '../core/ledger/usage-periods.ts';
import type { Query, Value } from './database.ts';
import { type ColumnType, columnOf, type Sql, type Statement, unnamedStatement } from './statement.ts';

/** The column of each dimension, of the group `g` or of the call `c`, and its type. */
const columns: Readonly<Record<UsageDimensionName, readonly [column: string, type: ColumnType]>> = {
  workspace: ['g.workspace_id', 'uuid'],
  api_key_id: ['g.key_id', 'uuid'],
  user: ['g.user_id', 'text'],
  preset: ['g.preset_id', 'uuid'],
  preset_version: ['g.version', 'integer'],
  selection: ['g.selection', 'text'],
  label: ['g.label', 'text'],
  model: ['g.model', 'text'],
  upstream: ['g.upstream', 'text'],
  provider: ['g.upstream', 'text'],
  dialect: ['g.dialect', 'text'],
  status: ['g.status', 'integer'],
  purpose: ['g.purpose', 'text'],
  app: ['c.app_title', 'text'],
  external_user: ['c.end_user', 'text'],
  session_id: ['c.session_id', 'text'],
  finish_reason: ['c.finish_reason', 'text'],
  responding_model: ['c.responding_model', 'text'],
};

const sumFields = [
  ...(['calls', 'estimatedCalls', 'unpricedCalls', 'streamedCalls', 'inputTokens', 'cachedTokens'] as const),
  ...(['cacheWriteTokens', 'outputTokens', 'reasoningTokens', 'costNanos', 'totalMs'] as const),
] as const;

/** Collects the parameters of a statement, and returns the name of each. */
export class Parameters {
  readonly values: Value[] = [];

  add(value: Value): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** The conditions that calls have to meet, on their group `g` and, of single calls, on `c`. */
export function conditionsOf(
  sql: Sql,
  parameters: Parameters,
  { organizationId, workspaceIds, keyId }: CallScope,
  filters: readonly UsageFilter[],
): readonly string[] {
  return [
    `g.organization_id = ${parameters.add(organizationId)}`,
    ...(workspaceIds === undefined ? [] : [sql.isIn('g.workspace_id', parameters.add(workspaceIds), 'uuid')]),
    ...(keyId === undefined ? [] : [`g.key_id = ${parameters.add(keyId)}`]),
    ...filterConditions(sql, parameters, filters),
  ];
}

export function filterConditions(
  sql: Sql,
  parameters: Parameters,
  filters: readonly UsageFilter[],
): readonly string[] {
  return filters.map((filter) => conditionOf(sql, parameters, filter));
}

const comparisons: Readonly<Partial<Record<FilterOperator, string>>> = {
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

function conditionOf(sql: Sql, parameters: Parameters, filter: UsageFilter): string {
  const [column, type] = columns[filter.dimension];
  const comparison = comparisons[filter.operator];
  if (comparison !== undefined) return `${column} ${comparison} ${parameters.add(filter.values[0] ?? null)}`;
  const isIn = sql.isIn(column, parameters.add(filter.values), type);
  const isNegated = filter.operator === 'neq' || filter.operator === 'not_in';
  const condition = isNegated ? `NOT (${isIn})` : isIn;
  return filter.includesUnset
    ? `(${condition} OR ${column} IS NULL)`
    : `(${column} IS NOT NULL AND ${condition})`;
}

/** No chart has as many rows. */
export const rowsMax = 20_000;

/** Runs the statement of a report. */
export async function reportUsage(
  query: Query,
  scope: CallScope,
  report: UsageReport,
): Promise<readonly UsageRow[]> {
  let parameters = new Parameters();
  const statement: Statement<Row> = unnamedStatement((sql) => {
    parameters = new Parameters();
    return reportText(sql, parameters, scope, report);
  });
  const rows = await query(statement, parameters.values);
  return rows.map((row) => ({
    ...(Object.fromEntries(
      [...sumFields, 'errorCalls'].map((field) => [field, Number(row[field] ?? 0)]),
    ) as unknown as UsageRow),
    period: Number(row.period),
    dimensions: report.dimensions.map((_, index) => row[`d${index}`] ?? null),
    durations: String(row.durations ?? ''),
    firstTokenDurations: String(row.firstTokenDurations ?? ''),
  }));
}

type Row = Readonly<Record<string, DimensionValue>>;

/** Whether sums answer a report; otherwise, single calls have to be read. */
function isCounted({ dimensions, filters }: UsageReport): boolean {
  return [...dimensions, ...filters.map(({ dimension }) => dimension)].every(
    (name) => usageDimensions[name].isCounted,
  );
}

function reportText(sql: Sql, parameters: Parameters, scope: CallScope, report: UsageReport): string {
  const sums = isCounted(report) ? countedSums : singleSums;
  const listed = sumFields.map((field) => `CAST(sum(${sums[field]}) AS double precision) AS "${field}"`);
  const errors = `CAST(sum(CASE WHEN g.status >= 400 THEN ${sums.calls} ELSE 0 END) AS double precision) AS "errorCalls"`;
  const from = isCounted(report)
    ? `${segments(sql, parameters, report)} s
       CROSS JOIN call_groups g
       JOIN call_totals t ON t.resolution = s.resolution AND t.group_id = g.id AND t.start >= s.start AND t.start < s.ends`
    : singleCalls(sql, parameters, report);
  return `SELECT ${[...groupsOf(report, true), ...listed, errors, ...durationsOf(report)].join(', ')} FROM ${from}
    WHERE ${conditionsOf(sql, parameters, scope, report.filters).join(' AND ')}
    GROUP BY ${groupsOf(report, false).join(', ')} ORDER BY "calls" DESC LIMIT ${rowsMax + 1}`;
}

const countedSums = Object.fromEntries(sumFields.map((field) => [field, `t.${columnOf(field)}`])) as Readonly<
  Record<(typeof sumFields)[number], string>
>;

const singleSums: typeof countedSums = {
  ...countedSums,
  calls: '1',
  estimatedCalls: 'CASE WHEN c.is_estimated THEN 1 ELSE 0 END',
  unpricedCalls: 'CASE WHEN c.cost_nanos IS NULL THEN 1 ELSE 0 END',
  streamedCalls: 'CASE WHEN c.is_streamed THEN 1 ELSE 0 END',
  ...(Object.fromEntries(
    (
      [
        'inputTokens',
        'cachedTokens',
        'cacheWriteTokens',
        'outputTokens',
        'reasoningTokens',
        'costNanos',
        'totalMs',
      ] as const
    ).map((field) => [field, `coalesce(c.${columnOf(field)}, 0)`]),
  ) as Pick<typeof countedSums, 'inputTokens'>),
};

/**
 * The texts from which the quantiles are computed that a report asks for. Only calls that succeeded
 * count, unless the report asks for the status.
 */
function durationsOf(report: UsageReport): readonly string[] {
  const { metrics, dimensions, filters } = report;
  const asksForStatus = [...dimensions, ...filters.map(({ dimension }) => dimension)].includes('status');
  const measures = new Set(metrics.map((name) => usageMetrics[name].quantile?.measure));
  return (['durations', 'firstTokenDurations'] as const).flatMap((measure) => {
    if (!measures.has(measure)) return [];
    const text = isCounted(report) ? `t.${columnOf(measure)}` : singleDurations[measure];
    const counted = asksForStatus ? text : `CASE WHEN g.status < 400 THEN ${text} END`;
    return [`string_agg(${counted}, '') AS "${measure}"`];
  });
}

const singleDurations = {
  durations: durationText('c.total_ms'),
  firstTokenDurations: durationText('c.first_token_ms'),
} as const;

/** The same as `formatDuration`. */
function durationText(ms: string): string {
  const bucket = `CASE WHEN ${ms} <= 1 THEN 0 WHEN ${ms} >= ${durationOf(bucketsMax - 1)} THEN ${bucketsMax - 1}
    ELSE CAST(ceil(ln(${ms}) / ln(${growth})) AS integer) END`;
  const letter = (index: string) => `substr('${letters}', ${index} + 1, 1)`;
  return `${letter(`(${bucket}) / ${letters.length}`)} || ${letter(`(${bucket}) % ${letters.length}`)}`;
}

/** The columns that rows are grouped by, with names or without. */
function groupsOf(report: UsageReport, isNamed: boolean): readonly string[] {
  const period = isCounted(report) ? periodOf(report) : 's.period';
  const listed = [period, ...report.dimensions.map((name) => columns[name][0])];
  return listed.map((column, index) => {
    if (!isNamed) return column;
    return `${column} AS ${index === 0 ? 'period' : `d${index - 1}`}`;
  });
}

/** Where the period of a sum starts. Only months have no fixed length. */
function periodOf({ granularity }: UsageReport): string {
  if (granularity === 'hour') return 't.start';
  if (granularity === 'day') return 't.start - t.start % 24';
  // 1970-01-01 was a Thursday.
  return granularity === 'week' ? 't.start - (t.start + 72) % 168' : 's.period';
}

/** The parts of the range, few of them: each is read for every group. */
function segments(sql: Sql, parameters: Parameters, { range, granularity }: UsageReport): string {
  const periods = granularity === 'month' ? periodsOf(range, granularity) : periodsOf(range, undefined);
  const list = periods.flatMap(({ period, ...part }) =>
    (granularity === 'hour' ? [{ resolution: 1, ...part }] : segmentsOf(part)).map(
      ({ resolution, start, end }) => ({ period, resolution, start, ends: end }),
    ),
  );
  const types = { period: 'integer', resolution: 'integer', start: 'integer', ends: 'integer' } as const;
  return sql.rows(parameters.add(list), types);
}

/** Single calls with their groups. The id of a call begins with its time. */
function singleCalls(sql: Sql, parameters: Parameters, { range, granularity }: UsageReport): string {
  const list = periodsOf(range, granularity).map(({ period, start, end }) => ({
    period,
    firstId: firstIdAt(start * hourMs),
    lastId: firstIdAt(end * hourMs),
  }));
  const rows = sql.rows(parameters.add(list), { period: 'integer', firstId: 'uuid', lastId: 'uuid' });
  return `${rows} s JOIN calls c ON c.id >= s.first_id AND c.id < s.last_id JOIN call_groups g ON g.id = c.group_id`;
}
