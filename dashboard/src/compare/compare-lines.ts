import { alignTexts } from '../../../src/core/align-sequences.ts';
import { bagOf, likenessOf } from './word-bag.ts';

export interface Line {
  readonly number: number;
  readonly text: string;
}

/** What stands beside each other: a line of each text, or of one of them where the other has nothing like it. */
export interface LinePair {
  readonly from: Line | undefined;
  readonly to: Line | undefined;
  readonly isSame: boolean;
}

export interface LineComparison {
  readonly pairs: readonly LinePair[];
  /** Whether too much differs, and everything between the equal ends counts as changed. */
  readonly isCoarse: boolean;
}

/** Both texts by lines. */
export function compareLines(from: string, to: string): LineComparison {
  const before = linesOf(from);
  const after = linesOf(to);
  const { gaps, isMinimal } = alignTexts(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
    unitsMax(before.length + after.length),
  );
  const pairs: LinePair[] = [];
  let fromAt = 0;
  for (const gap of [...gaps, { fromStart: before.length, fromEnd: 0, toStart: after.length, toEnd: 0 }]) {
    const shift = gap.toStart - gap.fromStart;
    for (; fromAt < gap.fromStart; fromAt += 1)
      pairs.push({ from: before[fromAt], to: after[fromAt + shift], isSame: true });
    for (const pair of alignChanged(
      before.slice(gap.fromStart, gap.fromEnd),
      after.slice(gap.toStart, gap.toEnd),
    ))
      pairs.push(pair);
    fromAt = gap.fromEnd;
  }
  return { pairs, isCoarse: !isMinimal };
}

/** In proportion to the texts, so that many short ones on a page take no longer than one long one. */
function unitsMax(lines: number): number {
  return 100_000 + 20 * lines;
}

function linesOf(text: string): readonly Line[] {
  if (text === '') return [];
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
}

/** Beyond that, finding out which line became which would take longer than anybody reads. */
const comparisonsMax = 2_500;
const charactersMax = 100_000;

/** Lines that were replaced by others: those that are alike stand beside each other. */
function alignChanged(before: readonly Line[], after: readonly Line[]): readonly LinePair[] {
  const characters = [...before, ...after].reduce((sum, { text }) => sum + text.length, 0);
  if (before.length * after.length > comparisonsMax || characters > charactersMax)
    return besideEachOther(before, after);
  const pairs: LinePair[] = [];
  let [fromAt, toAt] = [0, 0];
  for (const [fromIndex, toIndex] of alignSimilarLines(before, after)) {
    pairs.push(...besideEachOther(before.slice(fromAt, fromIndex), after.slice(toAt, toIndex)));
    pairs.push({ from: before[fromIndex], to: after[toIndex], isSame: false });
    [fromAt, toAt] = [fromIndex + 1, toIndex + 1];
  }
  pairs.push(...besideEachOther(before.slice(fromAt), after.slice(toAt)));
  return pairs;
}

function besideEachOther(before: readonly Line[], after: readonly Line[]): readonly LinePair[] {
  return Array.from({ length: Math.max(before.length, after.length) }, (_, index) => ({
    from: before[index],
    to: after[index],
    isSame: false,
  }));
}

/** Below that, two lines share words by chance. */
const likenessMin = 0.4;

/** The pairs of indexes, in order and without crossing, whose lines are most alike together. */
function alignSimilarLines(
  before: readonly Line[],
  after: readonly Line[],
): readonly (readonly [number, number])[] {
  const bagsBefore = before.map(({ text }) => bagOf(text));
  const bagsAfter = after.map(({ text }) => bagOf(text));
  const width = after.length + 1;
  const best = new Float64Array((before.length + 1) * width);
  const paired = new Uint8Array(best.length);
  for (let i = before.length - 1; i >= 0; i -= 1)
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const alone = Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
      const likeness = likenessOf(bagsBefore[i], bagsAfter[j]);
      const together = likeness + (best[(i + 1) * width + j + 1] ?? 0);
      const isPair = likeness >= likenessMin && together > alone;
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
