/** How many calls a run makes, and what they may cost. */

import { formatCount, formatDollars } from '../../../../components/text.ts';
import type { Column } from '../../../../features/runs/run-state.ts';
import type { ColumnRun, RunResult } from '../run-result.ts';
import { caseNameOf, columnOf } from './all-cases-run.ts';

/**
 * A run of more calls has to be confirmed. Up to here, even long prompts on an expensive model cost a
 * dollar or two, and the run ends within a minute: stopping it is as easy as answering a question.
 */
export const unconfirmedCallsMax = 20;

export interface Estimate {
  readonly calls: number;
  /** Of the calls that earlier results say something about. */
  readonly dollars: number;
  readonly unknownCalls: number;
}

interface Earlier {
  /** Those of all cases, by `cellKey`. */
  readonly cells: ReadonlyMap<string, RunResult>;
  /** The last one of each column in the conversation. */
  readonly runs: ReadonlyMap<number, ColumnRun>;
}

/**
 * A call costs what it did the last time, or else the mean of the column. Results of another version
 * or model say nothing.
 */
export function estimateRun(
  keys: readonly string[],
  columns: readonly Column[],
  { cells, runs }: Earlier,
): Estimate {
  let [dollars, unknownCalls] = [0, 0];
  for (const column of columns) {
    const id = String(column.id);
    const costIn = (result: RunResult | undefined) => costOf(result, column);
    const earlier = [
      ...[...cells].filter(([key]) => columnOf(key) === id).map(([, cell]) => costIn(cell)),
      costIn(runs.get(column.id)),
    ].filter((cost) => cost !== undefined);
    const mean = earlier.reduce((sum, cost) => sum + cost, 0) / earlier.length;
    for (const key of keys.filter((one) => columnOf(one) === id)) {
      if (earlier.length === 0) unknownCalls += 1;
      else dollars += costIn(cells.get(key)) ?? mean;
    }
  }
  return { calls: keys.length, dollars, unknownCalls };
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
