import { yieldToEventLoop } from '../core/concurrency/cooperative-scheduler.ts';
import { PresetdError } from '../core/errors.ts';
import { firstIdAt, hourOf } from '../core/ledger/call-record.ts';
import { bucketsMax, durationOf, growth, letters } from '../core/ledger/durations.ts';
import {
  type CallScope,
  type DimensionValue,
  reportRowsMax,
  type UsageFilter,
  type UsageReport,
  type UsageRow,
} from '../core/ledger/ledger-storage.ts';
import { type Resolution, type SumField, sumFields, sumsOf } from '../core/ledger/rollup.ts';
import {
  areCounted,
  type FilterOperator,
  isCounted,
  type UsageDimensionName,
  usageDimensions,
  usageMetrics,
} from '../core/ledger/usage-catalog.ts';
import { type HourRange, hourMs, periodsOf, segmentsOf } from '../core/ledger/usage-periods.ts';
import type { Query } from './database.ts';
import { buildStatement, columnOf, type Parameters, type Sql, statement } from './statement.ts';

/** The column of a dimension, of the group `g` or of the call `c`. */
function columnFor(name: UsageDimensionName): string {
  return `${isCounted(name) ? 'g' : 'c'}.${columnOf(usageDimensions[name].field)}`;
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
    ...filters.map((filter) => conditionOf(sql, parameters, filter)),
  ];
}

const comparisons: Readonly<Partial<Record<FilterOperator, string>>> = {
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
};

function conditionOf(sql: Sql, parameters: Parameters, filter: UsageFilter): string {
  const column = columnFor(filter.dimension);
  const comparison = comparisons[filter.operator];
  if (comparison !== undefined) return `${column} ${comparison} ${parameters.add(filter.values[0] ?? null)}`;
  const isIn = sql.isIn(column, parameters.add(filter.values), usageDimensions[filter.dimension].type);
  const isNegated = filter.operator === 'neq' || filter.operator === 'not_in';
  const condition = isNegated ? `NOT (${isIn})` : isIn;
  return filter.includesUnset
    ? `(${condition} OR ${column} IS NULL)`
    : `(${column} IS NOT NULL AND ${condition})`;
}

/**
 * Runs a statement for each part of the range and adds up their rows. SQLite works in the thread
 * that serves requests, so its parts are short. Throws `invalid_request` for too many rows.
 */
export async function reportUsage(
  query: Query,
  scope: CallScope,
  report: UsageReport,
): Promise<readonly UsageRow[]> {
  const rows = new Map<string, Writable<UsageRow>>();
  const range = await recordedRange(query, scope, report);
  const whole = range.start < range.end ? partsOf(report, range) : [];
  const parts = query.engine === 'sqlite' ? await shorten(query, whole) : whole;
  for (const part of parts) {
    for (const row of await reportPart(query, scope, report, part)) addRow(rows, row);
    if (rows.size > reportRowsMax)
      throw new PresetdError(
        'invalid_request',
        `The result has more than ${reportRowsMax} rows. Choose a shorter range, a coarser granularity or fewer dimensions.`,
      );
    await yieldToEventLoop();
  }
  return [...rows.values()];
}

/** The part of the range in which there may be calls: it is divided into many parts. */
async function recordedRange(query: Query, scope: CallScope, report: UsageReport): Promise<HourRange> {
  const { start, end } = report.range;
  if (!isOfSums(report)) {
    const stored = await storedHours(query);
    if (stored === undefined) return { start, end: start };
    return { start: Math.max(start, stored.start), end: Math.min(end, stored.end) };
  }
  if (end - start <= wideHours) return report.range;
  const [oldest] = await query(oldestTotal, [scope.organizationId]);
  return { start: Math.max(start, oldest?.start ?? end), end };
}

/** Searching for the oldest sum of each group would take longer than a shorter range saves. */
const wideHours = 366 * 24;

const oldestTotal = statement<{ readonly start: number | null }>(
  'oldest-total',
  `SELECT min((SELECT min(t.start) FROM call_totals t WHERE t.resolution = 24 AND t.group_id = g.id)) AS start
   FROM call_groups g WHERE g.organization_id = $1`,
);

/** The hours from the oldest call to the newest; undefined if none is stored. */
async function storedHours(query: Query): Promise<HourRange | undefined> {
  const [first] = await query(firstCall);
  const [last] = await query(lastCall);
  if (first === undefined || last === undefined) return undefined;
  return { start: hourOf(first.id), end: hourOf(last.id) + 1 };
}

const firstCall = statement<{ readonly id: string }>(
  'oldest-stored-call',
  'SELECT id FROM calls ORDER BY id LIMIT 1',
);
const lastCall = statement<{ readonly id: string }>(
  'newest-stored-call',
  'SELECT id FROM calls ORDER BY id DESC LIMIT 1',
);

async function shorten(query: Query, parts: readonly Part[]): Promise<readonly Part[]> {
  const [last] = await query(lastGroup);
  return parts.flatMap((part) => shortPartsOf(part, last?.id ?? 0));
}

const lastGroup = statement<{ readonly id: number }>(
  'last-call-group',
  'SELECT id FROM call_groups ORDER BY id DESC LIMIT 1',
);

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function addRow(rows: Map<string, Writable<UsageRow>>, row: UsageRow): void {
  const key = JSON.stringify([row.period, ...row.dimensions]);
  const known = rows.get(key);
  if (known === undefined) {
    rows.set(key, { ...row });
    return;
  }
  for (const field of [...sumFields, 'errorCalls', 'freeErrorCalls'] as const) known[field] += row[field];
  known.durations += row.durations;
  known.firstTokenDurations += row.firstTokenDurations;
}

/** A part of the range that one kind of sums covers; the calls themselves without a resolution. */
interface Part extends HourRange {
  readonly resolution: Resolution | undefined;
  /** Undefined if it has several periods. */
  readonly period: number | undefined;
  /** Only groups with these numbers; all of them if it is undefined. */
  readonly groups?: { readonly first: number; readonly end: number };
}

function partsOf(report: UsageReport, range: HourRange): readonly Part[] {
  const { granularity } = report;
  const only = granularity === undefined ? report.range.start : undefined;
  if (!isOfSums(report)) {
    return [{ ...range, resolution: undefined, period: only }];
  }
  // Only months have no fixed length, so that SQL could compute their starts.
  const isWhole = granularity === undefined || granularity === 'month';
  const periods = isWhole ? periodsOf(range, granularity) : [{ ...range, period: undefined }];
  return periods.flatMap(({ period, ...part }) => {
    const segments = granularity === 'hour' ? [{ resolution: 1 as const, ...part }] : segmentsOf(part);
    return segments.map((segment) => ({ ...segment, period: only ?? period }));
  });
}

/** SQLite works in the thread that serves requests, so a part must take few milliseconds. */
const sumsPerPart = 10_000;
const hoursPerPart = 1;

/** Divides the sums by group, which they are ordered by, and single calls by time. */
function shortPartsOf(part: Part, groupCount: number): readonly Part[] {
  const { resolution, start, end } = part;
  if (resolution === undefined)
    return stepsOf(start, end, hoursPerPart).map((hours) => ({
      ...part,
      start: hours.first,
      end: hours.end,
    }));
  const groupsPerPart = Math.ceil((sumsPerPart * resolution) / (end - start));
  return stepsOf(1, groupCount + 1, groupsPerPart).map((groups) => ({ ...part, groups }));
}

function stepsOf(start: number, end: number, length: number) {
  const count = Math.ceil((end - start) / length);
  return Array.from({ length: count }, (_, index) => {
    const first = start + index * length;
    return { first, end: Math.min(end, first + length) };
  });
}

async function reportPart(
  query: Query,
  scope: CallScope,
  report: UsageReport,
  part: Part,
): Promise<readonly UsageRow[]> {
  const built = buildStatement<Row>(query.engine, (sql, parameters) =>
    partText(sql, parameters, scope, report, part),
  );
  const rows = await query(...built);
  return rows.map((row) => ({
    ...sumsOf((field) => Number(row[field] ?? 0)),
    errorCalls: Number(row.errorCalls ?? 0),
    freeErrorCalls: Number(row.freeErrorCalls ?? 0),
    period: Number(row.period),
    dimensions: report.dimensions.map((_, index) => row[`d${index}`] ?? null),
    durations: String(row.durations ?? ''),
    firstTokenDurations: String(row.firstTokenDurations ?? ''),
  }));
}

type Row = Readonly<Record<string, DimensionValue>>;

/** Whether sums answer a report; otherwise, single calls have to be read. */
function isOfSums(report: UsageReport): boolean {
  return areCounted(dimensionsOf(report));
}

function dimensionsOf({ dimensions, filters }: UsageReport): readonly UsageDimensionName[] {
  return [...dimensions, ...filters.map(({ dimension }) => dimension)];
}

function partText(
  sql: Sql,
  parameters: Parameters,
  scope: CallScope,
  report: UsageReport,
  part: Part,
): string {
  const isSingle = part.resolution === undefined;
  const sums = isSingle ? singleSums : countedSums;
  const listed = sumFields.map((field) => `CAST(sum(${sums[field]}) AS double precision) AS "${field}"`);
  const ofErrors = (sum: string, name: string) =>
    `CAST(sum(CASE WHEN g.status >= 400 THEN ${sum} ELSE 0 END) AS double precision) AS "${name}"`;
  const errors = [ofErrors(sums.calls, 'errorCalls'), ofErrors(sums.freeCalls, 'freeErrorCalls')];
  const periods = isSingle ? periodsIn(sql, parameters, { ...report, range: part }) : undefined;
  const period = part.period ?? (isSingle ? 's.period' : periodOf(report));
  const dimensions = report.dimensions.map(columnFor);
  const grouped = [...(typeof period === 'string' ? [period] : []), ...dimensions];
  const groups = [`${period} AS period`, ...dimensions.map((column, index) => `${column} AS d${index}`)];
  const from = isSingle
    ? 's JOIN calls c ON c.id >= s.first_id AND c.id < s.last_id JOIN call_groups g ON g.id = c.group_id'
    : `call_groups g ${totalsOf(sql, parameters, part)}`;
  // As a plain subquery, SQLite would parse the list again for each row that it is compared with.
  return `${periods === undefined ? '' : `WITH s AS MATERIALIZED (SELECT * FROM ${periods} listed)`}
    SELECT ${[...groups, ...listed, ...errors, ...durationsOf(report)].join(', ')} FROM ${from}
    WHERE ${conditionsOf(sql, parameters, scope, report.filters).join(' AND ')}
    ${grouped.length === 0 ? 'HAVING count(*) > 0' : `GROUP BY ${grouped.join(', ')}`}
    LIMIT ${reportRowsMax + 1}`;
}
const countedSums = Object.fromEntries(sumFields.map((field) => [field, `t.${columnOf(field)}`])) as Readonly<
  Record<SumField, string>
>;

const singleSums: typeof countedSums = {
  ...(Object.fromEntries(
    sumFields.map((field) => [field, `coalesce(c.${columnOf(field)}, 0)`]),
  ) as typeof countedSums),
  calls: '1',
  estimatedCalls: 'CASE WHEN c.is_estimated THEN 1 ELSE 0 END',
  unpricedCalls: 'CASE WHEN c.cost_nanos IS NULL THEN 1 ELSE 0 END',
  freeCalls: 'CASE WHEN c.cost_nanos = 0 THEN 1 ELSE 0 END',
  streamedCalls: 'CASE WHEN c.is_streamed THEN 1 ELSE 0 END',
};

/**
 * The texts from which the quantiles are computed that a report asks for. Only calls that succeeded
 * count, unless the report asks for the status.
 */
function durationsOf(report: UsageReport): readonly string[] {
  const asksForStatus = dimensionsOf(report).includes('status');
  const measures = new Set(report.metrics.map((name) => usageMetrics[name].quantile?.measure));
  return (['durations', 'firstTokenDurations'] as const).flatMap((measure) => {
    if (!measures.has(measure)) return [];
    const text = isOfSums(report) ? `t.${columnOf(measure)}` : singleDurations[measure];
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

/** The sums of a group in a part of the range. */
function totalsOf(sql: Sql, parameters: Parameters, { resolution, start, end, groups }: Part): string {
  const among =
    groups === undefined
      ? ''
      : `AND g.id >= ${parameters.add(groups.first)} AND g.id < ${parameters.add(groups.end)}`;
  const condition = `t.resolution = ${resolution} AND t.group_id = g.id
    AND t.start >= ${parameters.add(start)} AND t.start < ${parameters.add(end)} ${among}`;
  // Otherwise, SQLite could read all sums to find those of a group.
  return `${sql.engine === 'sqlite' ? 'CROSS JOIN' : 'JOIN'} call_totals t ON ${condition}`;
}

/** Where the period of a sum starts. */
function periodOf({ granularity }: UsageReport): string {
  if (granularity === 'hour') return 't.start';
  // 1970-01-01 was a Thursday.
  return granularity === 'day' ? 't.start - t.start % 24' : 't.start - (t.start + 72) % 168';
}

/** The periods of single calls, whose ids begin with their time. */
function periodsIn(sql: Sql, parameters: Parameters, { range, granularity }: UsageReport): string {
  const list = periodsOf(range, granularity).map(({ period, start, end }) => ({
    period,
    firstId: firstIdAt(start * hourMs),
    lastId: firstIdAt(end * hourMs),
  }));
  return sql.rows(parameters.add(list), { period: 'integer', firstId: 'uuid', lastId: 'uuid' });
}
