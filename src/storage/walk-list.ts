import { yieldToEventLoop } from '../core/concurrency/cooperative-scheduler.ts';
import type { Page } from '../core/page.ts';

/**
 * How an engine reads a list chunk by chunk. Chunks are short enough that other requests do not
 * wait long behind one.
 */
export interface WalkSteps<Position extends { readonly id: string }> {
  /** Before the first position. */
  readonly start: Position;
  /** The matches in the chunk after this position, in order, up to the limit. */
  matches(after: Position, limit: number): Promise<readonly Position[]>;
  /** The last position of the chunk after this one; undefined when the list ends within it. */
  chunkEnd(after: Position): Promise<Position | undefined>;
}

/** A page of matches. Unless the total is exact, there is at least one more match. */
interface WalkedPage {
  readonly ids: readonly string[];
  readonly totalCount: number;
  readonly isTotalExact: boolean;
}

/**
 * Walks a list in order until a page of matches is full, which is soon for common words. Looks for
 * one match more than the page holds, to learn whether there are more, but does not count these.
 * Yields to the event loop after each chunk.
 */
export async function walkForPage<Position extends { readonly id: string }>(
  steps: WalkSteps<Position>,
  { offset, limit }: Page,
): Promise<WalkedPage> {
  const ids: string[] = [];
  let totalCount = 0;
  let after = steps.start;
  for (;;) {
    const matchesMax = offset + limit + 1 - totalCount;
    const matches = await steps.matches(after, matchesMax);
    ids.push(...matches.slice(Math.max(0, offset - totalCount)).map(({ id }) => id));
    totalCount += matches.length;
    if (matches.length === matchesMax) return { ids: ids.slice(0, limit), totalCount, isTotalExact: false };
    const end = await steps.chunkEnd(after);
    if (end === undefined) return { ids, totalCount, isTotalExact: true };
    after = end;
    await yieldToEventLoop();
  }
}

/**
 * Skips to an offset deep in a list. SQLite walks over every row before an OFFSET, so its stores do
 * that in steps and yield to the event loop after each. Returns the position reached and the rest
 * of the offset; undefined when the list ends before it.
 */
export async function skipAhead<Position>(
  offset: number,
  stepLength: number,
  start: Position,
  step: (after: Position) => Promise<Position | undefined>,
): Promise<{ readonly after: Position; readonly rest: number } | undefined> {
  let after = start;
  let rest = offset;
  for (; rest >= stepLength; rest -= stepLength) {
    const next = await step(after);
    if (next === undefined) return undefined;
    after = next;
    await yieldToEventLoop();
  }
  return { after, rest };
}
