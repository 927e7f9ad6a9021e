/** How results differ from those of the first column, and what a column of them amounts to. */

import { formatCount, formatNumber } from '../../../components/text.ts';
import { compareLines } from '../../../features/comparison/compare-lines.ts';
import { markWords, type Segment } from '../../../features/comparison/mark-words.ts';
import type { Run } from './run.ts';

/** The text in segments; those that the base does not have are marked. */
export function markAgainst(base: string, text: string): readonly Segment[] {
  if (base === text) return [{ text, isChanged: false }];
  const lines = compareLines(base, text).pairs.flatMap(({ from, to, isSame }) => {
    if (to === undefined) return [];
    if (isSame) return [[{ text: to.text, isChanged: false }]];
    if (from === undefined) return [[{ text: to.text, isChanged: true }]];
    return [markWords(from.text, to.text).to];
  });
  return lines.flatMap((line, index) => (index === 0 ? line : [{ text: '\n', isChanged: false }, ...line]));
}

/** For people who do not see the marks: "12 words differ from Draft". */
export function describeMarks(segments: readonly Segment[], base: string): string {
  const words = segments
    .filter(({ isChanged }) => isChanged)
    .reduce((sum, { text }) => sum + (text.match(/\S+/g)?.length ?? 0), 0);
  if (words === 0) return `No new words compared with ${base}`;
  return `${words === 1 ? '1 word differs' : `${words} words differ`} from ${base}`;
}

/** How a figure differs from that of the first column. */
export interface Difference {
  /** In percent: "+12%"; "from 0" if that is impossible. */
  readonly text: string;
  /** Undefined if the difference is too small to matter. */
  readonly direction: 'more' | 'less' | undefined;
}

/** Smaller differences are noise, and so is everything below 10%. */
const noticeable = {
  ms: 100,
  // Half a cent per thousand calls.
  dollars: 0.000_005,
  tokens: 10,
};

/** Undefined if there is nothing to compare with. */
export function differenceFrom(
  base: number | undefined,
  value: number | undefined,
  unit: keyof typeof noticeable,
): Difference | undefined {
  if (base === undefined || value === undefined || base < 0) return undefined;
  // No percentage expresses it.
  if (base === 0) return value < noticeable[unit] ? undefined : { text: 'from 0', direction: 'more' };
  const percent = Math.round((value / base - 1) * 100);
  const isNoticeable = Math.abs(percent) >= 10 && Math.abs(value - base) >= noticeable[unit];
  return {
    text: percent === 0 ? '0%' : percent > 0 ? `+${percent}%` : `−${-percent}%`,
    direction: isNoticeable ? (percent > 0 ? 'more' : 'less') : undefined,
  };
}

/** The part of a run that comparisons need. */
export type Result = Pick<Run, 'phase' | 'response' | 'totalMs'>;

export interface Summary {
  /** Results, successful or not. */
  readonly count: number;
  readonly errors: number;
  /** The sum of those that the upstream reported; undefined for none. */
  readonly cost: number | undefined;
  /** The median of the successful ones. */
  readonly medianMs: number | undefined;
}

export function summarize(results: readonly Result[]): Summary {
  const ended = results.filter(({ phase }) => phase === 'done' || phase === 'failed');
  const costs = ended.flatMap(({ response: { usage } }) => (usage?.cost === undefined ? [] : [usage.cost]));
  const times = ended.flatMap(({ phase, totalMs }) =>
    phase === 'done' && totalMs !== undefined ? [totalMs] : [],
  );
  return {
    count: ended.length,
    errors: ended.filter(({ phase }) => phase === 'failed').length,
    cost: costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0),
    medianMs: median(times),
  };
}

/** How a column differs from the first one, on the cases that both have a response to. */
export interface Comparison {
  /** Cases that both have answered. */
  readonly cases: number;
  readonly medianMs: Difference | undefined;
  /** How many cases have a known cost on both sides, and the difference on those. */
  readonly pricedCases: number;
  readonly cost: Difference | undefined;
}

/**
 * Compares only what both have: while they run, or after failures, one of them has more results,
 * and a sum over more of them says nothing about a column.
 */
export function compareOnSame(pairs: readonly (readonly [base: Result, other: Result])[]): Comparison {
  const both = pairs.filter((pair) => pair.every(({ phase }) => phase === 'done'));
  const priced = both.filter((pair) => pair.every(({ response: { usage } }) => usage?.cost !== undefined));
  const [base, other] = [0, 1].map((side) => ({
    medianMs: summarize(both.flatMap((pair) => pair[side] ?? [])).medianMs,
    cost: summarize(priced.flatMap((pair) => pair[side] ?? [])).cost,
  }));
  return {
    cases: both.length,
    medianMs: differenceFrom(base?.medianMs, other?.medianMs, 'ms'),
    pricedCases: priced.length,
    cost: differenceFrom(base?.cost, other?.cost, 'dollars'),
  };
}

/** "Compared on 22 cases", and on how many of them the cost if it is not known of all. */
export function describeComparison({ cases, pricedCases, cost }: Comparison): string {
  const all = `Compared on ${formatCount(cases, 'case', 'cases')}`;
  return cost === undefined || pricedCases === cases ? all : `${all}, cost on ${formatNumber(pricedCases)}`;
}

function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const [lower, upper] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}
