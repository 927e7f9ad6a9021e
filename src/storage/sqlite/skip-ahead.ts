import { yieldToEventLoop } from '../../core/cooperative-scheduler.ts';

/**
 * Skips to an offset deep in a list. SQLite walks over every row before an OFFSET, so this does it
 * in steps and yields to the event loop after each. Returns the position reached and the rest of
 * the offset; undefined when the list ends before it.
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
    await yieldToEventLoop();
  }
  return { after, rest };
}
