import {
  type CooperativeTask,
  createYieldCheck,
  runToCompletion,
  type YieldCheck,
} from '../concurrency/cooperative-task.ts';

/** A range in which two sequences differ. Ends are exclusive. */
export interface Gap {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

interface Alignment {
  /** In order. The items between gaps are equal. */
  readonly gaps: readonly Gap[];
  /**
   * False if the budget ran out. Then everything between the common prefix and suffix is one gap.
   */
  readonly isMinimal: boolean;
}

/**
 * Limits the work of all alignments in one diff together. One unit is one comparison of two items.
 */
export interface AlignmentBudget {
  unitsLeft: number;
  readonly shouldYield: YieldCheck;
}

export function createAlignmentBudget(units: number): AlignmentBudget {
  return { unitsLeft: units, shouldYield: createYieldCheck(50_000) };
}

/**
 * Finds the fewest insertions and deletions between two sequences with Myers' greedy algorithm. The
 * worst case is quadratic, hence the budget. Items are ids: callers map equal things to equal
 * numbers.
 */
export function* alignSequences(
  from: readonly number[],
  to: readonly number[],
  budget: AlignmentBudget,
): CooperativeTask<Alignment> {
  const ends = countEqualEnds(from, to);
  const middle = {
    fromStart: ends.start,
    fromEnd: from.length - ends.end,
    toStart: ends.start,
    toEnd: to.length - ends.end,
  };
  const before = candidates(from, middle.fromStart, middle.fromEnd, new Set(to));
  const after = candidates(to, middle.toStart, middle.toEnd, new Set(from));
  if (budget.shouldYield(from.length + to.length)) yield;
  const matches = yield* findMatches(
    before.map((index) => from[index]),
    after.map((index) => to[index]),
    budget,
  );
  const pairs = (matches ?? []).map(([x, y]): Match => [before[x] ?? 0, after[y] ?? 0]);
  return { gaps: gapsBetween(pairs, middle), isMinimal: matches !== undefined };
}

/** Aligns two lists of texts without pausing, for the browser, where blocking is acceptable. */
export function alignTexts(from: readonly string[], to: readonly string[], units: number): Alignment {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return runToCompletion(alignSequences(from.map(numberOf), to.map(numberOf), createAlignmentBudget(units)));
}

/** The lengths of the common prefix and of the common suffix, which do not overlap. */
export function countEqualEnds(
  from: readonly unknown[],
  to: readonly unknown[],
): { readonly start: number; readonly end: number } {
  const length = Math.min(from.length, to.length);
  let start = 0;
  while (start < length && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < length - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
  return { start, end };
}

/**
 * The indexes of items that also occur in the other sequence. All others cannot match and are
 * skipped.
 */
function candidates(
  items: readonly number[],
  start: number,
  end: number,
  others: ReadonlySet<number>,
): readonly number[] {
  const indexes: number[] = [];
  for (let index = start; index < end; index += 1) if (others.has(items[index] ?? -1)) indexes.push(index);
  return indexes;
}

type Match = readonly [from: number, to: number];

/** Returns the index pairs of unchanged items, in order; undefined if the budget runs out. */
function* findMatches(
  from: readonly unknown[],
  to: readonly unknown[],
  budget: AlignmentBudget,
): CooperativeTask<readonly Match[] | undefined> {
  if (from.length === 0 || to.length === 0) return [];
  // Row d holds the furthest position that d edits reach on each of the diagonals -d, -d + 2, …, d.
  const rows: Int32Array[] = [];
  for (let edits = 0; ; edits += 1) {
    const row = new Int32Array(edits + 1);
    const previous = rows.at(-1);
    rows.push(row);
    for (let index = 0; index <= edits; index += 1) {
      let x = start(previous, index, edits);
      let y = x - (2 * index - edits);
      const runStart = x;
      while (x < from.length && y < to.length && from[x] === to[y]) {
        x += 1;
        y += 1;
      }
      row[index] = x;
      if (x >= from.length && y >= to.length) return traceBack(rows, index);
      const units = 1 + x - runStart;
      budget.unitsLeft -= units;
      if (budget.unitsLeft < 0) return undefined;
      if (budget.shouldYield(units)) yield;
    }
  }
}

/**
 * Where a diagonal starts after one more edit: one insertion or one deletion from a neighboring
 * diagonal.
 */
function start(previous: Int32Array | undefined, index: number, edits: number): number {
  if (previous === undefined) return 0;
  return isInsertion(previous, index, edits) ? (previous[index] ?? 0) : (previous[index - 1] ?? 0) + 1;
}

function isInsertion(previous: Int32Array, index: number, edits: number): boolean {
  return index === 0 || (index < edits && (previous[index - 1] ?? 0) < (previous[index] ?? 0));
}

/** Walks the edits backwards and collects the run of equal items after each. */
function traceBack(rows: readonly Int32Array[], lastIndex: number): readonly Match[] {
  const matches: Match[] = [];
  let index = lastIndex;
  for (let edits = rows.length - 1; edits >= 0; edits -= 1) {
    const previous = rows[edits - 1];
    const runStart = start(previous, index, edits);
    const diagonal = 2 * index - edits;
    for (let x = (rows[edits]?.[index] ?? 0) - 1; x >= runStart; x -= 1) matches.push([x, x - diagonal]);
    if (previous !== undefined && !isInsertion(previous, index, edits)) index -= 1;
  }
  return matches.reverse();
}

/** The gaps between consecutive matches, within the part that differs. */
function gapsBetween(matches: readonly Match[], middle: Gap): readonly Gap[] {
  const gaps: Gap[] = [];
  let { fromStart, toStart } = middle;
  const end: Match = [middle.fromEnd, middle.toEnd];
  for (const [fromEnd, toEnd] of [...matches, end]) {
    if (fromEnd > fromStart || toEnd > toStart) gaps.push({ fromStart, fromEnd, toStart, toEnd });
    [fromStart, toStart] = [fromEnd + 1, toEnd + 1];
  }
  return gaps;
}
