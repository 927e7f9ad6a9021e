/**
 * The rows of a table, loaded page by page.
 *
 * A list is loaded from its start: the first page when the table appears, more when the user
 * scrolls to the end, and all of it when a sort or a filter of the browser needs every row. Rows
 * added or removed on the server meanwhile may shift an offset, so rows are identified by their
 * key and never shown twice.
 */

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { retryWhileBusy, type Wait } from './retry-while-busy.ts';

/** The rows of a `DataTable`. */
export interface RowSource<Row> {
  /** The rows loaded so far; undefined before the first page. Stable between renders. */
  readonly rows: readonly Row[] | undefined;
  /** All rows that match on the server; undefined if it does not count them. */
  readonly total: number | undefined;
  /** False if the total is a lower bound. */
  readonly isTotalExact: boolean;
  readonly hasMore: boolean;
  readonly isLoadingMore: boolean;
  /** The rows of an earlier search, until those of the current one arrive. */
  readonly isStale: boolean;
  readonly error: unknown;
  /** The server sorts by the `sort` of the URL. Otherwise the browser does once it has all rows. */
  readonly isServerSorted: boolean;
  loadMore(): void;
  refetch(): void;
  /** All rows from the start, for an export. Throws if the signal is aborted. */
  fetchAll(options: FetchAllOptions): Promise<AllRows<Row>>;
}

interface FetchAllOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (count: number) => void;
}

interface AllRows<Row> {
  readonly rows: readonly Row[];
  /** There were more rows than fit. */
  readonly isCut: boolean;
}

/** A page of the API, and where the next one starts; undefined after the last. */
interface RowPage<Row, Position> {
  readonly rows: readonly Row[];
  readonly next: Position | undefined;
  readonly total?: number | undefined;
  readonly isTotalExact?: boolean | undefined;
}

interface RowSourceOptions<Row, Position> {
  readonly queryKey: readonly unknown[];
  /** The page at a position; undefined for the first. */
  readonly fetchPage: (
    position: Position | undefined,
    signal: AbortSignal,
  ) => Promise<RowPage<Row, Position>>;
  readonly keyOf: (row: Row) => string;
  readonly isServerSorted?: boolean;
  /** False for rows that never change, where something else adds new ones. */
  readonly isRefetchedOnFocus?: boolean;
}

/** Refetching more pages whenever the window gets the focus would be too many requests. */
const refetchedPagesMax = 5;

/** Rows that the API returns page by page, by offset or by cursor. */
export function useRowSource<Row, Position extends string | number>({
  queryKey,
  fetchPage,
  keyOf,
  isServerSorted = false,
  isRefetchedOnFocus = true,
}: RowSourceOptions<Row, Position>): RowSource<Row> {
  const query = useInfiniteQuery({
    queryKey,
    placeholderData: keepPreviousData,
    initialPageParam: undefined as Position | undefined,
    queryFn: ({ signal, pageParam }) => {
      const fetch = () => fetchPage(pageParam as Position | undefined, signal);
      // A long list takes many requests. Only the first page shows at once that the server is busy.
      return pageParam === undefined ? fetch() : retryWhileBusy(fetch, { signal });
    },
    getNextPageParam: ({ next }) => next,
    refetchOnWindowFocus: ({ state }) =>
      isRefetchedOnFocus && (state.data?.pages.length ?? 0) <= refetchedPagesMax,
  });
  const { data } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row's key does not change
  const rows = useMemo(() => data && uniqueRows(data.pages, keyOf), [data]);
  const newest = data?.pages.at(-1);
  return {
    rows,
    total: newest?.total,
    isTotalExact: newest?.isTotalExact ?? true,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    isStale: query.isPlaceholderData,
    error: query.error,
    isServerSorted,
    loadMore: () => {
      if (!query.isFetching) void query.fetchNextPage();
    },
    refetch: () => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch()),
    fetchAll: (options) => fetchAllRows(fetchPage, keyOf, options),
  };
}

/** A page of the API at an offset. */
interface OffsetPage<Row> {
  readonly data: readonly Row[];
  readonly total_count: number;
}

interface OffsetRowsOptions<Row, Page extends OffsetPage<Row>>
  extends Omit<RowSourceOptions<Row, number>, 'fetchPage'> {
  readonly fetch: (
    page: { readonly offset: number; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<Page>;
  /** Default: it is. */
  readonly isTotalExact?: (page: Page, offset: number) => boolean;
}

/** The most that the API allows. */
const rowsPerPage = 100;

/** Rows of a list with offsets and a total, as most lists of the API are. */
export function useOffsetRows<Row, Page extends OffsetPage<Row> = OffsetPage<Row>>({
  fetch,
  isTotalExact = () => true,
  ...options
}: OffsetRowsOptions<Row, Page>): RowSource<Row> {
  return useRowSource<Row, number>({
    ...options,
    fetchPage: async (offset = 0, signal) => {
      const page = await fetch({ offset, limit: rowsPerPage }, signal);
      const { data: rows, total_count: total } = page;
      const end = offset + rows.length;
      return {
        rows,
        // An empty page ends the list, whatever its total says.
        next: rows.length > 0 && end < total ? end : undefined,
        total,
        isTotalExact: isTotalExact(page, offset),
      };
    },
  });
}

interface UnpagedQuery<Row> {
  readonly data: { readonly data: readonly Row[] } | undefined;
  readonly error: unknown;
  readonly isPlaceholderData?: boolean;
  refetch(): unknown;
}

/** Rows that the API returns all at once. */
export function unpagedSource<Row>({
  data,
  error,
  isPlaceholderData = false,
  refetch,
}: UnpagedQuery<Row>): RowSource<Row> {
  const rows = data?.data;
  return {
    rows,
    total: rows?.length,
    isTotalExact: true,
    hasMore: false,
    isLoadingMore: false,
    isStale: isPlaceholderData,
    error,
    isServerSorted: false,
    loadMore: () => undefined,
    refetch: () => void refetch(),
    fetchAll: async () => ({ rows: rows ?? [], isCut: false }),
  };
}

function uniqueRows<Row>(
  pages: readonly RowPage<Row, unknown>[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const unique = new Map<string, Row>();
  for (const { rows } of pages) for (const row of rows) unique.set(keyOf(row), row);
  return [...unique.values()];
}

/** Bounds the memory of the browser; an audit log has no end. */
const exportedRowsMax = 100_000;

/** Reads every page anew: the loaded ones may be older than the others. */
export async function fetchAllRows<Row, Position extends string | number>(
  fetchPage: RowSourceOptions<Row, Position>['fetchPage'],
  keyOf: (row: Row) => string,
  { signal, onProgress }: FetchAllOptions,
  { rowsMax = exportedRowsMax, wait }: { readonly rowsMax?: number; readonly wait?: Wait } = {},
): Promise<AllRows<Row>> {
  const pages: RowPage<Row, Position>[] = [];
  let position: Position | undefined;
  let count = 0;
  do {
    const page = await retryWhileBusy(() => fetchPage(position, signal), { signal, wait });
    pages.push(page);
    count += page.rows.length;
    onProgress(count);
    position = page.next;
  } while (position !== undefined && count < rowsMax);
  const rows = uniqueRows(pages, keyOf).slice(0, rowsMax);
  return { rows, isCut: position !== undefined || count > rowsMax };
}
