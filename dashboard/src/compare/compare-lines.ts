import { diffArrays } from 'diff';
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

/** Both texts by lines. Where too much differs to be looked through, what is between the equal ends counts as replaced. */
export function compareLines(from: string, to: string): readonly LinePair[] {
  const before = linesOf(from);
  const after = linesOf(to);
  const start = countEqual(before, after);
  const end = countEqual(before.slice(start).reverse(), after.slice(start).reverse());
  const head = before.slice(0, start).map((line, index) => same(line, after[index]));
  const tail = before
    .slice(before.length - end)
    .map((line, index) => same(line, after[after.length - end + index]));
  const middle = compareMiddle(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  return [...head, ...middle, ...tail];
}

/** As much as is looked through in a second. Not by the clock: the same texts compare in the same way on every machine. */
const bounds = { maxEditLength: 2_000 };

function linesOf(text: string): readonly Line[] {
  if (text === '') return [];
  return text.split('\n').map((line, index) => ({ number: index + 1, text: line }));
}

function countEqual(one: readonly Line[], other: readonly Line[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index += 1) if (one[index]?.text !== other[index]?.text) return index;
  return length;
}

function same(from: Line, to: Line | undefined): LinePair {
  return { from, to, isSame: true };
}

function compareMiddle(before: readonly Line[], after: readonly Line[]): readonly LinePair[] {
  const changes = diffArrays(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
    bounds,
  );
  if (changes === undefined) return besideEachOther(before, after);
  const pairs: LinePair[] = [];
  let [fromAt, toAt, fromEnd, toEnd] = [0, 0, 0, 0];
  const flush = () => {
    pairs.push(...alignChanged(before.slice(fromAt, fromEnd), after.slice(toAt, toEnd)));
    [fromAt, toAt] = [fromEnd, toEnd];
  };
  for (const { added, removed, count } of changes) {
    if (removed) fromEnd += count;
    else if (added) toEnd += count;
    else {
      flush();
      for (const line of before.slice(fromAt, fromAt + count)) {
        pairs.push(same(line, after[toAt]));
        toAt += 1;
      }
      fromAt += count;
      [fromEnd, toEnd] = [fromAt, toAt];
    }
  }
  flush();
  return pairs;
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
  for (const [fromIndex, toIndex] of likePairs(before, after)) {
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
function likePairs(before: readonly Line[], after: readonly Line[]): readonly (readonly [number, number])[] {
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
