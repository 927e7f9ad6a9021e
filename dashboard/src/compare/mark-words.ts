import { type ArrayChange, diffArrays } from 'diff';
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
  const changes = diffArrays(wordsOf(from), wordsOf(to), bounds);
  if (changes === undefined || !isWorthMarking(changes, from, to)) return asAWhole(from, to);
  const whole = withoutStraySpaces(changes);
  return {
    from: piecesOf(whole.filter(({ added }) => !added)),
    to: piecesOf(whole.filter(({ removed }) => !removed)),
  };
}

/** Not by the clock: a short line is marked on a slow machine too. */
const bounds = { maxEditLength: 400 };

/** Below that share, marks would only make the line harder to read. */
const sharedMin = 0.25;

function isWorthMarking(changes: readonly ArrayChange<string>[], from: string, to: string): boolean {
  const shared = changes
    .filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.join('').trim().length, 0);
  return shared >= sharedMin * Math.max(from.trim().length, to.trim().length);
}

function asAWhole(from: string, to: string): MarkedWords {
  return { from: [{ text: from, isChanged: true }], to: [{ text: to, isChanged: true }] };
}

/** A space that stays between words that do not belongs to the change: several words read better than a row of them. */
function withoutStraySpaces(changes: readonly ArrayChange<string>[]): readonly ArrayChange<string>[] {
  return changes.flatMap((change, index) => {
    const { added, removed, value } = change;
    const isStray =
      !added &&
      !removed &&
      index > 0 &&
      index < changes.length - 1 &&
      value.every((word) => word.trim() === '');
    return isStray
      ? [
          { ...change, removed: true },
          { ...change, added: true },
        ]
      : [change];
  });
}

function piecesOf(changes: readonly ArrayChange<string>[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const { added, removed, value } of changes) {
    const isChanged = added || removed;
    const text = value.join('');
    const last = pieces.at(-1);
    if (last?.isChanged === isChanged) pieces[pieces.length - 1] = { text: last.text + text, isChanged };
    else pieces.push({ text, isChanged });
  }
  return pieces;
}
