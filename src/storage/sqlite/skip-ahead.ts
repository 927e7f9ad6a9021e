import { nextTurn } from '../../core/version-stream.ts';

/**
 * To a place deep in a list, in steps between which others have their turn: SQLite has to walk over all that is before it.
 * Answers with the place from which the rest is skipped; undefined when the list ends before.
 */
export async function skipAhead<Position>(
  offset: number,
  stepLength: number,
  start: Position,
  step: (after: Position) => Position | undefined,
): Promise<{ readonly after: Position; readonly rest: number } | undefined> {
  let after = start;
  let rest = offset;
  for (; rest >= stepLength; rest -= stepLength) {
    const next = step(after);
    if (next === undefined) return undefined;
    after = next;
    await nextTurn();
  }
  return { after, rest };
}
