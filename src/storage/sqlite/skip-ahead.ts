import { yieldToEventLoop } from '../../core/cooperative-scheduler.ts';

/**
 * To a place deep in a list, in steps between which others have their turn: SQLite has to walk over all that is before it.
 * Answers with the place from which the rest is skipped; undefined when the list ends before.
 */
export async function skipAhead<Place>(
  offset: number,
  stepLength: number,
  start: Place,
  step: (after: Place) => Place | undefined,
): Promise<{ readonly after: Place; readonly rest: number } | undefined> {
  let after = start;
  let rest = offset;
  for (; rest >= stepLength; rest -= stepLength) {
    const next = step(after);
    if (next === undefined) return undefined;
    after = next;
    await yieldToEventLoop();
  }
  return { after, rest };
}
