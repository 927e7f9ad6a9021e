/**
 * Whether `total_count` of a page of members is exact. A search for common words stops counting at
 * the first member after the page, and its response does not say so. This assumes it did whenever
 * exactly one member follows, so a search that really has one more is reported as inexact.
 */
export function isMemberCountExact(
  { data, total_count }: { readonly data: readonly unknown[]; readonly total_count: number },
  offset: number,
  query: string | undefined,
): boolean {
  return query === undefined || query.trim() === '' || total_count !== offset + data.length + 1;
}
