import { alignTexts } from '../../../../src/core/presets/align-sequences.ts';
import { similarity, wordBag } from './mark-words.ts';

export interface Line {
  readonly number: number;
  readonly text: string;
}

/** One row of the diff: a line of each text, or of only one if the other has nothing similar. */
export interface LinePair {
  readonly from: Line | undefined;
  readonly to: Line | undefined;
  readonly isSame: boolean;
}

interface LineComparison {
  readonly pairs: readonly LinePair[];
  /**
   * Whether the work limit was hit, so that everything between the common ends counts as changed.
   */
  readonly isCoarse: boolean;
}

/** Aligns two texts line by line for a side-by-side diff. */
export function compareLines(from: string, to: string): LineComparison {
  const before = linesOf(from);
  const after = linesOf(to);
  const { gaps, isMinimal } = alignTexts(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
    workMax(before.length + after.length),
  );
  // Equal lines lie between the gaps; a final empty gap flushes those after the last one.
  const pairs: LinePair[] = [];
  let fromAt = 0;
  for (const gap of [...gaps, { fromStart: before.length, fromEnd: 0, toStart: after.length, toEnd: 0 }]) {
    const shift = gap.toStart - gap.fromStart;
    for (; fromAt < gap.fromStart; fromAt += 1)
      pairs.push({ from: before[fromAt], to: after[fromAt + shift], isSame: true });
    for (const pair of alignChangedLines(
      before.slice(gap.fromStart, gap.fromEnd),
      after.slice(gap.toStart, gap.toEnd),
    ))
      pairs.push(pair);
    fromAt = gap.fromEnd;
  }
  return { pairs, isCoarse: !isMinimal };
}

/**
 * Limits the work in proportion to the texts, so that many short diffs on a page take no longer
 * than one long one.
 */
function workMax(lines: number): number {
  return 100_000 + 20 * lines;
}

/** Splits at \n only, so that \r shows up as a change of line ending. */
function linesOf(text: string): readonly Line[] {
  if (text === '') return [];
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
}

/** Beyond these limits, pairing similar lines would take longer than anyone waits. */
const comparisonsMax = 2_500;
const charactersMax = 100_000;

/** Pairs the lines of a replaced block: similar ones with each other, the rest in order. */
function alignChangedLines(before: readonly Line[], after: readonly Line[]): readonly LinePair[] {
  const characters = [...before, ...after].reduce((sum, { text }) => sum + text.length, 0);
  if (before.length * after.length > comparisonsMax || characters > charactersMax)
    return pairInOrder(before, after);
  const pairs: LinePair[] = [];
  let [fromAt, toAt] = [0, 0];
  for (const [fromIndex, toIndex] of alignSimilarLines(before, after)) {
    pairs.push(...pairInOrder(before.slice(fromAt, fromIndex), after.slice(toAt, toIndex)));
    pairs.push({ from: before[fromIndex], to: after[toIndex], isSame: false });
    [fromAt, toAt] = [fromIndex + 1, toIndex + 1];
  }
  pairs.push(...pairInOrder(before.slice(fromAt), after.slice(toAt)));
  return pairs;
}

function pairInOrder(before: readonly Line[], after: readonly Line[]): readonly LinePair[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => ({
    from: before[index],
    to: after[index],
    isSame: false,
  }));
}

/** Below this, two lines share words only by chance. */
const similarityMin = 0.4;

/**
 * The non-crossing pairs of indexes with the greatest total similarity, by dynamic programming from
 * the end of both lists.
 */
function alignSimilarLines(
  before: readonly Line[],
  after: readonly Line[],
): readonly (readonly [number, number])[] {
  const bagsBefore = before.map(({ text }) => wordBag(text));
  const bagsAfter = after.map(({ text }) => wordBag(text));
  // best[i, j] is the greatest similarity of the lines from i and j on, stored row by row.
  const width = after.length + 1;
  const best = new Float64Array((before.length + 1) * width);
  const paired = new Uint8Array(best.length);
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const alone = Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
      const likeness = similarity(bagsBefore[i], bagsAfter[j]);
      const together = likeness + (best[(i + 1) * width + j + 1] ?? 0);
      const isPair = likeness >= similarityMin && together > alone;
      best[i * width + j] = isPair ? together : alone;
      paired[i * width + j] = isPair ? 1 : 0;
    }
  const pairs: (readonly [number, number])[] = [];
  for (let [i, j] = [0, 0]; i < before.length && j < after.length; ) {
    if (paired[i * width + j] === 1) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if ((best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0)) i += 1;
    else j += 1;
  }
  return pairs;
}

/** A section of a diff: lines to show, or unchanged lines that are folded away. */
interface Section {
  readonly isFolded: boolean;
  readonly pairs: readonly LinePair[];
}

/** Unchanged lines shown around a change, as in a unified diff. */
const contextLines = 3;

/** Folding fewer lines would save no space, since the fold itself takes a row. */
const foldMin = 3;

/** Splits a diff into sections and folds what is far from every change. */
export function foldLines(pairs: readonly LinePair[]): readonly Section[] {
  const sections: Section[] = [];
  for (const run of runsOf(pairs)) {
    const before = run.start === 0 ? 0 : contextLines;
    const after = run.end === pairs.length ? 0 : contextLines;
    if (!run.isSame || run.end - run.start - before - after < foldMin) {
      sections.push({ isFolded: false, pairs: pairs.slice(run.start, run.end) });
      continue;
    }
    sections.push({ isFolded: false, pairs: pairs.slice(run.start, run.start + before) });
    sections.push({ isFolded: true, pairs: pairs.slice(run.start + before, run.end - after) });
    sections.push({ isFolded: false, pairs: pairs.slice(run.end - after, run.end) });
  }
  return mergeShown(sections);
}

interface Run {
  readonly isSame: boolean;
  readonly start: number;
  readonly end: number;
}

/** Maximal runs of lines that are all unchanged, or all changed. */
function runsOf(pairs: readonly LinePair[]): readonly Run[] {
  const runs: Run[] = [];
  for (let start = 0; start < pairs.length; ) {
    const isSame = pairs[start]?.isSame ?? false;
    let end = start;
    while (end < pairs.length && pairs[end]?.isSame === isSame) end += 1;
    runs.push({ isSame, start, end });
    start = end;
  }
  return runs;
}

/** Joins adjacent visible sections and drops empty ones. */
function mergeShown(sections: readonly Section[]): readonly Section[] {
  const all: Section[] = [];
  for (const { isFolded, pairs } of sections) {
    if (pairs.length === 0) continue;
    const last = all.at(-1);
    if (last !== undefined && !last.isFolded && !isFolded)
      all[all.length - 1] = { isFolded, pairs: [...last.pairs, ...pairs] };
    else all.push({ isFolded, pairs });
  }
  return all;
}
