import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Input, ResponseOf } from '../api/client.ts';
import { formatAmount, formatMetric } from '../core/ledger/metric-text.ts';
import {
  type Granularity,
  granularities,
  type UsageDimensionName,
  type UsageMetricName,
  usageDimensions,
  usageMetrics,
} from '../core/ledger/usage-catalog.ts';
import { hourMs, hoursOf, periodsOf } from '../core/ledger/usage-periods.ts';
import { oneLine } from '../core/text/printable.ts';
import { type ApiOptions, connectToUsage, printJson, usageCommandWithJson } from './api-command.ts';
import { MisuseError } from './command-error.ts';
import { parseCount, parseIdentifier, parseTime } from './options.ts';
import { formatBar } from './ui/bar.ts';
import { print, printStderr } from './ui/output.ts';
import { alignRight, formatTable, type Title, terminalWidth, textColumn } from './ui/table.ts';
import { repriceCommand } from './usage-reprice.ts';

/**
 * Calls and their cost: a row for each day, or with `--by` for each preset, model or whatever else
 * calls are counted by. On a terminal, each row has a bar.
 */
export function usageCommand(): Command {
  return usageCommandWithJson('usage')
    .enablePositionalOptions()
    .option(
      '--by <names>',
      'Up to three, separated by commas: version, preset, model, key, person, upstream, status, …',
      parseDimensions,
    )
    .option('--preset <slug>', 'Only calls of this preset', parseIdentifier)
    .option('--model <model>', 'Only calls of this model', parseIdentifier)
    .option('--upstream <name>', 'Only calls to this upstream', parseIdentifier)
    .addOption(
      new Option(
        '--purpose <purpose>',
        'Only calls of apps, runs of the workbench, or both (default: call)',
      ).choices(['call', 'workbench', 'all']),
    )
    .option('--days <count>', 'The last days, today included (default: 30)', parseDays)
    .option('--since <time>', 'From this time on, such as 2027-01-31 or 2027-01-31T09:30:00Z', parseTime)
    .option('--until <time>', 'Before this time', parseTime)
    .addOption(
      new Option('--granularity <period>', 'A row for each period (default: day, or with --by none)').choices(
        granularities,
      ),
    )
    .option(
      '--metric <names>',
      'What to show, separated by commas: cost, cost-per-call, calls, errors, latency, …; the first has bars',
      parseMetrics,
    )
    .option('--limit <count>', 'Maximum number of rows', parseRowLimit)
    .action(usage)
    .addCommand(repriceCommand());
}

export interface UsageOptions extends ApiOptions {
  readonly by?: readonly UsageDimensionName[];
  readonly preset?: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly purpose?: 'call' | 'workbench' | 'all';
  readonly days?: number;
  readonly since?: string;
  readonly until?: string;
  readonly granularity?: Granularity;
  readonly metric?: readonly UsageMetricName[];
  readonly limit?: number;
}

type Query = Exclude<Input<'POST /analytics/query'>['body'], { readonly text: unknown }>;
type Result = ResponseOf<'POST /analytics/query'>['data'];
type Row = Result['data'][number];

async function usage(options: UsageOptions): Promise<void> {
  const query = queryOf(options, Date.now());
  const response = await connectToUsage(options).call(
    'POST /analytics/query',
    { body: query },
    { isIdempotent: true },
  );
  if (options.json) return printJson(response);
  const { data } = response.content;
  print(renderUsage(data, options, query, terminalWidth(process.stdout)));
  for (const warning of data.warnings ?? []) printStderr(warning);
  if (options.purpose === undefined && !options.by?.includes('purpose'))
    await reportWorkbenchRuns(options, query);
  if (data.metadata?.truncated === true) printStderr('There are more rows. Use --limit to show them.');
}

/** They cost money, too, but would distort the numbers of a version. */
async function reportWorkbenchRuns(
  options: UsageOptions,
  { filters, time_range }: ReturnType<typeof queryOf>,
): Promise<void> {
  const ofRuns = filters.map((filter) =>
    filter.field === 'purpose' ? { ...filter, value: 'workbench' } : filter,
  );
  const body: Query = { metrics: ['request_count', 'total_usage'], filters: ofRuns, time_range };
  const { content } = await connectToUsage(options).call(
    'POST /analytics/query',
    { body },
    { isIdempotent: true },
  );
  const [row] = content.data.data;
  const count = Number(row?.request_count ?? 0);
  if (count === 0) return;
  const cost = formatMetric('total_usage', row?.total_usage ?? null);
  printStderr(
    `${formatAmount(count)} ${count === 1 ? 'run' : 'runs'} of the workbench (${cost}) not included. Use --purpose all.`,
  );
}

const dayMs = 24 * hourMs;
const defaultDays = 30;

/** The first metric decides the order of rows. */
const defaultMetrics: readonly UsageMetricName[] = [
  'total_usage',
  'request_count',
  'tokens_total',
  'error_rate',
  'latency_p95',
];

/** Few enough for a screen or two. Periods are complete: a gap would look like no calls. */
const groupsShown = 50;
const rowsMax = 10_000;

export function queryOf(options: UsageOptions, now: number) {
  const { by = [], days, since, until, granularity, metric = defaultMetrics, limit } = options;
  const { purpose = by.includes('purpose') ? 'all' : 'call' } = options;
  if (days !== undefined && since !== undefined) throw new MisuseError('Use --days or --since, not both.');
  const end = until === undefined ? now : Date.parse(until);
  // Whole days, so that each row of a day has all its calls.
  const lastDay = Math.ceil(end / dayMs) * dayMs;
  const start = since === undefined ? lastDay - (days ?? defaultDays) * dayMs : Date.parse(since);
  const period = granularity ?? (by.length === 0 ? 'day' : undefined);
  const chosen = { ...options, purpose: purpose === 'all' ? undefined : purpose };
  const filters = (['preset', 'model', 'upstream', 'purpose'] as const).flatMap((field) => {
    const value = chosen[field];
    return value === undefined ? [] : [{ field, operator: 'eq' as const, value }];
  });
  return {
    metrics: [...metric],
    ...(by.length > 0 && { dimensions: [...by] }),
    filters,
    ...(period !== undefined && { granularity: period }),
    time_range: { start: new Date(start).toISOString(), end: new Date(end).toISOString() },
    limit: limit ?? (period === undefined ? groupsShown : rowsMax),
  };
}

/** Without a width, as in a pipe, there are no bars. */
export function renderUsage(
  { data }: Pick<Result, 'data'>,
  { by = [], metric = defaultMetrics, since }: UsageOptions,
  { granularity, time_range: range }: ReturnType<typeof queryOf>,
  lineWidth: number,
): string {
  if (data.length === 0) return 'No calls found.';
  const period = granularity as Granularity | undefined;
  const isTimeline = by.length === 0 && period !== undefined;
  const rows = isTimeline ? withEmptyPeriods(data, period, range as TimeRange, since !== undefined) : data;
  const columns: readonly Column[] = [
    ...(period === undefined ? [] : [periodColumn(period)]),
    ...dimensionColumns(by),
  ];
  const barMetric = metric[0] === 'total_usage' && !hasCosts(data) ? 'request_count' : metric[0];
  const ordered =
    period === undefined && barMetric !== metric[0] ? rows.toSorted(descending(barMetric)) : rows;
  const isByVersion = period === undefined && by.length === 2 && by[1] === 'preset_version';
  const sorted = isByVersion ? ordered.toSorted(byVersion) : ordered;
  const header: readonly Title[] = columns.map(({ title }) => title);
  const numbers = metric.map((name) =>
    alignRight([
      titles[name] ?? usageMetrics[name].label.toUpperCase(),
      ...sorted.map((row) => formatMetric(name, row[name])),
    ]),
  );
  const lines = formatTable(
    [...header, ...numbers.map(([title = '']) => title)],
    sorted.map((row, index) => [
      ...columns.map(({ cell }) => cell(row)),
      ...numbers.map((column) => column[index + 1] ?? ''),
    ]),
    lineWidth,
  ).split('\n');
  return withBars(lines, sorted, barMetric, lineWidth).join('\n');
}

interface Column {
  readonly title: Title;
  readonly cell: (row: Row) => string;
}

interface TimeRange {
  readonly start: string;
  readonly end: string;
}

/** A period without calls has no row. Those before the first call are left out unless asked for. */
function withEmptyPeriods(
  data: readonly Row[],
  granularity: Granularity,
  { start, end }: TimeRange,
  fromStart: boolean,
): readonly Row[] {
  const byDate = new Map(data.map((row) => [row.date, row]));
  const rows = periodsOf(hoursOf(Date.parse(start), Date.parse(end)), granularity).map(({ period }): Row => {
    const date = new Date(period * hourMs).toISOString();
    return byDate.get(date) ?? { date, request_count: 0, total_usage: 0, tokens_total: 0 };
  });
  const known = rows.filter(({ date }) => byDate.has(date ?? ''));
  // A server that counts in other periods: show what it sends.
  if (known.length < data.length) return data;
  return fromStart ? rows : rows.slice(rows.findIndex(({ date }) => byDate.has(date ?? '')));
}

function periodColumn(granularity: Granularity): Column {
  const length = granularity === 'hour' ? 16 : granularity === 'month' ? 7 : 10;
  const cell = ({ date }: Row) => {
    const text = String(date ?? '')
      .slice(0, length)
      .replace('T', ' ');
    return granularity === 'hour' ? `${text}Z` : text;
  };
  return { title: granularity.toUpperCase(), cell };
}

/** A version is shown with its preset, as other commands name it. */
function dimensionColumns(by: readonly UsageDimensionName[]): readonly Column[] {
  const isVersioned = by.includes('preset') && by.includes('preset_version');
  return by.flatMap((name): readonly Column[] => {
    if (isVersioned && name === 'preset_version') return [];
    const title = usageDimensions[name].label.toUpperCase();
    if (!isVersioned || name !== 'preset')
      return [{ title: isSlug(name) ? title : textColumn(title), cell: (row) => nameOf(row, name) }];
    const cell = (row: Row) =>
      row.preset === null ? none : `${nameOf(row, 'preset')}@${row.preset_version ?? 'draft'}`;
    return [{ title: 'VERSION', cell }];
  });
}

function isSlug(name: UsageDimensionName): boolean {
  return name === 'preset' || name === 'label';
}

const none = '(none)';

/** An id has a name beside it, unless what it names is deleted. */
function nameOf(row: Row, name: UsageDimensionName): string {
  const field = usageDimensions[name].names?.field;
  const value = (field === undefined ? undefined : row[field]) ?? row[name];
  return value === null || value === undefined ? none : oneLine(String(value));
}

const titles: Readonly<Partial<Record<UsageMetricName, string>>> = {
  latency_p95: 'LATENCY P95',
  unpriced_request_count: 'UNKNOWN COST',
};

function hasCosts(rows: readonly Row[]): boolean {
  return rows.some(({ total_usage: cost }) => typeof cost === 'number' && cost > 0);
}

function descending(name: UsageMetricName | undefined): (one: Row, other: Row) => number {
  return (one, other) => amountOf(other, name) - amountOf(one, name);
}

/** Versions of a preset below each other, in the order of their numbers. */
function byVersion(one: Row, other: Row): number {
  const [name, otherName] = [nameOf(one, 'preset'), nameOf(other, 'preset')];
  if (name !== otherName) return name !== none && (name < otherName || otherName === none) ? -1 : 1;
  return amountOf(one, 'preset_version') - amountOf(other, 'preset_version');
}

function amountOf(row: Row, name: UsageMetricName | 'preset_version' | undefined): number {
  const value = name === undefined ? undefined : row[name];
  return typeof value === 'number' ? value : 0;
}

const barWidthMax = 40;
const barWidthMin = 6;

/** The numbers end all lines in the same column, behind which there may be room. */
function withBars(
  lines: readonly string[],
  rows: readonly Row[],
  name: UsageMetricName | undefined,
  lineWidth: number,
): readonly string[] {
  const room = Math.min(lineWidth - (lines[0]?.length ?? 0) - 2, barWidthMax);
  if (!Number.isFinite(lineWidth) || room < barWidthMin) return lines;
  const largest = Math.max(0, ...rows.map((row) => amountOf(row, name)));
  return lines.map((line, index) => {
    const row = rows[index - 1];
    return row === undefined ? line : `${line}  ${formatBar(amountOf(row, name), largest, room)}`.trimEnd();
  });
}

/** Shorter names for those of the catalog. A version is nothing without its preset. */
const dimensionAliases: Readonly<Record<string, readonly UsageDimensionName[]>> = {
  version: ['preset', 'preset_version'],
  preset_version: ['preset', 'preset_version'],
  key: ['api_key_id'],
  person: ['user'],
  session: ['session_id'],
};

function parseDimensions(text: string): readonly UsageDimensionName[] {
  const period = listOf(text).find((name) => granularities.some((each) => each === name));
  if (period !== undefined)
    throw new InvalidArgumentError(
      `${period} is not a group: use --granularity ${period} for one row per ${period}.`,
    );
  const names = new Set(
    listOf(text).flatMap(
      (name) => dimensionAliases[name] ?? [known(name, usageDimensions, dimensionAliases)],
    ),
  );
  if (names.size > 3) throw new InvalidArgumentError('Name at most three. A version counts as two.');
  return [...names];
}

const metricAliases: Readonly<Record<string, UsageMetricName>> = {
  calls: 'request_count',
  cost: 'total_usage',
  'cost-per-call': 'cost_per_call',
  tokens: 'tokens_total',
  input: 'tokens_prompt',
  output: 'tokens_completion',
  errors: 'error_count',
  latency: 'latency_p95',
  'first-token': 'first_token_p95',
};

function parseMetrics(text: string): readonly UsageMetricName[] {
  return [
    ...new Set(listOf(text).map((name) => metricAliases[name] ?? known(name, usageMetrics, metricAliases))),
  ];
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((name) => name.trim());
}

function known<Name extends string>(
  name: string,
  catalog: Readonly<Record<Name, unknown>>,
  aliases: Readonly<Record<string, unknown>>,
): Name {
  if (Object.hasOwn(catalog, name)) return name as Name;
  const names = [...new Set([...Object.keys(aliases), ...Object.keys(catalog)])];
  throw new InvalidArgumentError(`Must be among ${names.join(', ')}.`);
}

function parseDays(text: string): number {
  const days = parseCount(text);
  if (days < 1 || days > 3_660) throw new InvalidArgumentError('Must be from 1 to 3660.');
  return days;
}

function parseRowLimit(text: string): number {
  const count = parseCount(text);
  if (count < 1 || count > rowsMax) throw new InvalidArgumentError(`Must be from 1 to ${rowsMax}.`);
  return count;
}
