import type { Command } from 'commander';
import { httpRequestOf } from '../api/client.ts';
import type { RepricingLine, RepricingResult } from '../api/repricing.ts';
import { formatAmount, formatCost } from '../core/ledger/metric-text.ts';
import type { ApiClient } from './api-client.ts';
import { connectToOrganization, organizationCommand, printJson, type ServerOptions } from './api-command.ts';
import { CommandError } from './command-error.ts';
import { askToGoAhead } from './confirm.ts';
import { parseTime } from './options.ts';
import { print, printStderr } from './ui/output.ts';
import { type Progress, startProgress } from './ui/progress.ts';
import { alignRight, formatTable, textColumn } from './ui/table.ts';
import { shortTime } from './ui/text.ts';

/** Recalculates the cost of past calls after a price correction. Shows the difference first. */
export function repriceCommand(): Command {
  return organizationCommand('reprice')
    .summary('Recalculate costs at current prices')
    .requiredOption('--from <time>', 'From this time on, such as 2027-01-01', parseTime)
    .requiredOption('--to <time>', 'Before this time', parseTime)
    .option('--dry-run', 'Only show what would change')
    .option('-y, --yes', 'Do not ask')
    .action(repriceUsage);
}

interface RepriceOptions extends ServerOptions {
  readonly from: string;
  readonly to: string;
  readonly dryRun?: true;
  readonly yes?: true;
}

async function repriceUsage(options: RepriceOptions): Promise<void> {
  const { from, to, dryRun, yes, json } = options;
  const api = connectToOrganization(options);
  const compared = await reprice(api, { from, to, dry_run: true });
  const hasChanges = compared.result.changed_calls > 0;
  if (dryRun || !hasChanges) return printResult(compared, json);
  const explanation = renderRepricing(compared.result);
  if (!yes) await askToGoAhead(explanation, 'Change these costs?');
  else if (!json) printStderr(explanation);
  const done = await reprice(api, { from, to });
  if (json) printJson(done);
  else print(`Changed the cost of ${describeCalls(done.result.changed_calls)}.`);
}

function printResult(line: ResultLine, json: true | undefined): void {
  if (json) printJson(line);
  else print(renderRepricing(line.result));
}

interface ResultLine {
  /** As the server sent it. */
  readonly text: string;
  readonly result: RepricingResult;
}

type Body = { readonly from: string; readonly to: string; readonly dry_run?: boolean };

/** Sends the request and waits for its last line, which can take minutes. */
async function reprice(api: ApiClient, body: Body): Promise<ResultLine> {
  const progress = startProgress(body.dry_run ? 'Comparing' : 'Repricing', ['call', 'calls']);
  try {
    const last = await lastLine(await api.open(httpRequestOf('POST /usage/reprice', { body })), progress);
    if (last !== undefined) return last;
  } finally {
    progress.finish();
  }
  throw new CommandError(
    body.dry_run
      ? 'The response ended early. Run the command again.'
      : 'The response ended early, so some costs may be unchanged. Run the command again to change the rest.',
    { kind: 'unavailable' },
  );
}

async function lastLine(
  body: AsyncIterable<Uint8Array>,
  progress: Progress,
): Promise<ResultLine | undefined> {
  let examined = 0;
  let last: ResultLine | undefined;
  for await (const text of linesOf(body)) {
    const line = parseLine(text);
    progress.expect(Number(line.expected_calls));
    progress.advance(Number(line.examined_calls) - examined);
    examined = Number(line.examined_calls);
    if (line.type === 'end') last = { text, result: line as RepricingResult };
  }
  return last;
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

function parseLine(text: string): RepricingLine {
  try {
    return JSON.parse(text);
  } catch {
    throw new CommandError('The server sent a line that is not JSON. Check PRESETD_URL.');
  }
}

function renderRepricing(result: RepricingResult): string {
  const { from, to, changed_calls: calls, examined_calls: examined, unreachable_calls: unreachable } = result;
  const range = `from ${shortTime(String(from))} to ${shortTime(String(to))}`;
  const kept =
    unreachable === 0
      ? []
      : [
          `${describeCalls(unreachable)} in this period ${unreachable === 1 ? 'is' : 'are'} not stored any more, so ${unreachable === 1 ? 'its cost stays' : 'their costs stay'}.`,
        ];
  if (calls === 0)
    return [
      `No cost changes among ${describeCalls(examined)} ${range}. Costs that upstreams reported and unknown costs stay as they are.`,
      ...kept,
    ].join('\n');
  return [tableOf(result), `${describeCalls(calls)} of ${formatAmount(examined)} ${range}.`, ...kept].join(
    '\n',
  );
}

function tableOf({ models, ...total }: RepricingResult): string {
  const rows = models.map(
    (row) => [String(row.model ?? '(none)'), String(row.upstream ?? '(none)'), row] as const,
  );
  const all = [
    ...rows,
    ['Total', '', { ...total, calls: total.changed_calls, unpriced_calls: sumOfUnpriced(models) }] as const,
  ];
  const numbers = [
    alignRight(['CALLS', ...all.map(([, , { calls }]) => formatAmount(calls))]),
    alignRight(['OLD COST', ...all.map(([, , row]) => oldCostOf(row))]),
    alignRight(['NEW COST', ...all.map(([, , { new_cost: cost }]) => formatCost(cost))]),
    alignRight(['DIFFERENCE', ...all.map(([, , row]) => differenceOf(row))]),
  ];
  return formatTable(
    [textColumn('MODEL'), textColumn('UPSTREAM'), ...numbers.map(([title = '']) => title)],
    all.map(([model, upstream], index) => [
      model,
      upstream,
      ...numbers.map((cells) => cells[index + 1] ?? ''),
    ]),
  );
}

interface Costs {
  readonly calls: number;
  readonly unpriced_calls: number;
  readonly old_cost: number;
  readonly new_cost: number;
}

function sumOfUnpriced(models: RepricingResult['models']): number {
  return models.reduce((sum, { unpriced_calls: calls }) => sum + calls, 0);
}

/** A cost that was not known is not zero. */
function oldCostOf({ calls, unpriced_calls: unpriced, old_cost: cost }: Costs): string {
  if (unpriced === 0) return formatCost(cost);
  return unpriced === calls ? 'unknown' : `${formatCost(cost)} + unknown`;
}

function differenceOf({ old_cost: before, new_cost: after }: Costs): string {
  // In whole billionths, as costs are stored: 0.3 - 0.1 has no end.
  const difference = Math.round((after - before) * 1e9) / 1e9;
  if (Number.isNaN(difference)) return formatCost(undefined);
  return difference > 0 ? `+${formatCost(difference)}` : formatCost(difference);
}

function describeCalls(count: number): string {
  return `${formatAmount(count)} ${count === 1 ? 'call' : 'calls'}`;
}
