import { firstIdAt } from '../core/ledger/call-record.ts';
import type {
  CallScope,
  DimensionValue,
  UsageFilter,
  UsageReport,
  UsageRow,
} from '../core/ledger/ledger-storage.ts';
import { latencyMeasures } from '../core/ledger/rollup.ts';
import {
  type FilterOperator,
  type UsageDimensionName,
  type UsageMetricName,
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

/** Runs the statements of a report: one for the sums, and one for each latency it asks for. */
export async function reportUsage(
  query: Query,
  scope: CallScope,
  report: UsageReport,
): Promise<readonly UsageRow[]> {
  const measures = ['total', 'firstToken'] as const;
  const wanted = measures.filter((measure) => quantilesOf(report, measure).length > 0);
  const [sums, ...latencies] = await Promise.all([
    run(query, (sql, parameters) => sumsText(sql, parameters, scope, report)),
    ...wanted.map((measure) =>
      run(query, (sql, parameters) => quantilesText(sql, parameters, scope, report, measure)),
    ),
  ]);
  const buckets = new Map<string, Record<string, number>>();
  for (const row of latencies.flat()) {
    const key = keyOf(row, report);
    buckets.set(key, { ...buckets.get(key), ...bucketsOf(row) });
  }
  return (sums ?? []).map((row) => ({
    ...(Object.fromEntries(
      [...sumFields, 'errorCalls'].map((field) => [field, Number(row[field] ?? 0)]),
    ) as unknown as UsageRow),
    period: Number(row.period),
    dimensions: dimensionsOf(row, report),
    buckets: buckets.get(keyOf(row, report)) ?? {},
  }));
}

type Row = Readonly<Record<string, DimensionValue>>;

function run(query: Query, write: (sql: Sql, parameters: Parameters) => string): Promise<readonly Row[]> {
  let parameters = new Parameters();
  const statement: Statement<Row> = unnamedStatement((sql) => {
    parameters = new Parameters();
    return write(sql, parameters);
  });
  return query(statement, parameters.values);
}

function dimensionsOf(row: Row, { dimensions }: UsageReport): readonly DimensionValue[] {
  return dimensions.map((_, index) => row[`d${index}`] ?? null);
}

function keyOf(row: Row, report: UsageReport): string {
  return JSON.stringify([Number(row.period), ...dimensionsOf(row, report)]);
}

function bucketsOf(row: Row): Readonly<Record<string, number>> {
  const entries = Object.entries(row).filter(
    ([name, value]) => Object.hasOwn(usageMetrics, name) && value !== null,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]));
}

function quantilesOf({ metrics }: UsageReport, measure: 'total' | 'firstToken'): readonly UsageMetricName[] {
  return metrics.filter((name) => usageMetrics[name].quantile?.measure === measure);
}

/** Whether sums answer a report; otherwise, single calls have to be read. */
function isCounted({ dimensions, filters }: UsageReport): boolean {
  return [...dimensions, ...filters.map(({ dimension }) => dimension)].every(
    (name) => usageDimensions[name].isCounted,
  );
}

function sumsText(sql: Sql, parameters: Parameters, scope: CallScope, report: UsageReport): string {
  const sums = isCounted(report) ? countedSums : singleSums;
  const listed = sumFields.map((field) => `CAST(sum(${sums[field]}) AS double precision) AS "${field}"`);
  const errors = `CAST(sum(CASE WHEN g.status >= 400 THEN ${sums.calls} ELSE 0 END) AS double precision) AS "errorCalls"`;
  const from = isCounted(report)
    ? `${segments(sql, parameters, report)} s
       CROSS JOIN call_groups g
       JOIN call_totals t ON t.resolution = s.resolution AND t.group_id = g.id AND t.start >= s.start AND t.start < s.ends`
    : singleCalls(sql, parameters, report);
  return `SELECT ${[...groupsOf(report, 't', true), ...listed, errors].join(', ')} FROM ${from}
    WHERE ${conditionsOf(sql, parameters, scope, report.filters).join(' AND ')}
    GROUP BY ${groupsOf(report, 't', false).join(', ')} ORDER BY "calls" DESC LIMIT ${rowsMax + 1}`;
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

/** The first bucket at which a share of the calls has ended. Only calls that succeeded count. */
function quantilesText(
  sql: Sql,
  parameters: Parameters,
  scope: CallScope,
  report: UsageReport,
  measure: 'total' | 'firstToken',
): string {
  const groups = groupsOf(report, 'l', false);
  const names = ['period', ...report.dimensions.map((_, index) => `d${index}`)];
  const milliseconds = measure === 'total' ? 'c.total_ms' : 'c.first_token_ms';
  const [bucket, calls, from] = isCounted(report)
    ? [
        'l.bucket',
        'l.calls',
        `${segments(sql, parameters, report)} s
         JOIN call_latencies l ON l.resolution = s.resolution AND l.measure = ${latencyMeasures[measure]}
           AND l.start >= s.start AND l.start < s.ends
         JOIN call_groups g ON g.id = l.group_id`,
      ]
    : [
        `CASE WHEN ${milliseconds} <= 1 THEN 0 ELSE ceil(ln(${milliseconds}) / ln(1.02)) END`,
        '1',
        singleCalls(sql, parameters, report),
      ];
  const asksForStatus = [...report.dimensions, ...report.filters.map(({ dimension }) => dimension)].includes(
    'status',
  );
  const conditions = [
    ...conditionsOf(sql, parameters, scope, report.filters),
    ...(asksForStatus ? [] : ['g.status < 400']),
    ...(isCounted(report) ? [] : [`${milliseconds} IS NOT NULL`]),
  ];
  const quantiles = quantilesOf(report, measure).map((name) => {
    const share = usageMetrics[name].quantile?.of ?? 1;
    return `min(CASE WHEN reached >= ${share} * total THEN bucket END) AS "${name}"`;
  });
  return `SELECT ${[...names, ...quantiles].join(', ')} FROM (
      SELECT ${[...groupsOf(report, 'l', true), `${bucket} AS bucket`].join(', ')},
        sum(sum(${calls})) OVER (PARTITION BY ${groups.join(', ')} ORDER BY ${bucket}) AS reached,
        sum(sum(${calls})) OVER (PARTITION BY ${groups.join(', ')}) AS total
      FROM ${from} WHERE ${conditions.join(' AND ')} GROUP BY ${groups.join(', ')}, ${bucket}
    ) counted GROUP BY ${names.join(', ')}`;
}

/** The columns that rows are grouped by, with names or without. */
function groupsOf(report: UsageReport, row: 't' | 'l', isNamed: boolean): readonly string[] {
  const period = isCounted(report) ? periodOf(report, row) : 's.period';
  const listed = [period, ...report.dimensions.map((name) => columns[name][0])];
  return listed.map((column, index) => {
    if (!isNamed) return column;
    return `${column} AS ${index === 0 ? 'period' : `d${index - 1}`}`;
  });
}

/** Where the period of a sum starts. Only months have no fixed length. */
function periodOf({ granularity }: UsageReport, row: 't' | 'l'): string {
  if (granularity === 'hour') return `${row}.start`;
  if (granularity === 'day') return `${row}.start - ${row}.start % 24`;
  // 1970-01-01 was a Thursday.
  return granularity === 'week' ? `${row}.start - (${row}.start + 72) % 168` : 's.period';
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
