import { alignTexts, type Gap } from '../../../src/core/presets/align-sequences.ts';
import { similarity, splitWords, wordBag } from './word-bag.ts';

/** A part of a line. `isChanged` means that the other line does not have it. */
export interface Segment {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface MarkedWords {
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
