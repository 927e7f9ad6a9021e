/** How many calls a run makes, and what they may cost. */

import { formatCount, formatDollars } from '../../../../components/text.ts';
import type { Column } from '../../../../features/runs/run-state.ts';
import { callCostDays } from '../../../../features/version-usage/call-costs.ts';
import type { ColumnRun, RunResult } from '../run-result.ts';
import { caseNameOf, columnOf } from './all-cases-run.ts';

/**
 * A run of more calls has to be confirmed. Up to here, even long prompts on an expensive model cost
 * a dollar or two, and the run ends within a minute: stopping it is as easy as an answer.
 */
export const unconfirmedCallsMax = 20;

export interface Estimate {
  readonly calls: number;
  /** Of the calls whose cost something is known about. */
  readonly dollars: number;
  readonly unknownCalls: number;
  /** Where the numbers come from. */
  readonly sources: readonly ('calls' | 'results')[];
}

export interface Known {
  /** The cost of a column's call in US dollars, by the ledger; undefined if it has none. */
  readonly costPerCall: (column: Column) => number | undefined;
  /** Those of all cases, by `cellKey`. */
  readonly cells: ReadonlyMap<string, RunResult>;
  /** The last one of each column in the conversation. */
  readonly runs: ReadonlyMap<number, ColumnRun>;
}

/**
 * A call costs what calls of its version and model did on average. If there were none, it costs
 * what it did the last time on this page, or else the mean of the column. Results of another
 * version or model say nothing.
 */
export function estimateRun(keys: readonly string[], columns: readonly Column[], known: Known): Estimate {
  let [dollars, unknownCalls] = [0, 0];
  const sources = new Set<Estimate['sources'][number]>();
  for (const column of columns) {
    const wanted = keys.filter((key) => columnOf(key) === String(column.id));
    const average = known.costPerCall(column);
    const costs = average === undefined ? resultCosts(wanted, column, known) : wanted.map(() => average);
    if (costs === undefined) unknownCalls += wanted.length;
    else sources.add(average === undefined ? 'results' : 'calls');
    for (const cost of costs ?? []) dollars += cost;
  }
  return { calls: keys.length, dollars, unknownCalls, sources: [...sources] };
}

function resultCosts(
  wanted: readonly string[],
  column: Column,
  { cells, runs }: Known,
): readonly number[] | undefined {
  const costIn = (result: RunResult | undefined) => costOf(result, column);
  const inColumn = [...cells].filter(([key]) => columnOf(key) === String(column.id));
  const earlier = [...inColumn.map(([, cell]) => costIn(cell)), costIn(runs.get(column.id))].filter(
    (cost) => cost !== undefined,
  );
  if (earlier.length === 0) return undefined;
  const mean = earlier.reduce((sum, cost) => sum + cost, 0) / earlier.length;
  return wanted.map((key) => costIn(cells.get(key)) ?? mean);
}

function costOf(result: RunResult | undefined, { source, model }: Column): number | undefined {
  if (result?.inputs?.source !== source || result.inputs.model !== model) return undefined;
  return result.phase === 'done' ? result.response.usage?.cost : undefined;
}

/** "72 calls, about $0.40". */
export function describeEstimate({ calls, dollars, unknownCalls }: Estimate): string {
  const count = formatCount(calls, 'call', 'calls');
  if (unknownCalls === calls) return `${count}, cost unknown`;
  const about = `${count}, about ${formatDollars(Number(dollars.toPrecision(2)))}`;
  return unknownCalls === 0
    ? about
    : `${about}, plus ${formatCount(unknownCalls, 'call', 'calls')} of unknown cost`;
}

/** Where an estimate comes from, after its numbers; undefined if nothing is known. */
export function describeSources({ sources }: Estimate): string | undefined {
  if (sources.length === 0) return undefined;
  const texts = {
    calls: `calls of this preset in the last ${callCostDays} days`,
    results: 'earlier results on this page',
  };
  return `estimated from ${sources.map((source) => texts[source]).join(' and ')}`;
}

/** "24 cases × 3 columns", or "5 cells" if they are not all of those. */
export function describeSize(keys: readonly string[]): string {
  const cases = new Set(keys.map(caseNameOf)).size;
  const columns = new Set(keys.map(columnOf)).size;
  if (cases * columns !== keys.length) return formatCount(keys.length, 'cell', 'cells');
  return sizeOf(cases, columns);
}

export function sizeOf(cases: number, columns: number): string {
  return `${formatCount(cases, 'case', 'cases')} × ${formatCount(columns, 'column', 'columns')}`;
}
