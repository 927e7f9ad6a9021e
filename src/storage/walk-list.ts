import { yieldToEventLoop } from '../core/cooperative-scheduler.ts';
import type { Page } from '../core/organization.ts';

/** A part of the list, so short that nobody waits long behind it. */
export interface WalkSteps<Place extends { readonly id: string }> {
  /** Those of the part after this place that have the words, in order, and no more than this many. */
  matches(after: Place | undefined, limit: number): Promise<readonly Place[]> | readonly Place[];
  /** Where the part after this place ends; undefined when it is the last. */
  end(after: Place | undefined): Promise<Place | undefined> | Place | undefined;
}

export interface WalkedPage {
  readonly ids: readonly string[];
  readonly totalCount: number;
  readonly isTotalExact: boolean;
}

/**
 * Goes through a list in its order until a page of matches is full, which for common words is soon. One more is looked for
 * than the page has, to know whether there are more; how many more is not counted.
 */
export async function walkForPage<Place extends { readonly id: string }>(
  steps: WalkSteps<Place>,
  { offset, limit }: Page,
): Promise<WalkedPage> {
  const ids: string[] = [];
  let totalCount = 0;
  let after: Place | undefined;
  for (;;) {
    const wanted = offset + limit + 1 - totalCount;
    const matches = await steps.matches(after, wanted);
    ids.push(...matches.slice(Math.max(0, offset - totalCount)).map(({ id }) => id));
    totalCount += matches.length;
    if (matches.length === wanted) return { ids: ids.slice(0, limit), totalCount, isTotalExact: false };
    after = await steps.end(after);
    if (after === undefined) return { ids, totalCount, isTotalExact: true };
    await yieldToEventLoop();
  }
}
