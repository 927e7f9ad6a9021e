import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createCallFeed } from '../api/call-feed.ts';
import type { Input, ResponseOf } from '../api/client.ts';
import type { Generation } from '../api/generations.ts';
import { formatAmount, formatCost, formatDuration } from '../core/ledger/metric-text.ts';
import { type FilterName, filterDimensions, usageDimensions } from '../core/ledger/usage-catalog.ts';
import { type CamelCase, camelCase } from '../core/text/letter-case.ts';
import { oneLine } from '../core/text/printable.ts';
import {
  type ApiOptions,
  connectToOrganization,
  connectToUsage,
  organizationCommand,
  printResponse,
  type ServerOptions,
  usageCommandWithJson,
} from './api-command.ts';
import { renderCall, statusOf, versionOf } from './call-details.ts';
import { CommandError, MisuseError } from './command-error.ts';
import { parseCount, parseIdentifier, parsePageLimit, parseTime } from './options.ts';
import { paintForStdout, print, printStderr } from './ui/output.ts';
import { alignRight, type Column, formatTable, optionalColumn, textColumn } from './ui/table.ts';
import { timeOfDay } from './ui/text.ts';

/** Single calls: the latest ones, new ones as they end, or one in detail. */
export function callsCommand(): Command {
  const command = usageCommandWithJson('calls')
    // "show" has its own --json.
    .enablePositionalOptions();
  for (const name of filterOptionNames) command.addOption(filterOption(name));
  return command
    .option('--since <time>', 'From this time on, such as 2027-01-31 or 2027-01-31T09:30:00Z', parseTime)
    .option('--until <time>', 'Before this time', parseTime)
    .option('--limit <count>', 'Maximum number of calls (default: 50, or with --follow 0)', parsePageLimit)
    .option('--cursor <cursor>', 'Continue a list, with the cursor printed at its end')
    .option('--follow', 'Print calls as they end, until Ctrl+C')
    .action(calls)
    .addCommand(
      organizationCommand('show')
        .summary('Show a call in detail')
        .argument('<id>', 'ID of the call or of its response', parseIdentifier)
        .action(show),
    );
}

/** `--workspace` is an option of every command about usage. */
type FilterOptionName = Exclude<FilterName, 'workspace'>;

interface FilterOption {
  /** The name of the value in the help. */
  readonly value: string;
  readonly text: string;
  /** Parses anything but an identifier or one of a few values. */
  readonly parse?: (text: string) => string | number;
}

const filterOptions: Readonly<Record<FilterOptionName, FilterOption>> = {
  preset: { value: 'slug', text: 'Only calls of this preset' },
  version: { value: 'number', text: 'Only calls of this version', parse: parseVersionNumber },
  label: { value: 'label', text: 'Only calls whose version this label chose' },
  selection: { value: 'way', text: 'Only calls whose version was chosen this way' },
  model: { value: 'model', text: 'Only calls of this model' },
  upstream: { value: 'name', text: 'Only calls to this upstream' },
  dialect: { value: 'dialect', text: 'Only calls in this dialect, or to this endpoint' },
  status: { value: 'status', text: 'Only this status, or "error" or "success"', parse: parseStatus },
  error: { value: 'code', text: 'Only calls that failed for this reason' },
  key: { value: 'id', text: 'Only calls with this key' },
  person: { value: 'id', text: 'Only calls by this person' },
  end_user: { value: 'id', text: 'Only calls for this end user of an app' },
  session: { value: 'id', text: 'Only calls of this session' },
  purpose: { value: 'purpose', text: 'Only calls of apps, or runs of the workbench' },
};

const filterOptionNames = Object.keys(filterOptions) as readonly FilterOptionName[];

function filterOption(name: FilterOptionName): Option {
  const { value, text, parse = parseIdentifier } = filterOptions[name];
  const option = new Option(`--${name.replace('_', '-')} <${value}>`, text);
  const { values } = usageDimensions[filterDimensions[name]];
  return values === undefined ? option.argParser(parse) : option.choices(Object.keys(values));
}

interface CallsOptions
  extends ApiOptions,
    Readonly<Partial<Record<CamelCase<FilterOptionName>, string | number>>> {
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly follow?: true;
}

type Query = NonNullable<Input<'GET /generations'>['query']>;

async function calls(options: CallsOptions): Promise<void> {
  if (options.follow) return follow(options);
  const client = connectToUsage(options);
  for (let { cursor } = options; ; ) {
    const response = await client.call('GET /generations', { query: { ...queryOf(options), cursor } });
    cursor = response.content.next_cursor ?? undefined;
    // The search for rare calls goes on after an empty page.
    if (response.content.data.length > 0 || cursor === undefined)
      return printResponse(response, options, (page) => renderCalls(page));
  }
}

function queryOf(options: CallsOptions): Query {
  const { since, until, cursor, limit = 50 } = options;
  const filters = filterOptionNames.map((name) => [filterDimensions[name], options[camelCase(name)]]);
  return { ...Object.fromEntries(filters), since, until, cursor, limit };
}

export function renderCalls(
  { data, next_cursor: cursor }: ResponseOf<'GET /generations'>,
  lineWidth?: number,
): string {
  if (data.length === 0) return 'No calls found.';
  return [
    tableOf(data, lineWidth),
    ...(cursor === null ? [] : [`Use --cursor ${oneLine(cursor)} for more`]),
  ].join('\n');
}

interface CallColumn extends Column {
  readonly cell: (call: Generation) => string;
  readonly isNumber?: true;
}

const columns: readonly CallColumn[] = [
  // Without the year, so that the rest fits.
  { title: 'TIME', cell: ({ created_at }) => timeOfDay(String(created_at)).slice(5) },
  { ...textColumn('VERSION'), cell: ({ presetd }) => versionOf(presetd) },
  { ...textColumn('MODEL', 2), cell: ({ model }) => String(model) },
  { ...textColumn('STATUS'), cell: ({ presetd }) => statusOf(presetd) },
  { ...optionalColumn('TOKENS', 1), cell: tokensOf },
  { title: 'COST', cell: ({ presetd }) => formatCost(presetd.cost), isNumber: true },
  {
    ...optionalColumn('LATENCY', 3),
    cell: ({ presetd }) => formatDuration(presetd.total_ms),
    isNumber: true,
  },
  { ...textColumn('KEY', 0), cell: ({ presetd }) => callerOf(presetd) },
];

function tableOf(list: readonly Generation[], lineWidth?: number): string {
  const cells = columns.map(({ title, cell, isNumber }) => {
    const texts = [title, ...list.map(cell)];
    return isNumber ? alignRight(texts) : texts;
  });
  return formatTable(
    columns.map((column, index) => ({ ...column, title: cells[index]?.[0] ?? column.title })),
    list.map((_, row) => cells.map((texts) => texts[row + 1] ?? '')),
    lineWidth,
  );
}

/** Without a key, a person was signed in. */
function callerOf({ key_name: name, key_label: label, user_email: email, user_id: user }: Details): string {
  return String(name ?? label ?? email ?? user);
}

type Details = Generation['presetd'];

/** Input and output. Estimates are marked. */
function tokensOf({ tokens_prompt: input, tokens_completion: output, presetd }: Generation): string {
  if (input === null && output === null) return '–';
  return `${presetd.is_estimated ? '~' : ''}${formatAmount(input)} → ${formatAmount(output)}`;
}

const pollMs = 1_000;
const retryMsMax = 10_000;

/** Ends with Ctrl+C only, or if the server rejects the request for good. */
async function follow(options: CallsOptions): Promise<void> {
  if ((options.since ?? options.until ?? options.cursor) !== undefined)
    throw new MisuseError('--follow shows new calls only: leave out --since, --until and --cursor.');
  const client = connectToUsage(options);
  const query = { ...queryOf(options), limit: 100 };
  const feed = createCallFeed(
    async (cursor) => (await client.call('GET /generations', { query: { ...query, cursor } })).content,
  );
  // That is how it is meant to end, so it is no failure.
  process.once('SIGINT', () => process.exit(0));
  const printer = options.json ? printLines : tablePrinter();
  // Wrong settings fail at once, as with any other command.
  const { calls: earlier } = await feed.look();
  const { limit = 0 } = options;
  printer(limit === 0 ? [] : earlier.slice(-limit));
  if (process.stderr.isTTY) printStderr('Waiting for calls. Press Ctrl+C to stop.');
  let hasWarned = false;
  for (let failures = 0; ; ) {
    await delay(Math.min(pollMs * 2 ** failures, retryMsMax));
    const news = await feed.look().catch((error) => {
      if (!(error instanceof CommandError && error.kind === 'unavailable')) throw error;
      if (failures === 0) printStderr(`${error.message} Retrying.`);
      return undefined;
    });
    if (news === undefined) {
      failures += 1;
      continue;
    }
    if (failures > 0) printStderr('Reconnected.');
    failures = 0;
    printer(news.calls);
    if (news.isCutOff && !hasWarned)
      printStderr('Too many calls to follow, so long ones may be missing. Use filters to follow fewer.');
    hasWarned ||= news.isCutOff;
  }
}

/** One JSON object per line. */
function printLines(found: readonly Generation[]): void {
  for (const call of found) print(JSON.stringify(call));
}

/** Enough to align new rows with those on the screen. */
const alignedRows = 50;

/** Prints rows below each other as if they were one table. */
function tablePrinter(): (found: readonly Generation[]) => void {
  let shown: readonly Generation[] = [];
  return (found) => {
    if (found.length === 0) return;
    const isFirst = shown.length === 0;
    shown = [...shown, ...found].slice(-Math.max(alignedRows, found.length));
    const lines = tableOf(shown).split('\n');
    print((isFirst ? lines : lines.slice(-found.length)).join('\n'));
  };
}

async function show(id: string, options: ServerOptions): Promise<void> {
  const response = await connectToOrganization(options).call('GET /generation', { query: { id } });
  printResponse(response, options, ({ data }) => renderCall(data, paintForStdout));
}

function parseStatus(text: string): string {
  if (/^([1-5]\d\d|error|success)$/.test(text)) return text;
  throw new InvalidArgumentError('Must be a status such as 429, "error" or "success".');
}

function parseVersionNumber(text: string): number {
  const version = parseCount(text);
  if (version < 1) throw new InvalidArgumentError('Must be the number of a version.');
  return version;
}
