import { alignTexts, type Gap } from '../../../src/core/align-sequences.ts';
import { bagOf, likenessOf, wordsOf } from './word-bag.ts';

/** A part of a line. What is changed is not in the other line. */
export interface Piece {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface MarkedWords {
  readonly from: readonly Piece[];
  readonly to: readonly Piece[];
}

/** Which words two lines do not share. Lines that have little in common are changed as a whole. */
export function markWords(from: string, to: string): MarkedWords {
  // Takes a moment, where to find out in which order they share them takes long.
  if (likenessOf(bagOf(from), bagOf(to)) < sharedMin) return asAWhole(from, to);
  const before = wordsOf(from);
  const after = wordsOf(to);
  const { gaps, isMinimal } = alignTexts(before, after, unitsMax);
  if (!isMinimal || gaps.length > marksMax) return asAWhole(from, to);
  const runs = runsBetween(before, after, gaps);
  if (!isWorthMarking(runs, from, to)) return asAWhole(from, to);
  const whole = withoutStraySpaces(runs);
  return {
    from: piecesOf(whole.filter(({ change }) => change !== 'added')),
    to: piecesOf(whole.filter(({ change }) => change !== 'removed')),
  };
}

/** Not by the clock: a short line is marked on a slow machine too. */
const unitsMax = 200_000;

/** More marks make a line unreadable, and each one is an element on the page. */
const marksMax = 200;

/** Below that share, marks would only make the line harder to read. */
const sharedMin = 0.25;

/** Words in a row that stay, go or come. */
interface Run {
  readonly change: 'none' | 'removed' | 'added';
  readonly words: readonly string[];
}

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

function isWorthMarking(runs: readonly Run[], from: string, to: string): boolean {
  const shared = runs
    .filter(({ change }) => change === 'none')
    .reduce((sum, { words }) => sum + words.join('').trim().length, 0);
  return shared >= sharedMin * Math.max(from.trim().length, to.trim().length);
}

function asAWhole(from: string, to: string): MarkedWords {
  return { from: [{ text: from, isChanged: true }], to: [{ text: to, isChanged: true }] };
}

/** A space that stays between words that do not belongs to the change: several words read better than a row of them. */
function withoutStraySpaces(runs: readonly Run[]): readonly Run[] {
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

function piecesOf(runs: readonly Run[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const { change, words } of runs) {
    const isChanged = change !== 'none';
    const text = words.join('');
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) pieces[pieces.length - 1] = { text: last.text + text, isChanged };
    else pieces.push({ text, isChanged });
  }
  return pieces;
}
