import {
  type CooperativeTask,
  createYieldCheck,
  runToCompletion,
  type YieldCheck,
} from './cooperative-task.ts';

/** A stretch in which two sequences differ: items of the first, up to but not including the end, became others. */
export interface Gap {
  readonly fromStart: number;
  readonly fromEnd: number;
  readonly toStart: number;
  readonly toEnd: number;
}

export interface Alignment {
  /** In order; what is between them is equal. */
  readonly gaps: readonly Gap[];
  /** False when the budget ran out, and everything between the equal ends counts as one gap. */
  readonly isMinimal: boolean;
}

/** Work that may be spent, shared by all alignments of one comparison. One unit is one pair of items looked at. */
export interface AlignmentBudget {
  unitsLeft: number;
  readonly isPauseDue: YieldCheck;
}

export function createAlignmentBudget(units: number): AlignmentBudget {
  return { unitsLeft: units, isPauseDue: createYieldCheck(50_000) };
}

/**
 * Finds the fewest insertions and deletions between two sequences, by Myers' greedy algorithm. Its worst case grows with
 * the square of the length, hence the budget. Items are numbers that are equal when the things they stand for are.
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
  if (budget.isPauseDue(from.length + to.length)) yield;
  const matches = yield* findMatches(
    before.map((index) => from[index]),
    after.map((index) => to[index]),
    budget,
  );
  const pairs = (matches ?? []).map(([x, y]): Match => [before[x] ?? 0, after[y] ?? 0]);
  return { gaps: gapsBetween(pairs, middle), isMinimal: matches !== undefined };
}

/** Aligns two lists of texts without a pause, for the browser, where blocking is acceptable. */
export function alignTexts(from: readonly string[], to: readonly string[], units: number): Alignment {
  const numbers = new Map<string, number>();
  const numberOf = (text: string) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
  return runToCompletion(alignSequences(from.map(numberOf), to.map(numberOf), createAlignmentBudget(units)));
}

/** How many items are equal at the start and, of the rest, at the end. */
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

/** An item that the other sequence does not have can match nothing, and is left out of the search. */
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

/** The indexes of items that stay, in order; undefined when the budget runs out. */
function* findMatches(
  from: readonly unknown[],
  to: readonly unknown[],
  budget: AlignmentBudget,
): CooperativeTask<readonly Match[] | undefined> {
  if (from.length === 0 || to.length === 0) return [];
  // Row d holds how far d edits lead on each of the diagonals -d, -d + 2, …, d.
  const rows: Int32Array[] = [];
  for (let edits = 0; ; edits += 1) {
    const row = new Int32Array(edits + 1);
    const previous = rows.at(-1);
    rows.push(row);
    for (let index = 0; index <= edits; index += 1) {
      let x = start(previous, index, edits);
      let y = x - (2 * index - edits);
      const begin = x;
      while (x < from.length && y < to.length && from[x] === to[y]) {
        x += 1;
        y += 1;
      }
      row[index] = x;
      if (x >= from.length && y >= to.length) return traceBack(rows, index);
      const units = 1 + x - begin;
      budget.unitsLeft -= units;
      if (budget.unitsLeft < 0) return undefined;
      if (budget.isPauseDue(units)) yield;
    }
  }
}

/** Where the diagonal begins after one more edit: below the diagonal to its right, or right of the one to its left. */
function start(previous: Int32Array | undefined, index: number, edits: number): number {
  if (previous === undefined) return 0;
  return isInsertion(previous, index, edits) ? (previous[index] ?? 0) : (previous[index - 1] ?? 0) + 1;
}

function isInsertion(previous: Int32Array, index: number, edits: number): boolean {
  return index === 0 || (index < edits && (previous[index - 1] ?? 0) < (previous[index] ?? 0));
}

/** Follows the edits from the last to the first, and collects the equal items after each of them. */
function traceBack(rows: readonly Int32Array[], lastIndex: number): readonly Match[] {
  const matches: Match[] = [];
  let index = lastIndex;
  for (let edits = rows.length - 1; edits >= 0; edits -= 1) {
    const previous = rows[edits - 1];
    const begin = start(previous, index, edits);
    const diagonal = 2 * index - edits;
    for (let x = (rows[edits]?.[index] ?? 0) - 1; x >= begin; x -= 1) matches.push([x, x - diagonal]);
    if (previous !== undefined && !isInsertion(previous, index, edits)) index -= 1;
  }
  return matches.reverse();
}

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
