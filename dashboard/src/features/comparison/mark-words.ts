import { alignTexts, type Gap } from '../../../../src/core/presets/align-sequences.ts';

/** A part of a line. `isChanged` means that the other line does not have it. */
export interface Segment {
  readonly text: string;
  readonly isChanged: boolean;
}

interface MarkedWords {
  readonly from: readonly Segment[];
  readonly to: readonly Segment[];
}

/**
 * Marks the words that two lines do not share. Lines with little in common are marked as a whole.
 */
export function markWords(from: string, to: string): MarkedWords {
  // A cheap check that avoids aligning lines with little in common.
  if (similarity(wordBag(from), wordBag(to)) < sharedMin) return wholeLine(from, to);
  const before = splitWords(from);
  const after = splitWords(to);
  const { gaps, isMinimal } = alignTexts(before, after, workMax);
  if (!isMinimal || gaps.length > marksMax) return wholeLine(from, to);
  const runs = runsBetween(before, after, gaps);
  if (!isWorthMarking(runs, from, to)) return wholeLine(from, to);
  const whole = absorbStraySpaces(runs);
  return {
    from: segmentsOf(whole.filter(({ change }) => change !== 'added')),
    to: segmentsOf(whole.filter(({ change }) => change !== 'removed')),
  };
}

/** A work limit instead of a timeout, so that results do not depend on the machine. */
const workMax = 200_000;

/** More marks would make the line unreadable, and each one is a DOM element. */
const marksMax = 200;

/** Below this share of common text, marks only make the line harder to read. */
const sharedMin = 0.25;

/** Consecutive words that are unchanged, removed or added. */
interface Run {
  readonly change: 'none' | 'removed' | 'added';
  readonly words: readonly string[];
}

/** Turns the gaps of an alignment into runs of unchanged, removed and added words. */
function runsBetween(
  before: readonly string[],
  after: readonly string[],
  gaps: readonly Gap[],
): readonly Run[] {
  const runs: Run[] = [];
  const add = (change: Run['change'], words: readonly string[]) => {
    if (words.length > 0) runs.push({ change, words });
  };
  let at = 0;
  for (const { fromStart, fromEnd, toStart, toEnd } of gaps) {
    add('none', before.slice(at, fromStart));
    add('removed', before.slice(fromStart, fromEnd));
    add('added', after.slice(toStart, toEnd));
    at = fromEnd;
  }
  add('none', before.slice(at));
  return runs;
}

/**
 * Whether the lines share enough text for marks to help. Measured in characters, unlike the cheap
 * check before.
 */
function isWorthMarking(runs: readonly Run[], from: string, to: string): boolean {
  const shared = runs
    .filter(({ change }) => change === 'none')
    .reduce((sum, { words }) => sum + words.join('').trim().length, 0);
  return shared >= sharedMin * Math.max(from.trim().length, to.trim().length);
}

function wholeLine(from: string, to: string): MarkedWords {
  return { from: [{ text: from, isChanged: true }], to: [{ text: to, isChanged: true }] };
}

/**
 * Counts an unchanged space between changed words as changed: one long mark reads better than many
 * short ones.
 */
function absorbStraySpaces(runs: readonly Run[]): readonly Run[] {
  return runs.flatMap((run, index) => {
    const isStray =
      run.change === 'none' &&
      index > 0 &&
      index < runs.length - 1 &&
      run.words.every((word) => word.trim() === '');
    return isStray
      ? [
          { ...run, change: 'removed' as const },
          { ...run, change: 'added' as const },
        ]
      : [run];
  });
}

/** Joins adjacent runs that are both changed or both unchanged. */
function segmentsOf(runs: readonly Run[]): readonly Segment[] {
  const segments: Segment[] = [];
  for (const { change, words } of runs) {
    const isChanged = change !== 'none';
    const text = words.join('');
    const last = segments.at(-1);
    if (last?.isChanged === isChanged) segments[segments.length - 1] = { text: last.text + text, isChanged };
    else segments.push({ text, isChanged });
  }
  return segments;
}

/**
 * Splits a text into words, whitespace and single punctuation characters. Scripts without spaces
 * are split into characters.
 */
function splitWords(text: string): string[] {
  return text.match(words) ?? [];
}

/** Letters, marks and digits form words, except in scripts that do not separate words by spaces. */
const words =
  /[[\p{L}\p{M}\p{N}_]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}]]+|\s+|[\s\S]/gv;

/** Word counts of a text, regardless of order. */
interface WordBag {
  readonly size: number;
  readonly counts: ReadonlyMap<string, number>;
}

export function wordBag(text: string): WordBag {
  const found = splitWords(text).filter((word) => word.trim() !== '');
  const counts = new Map<string, number>();
  for (const word of found) counts.set(word, (counts.get(word) ?? 0) + 1);
  return { size: found.length, counts };
}

/** Dice coefficient of the words of two texts: 0 for nothing in common, 1 for the same words. */
export function similarity(one: WordBag | undefined, other: WordBag | undefined): number {
  if (one === undefined || other === undefined || one.size + other.size === 0) return 0;
  let common = 0;
  for (const [word, count] of one.counts) common += Math.min(count, other.counts.get(word) ?? 0);
  return (2 * common) / (one.size + other.size);
}
