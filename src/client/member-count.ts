import type { Page } from './answers.ts';

/**
 * Whether a page of members says how many there are in all. A search for common words stops counting at the first member
 * after the page, and its answer does not say so; where a search finds exactly one more, this cannot tell the difference.
 */
export function isMemberCountExact(
  { data, total_count }: Page<unknown>,
  offset: number,
  query: string | undefined,
): boolean {
  return query === undefined || query.trim() === '' || total_count !== offset + data.length + 1;
}
