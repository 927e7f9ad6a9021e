import { useEffect, useRef } from 'react';
import type { RowSource } from '../../api/row-source.ts';
import { Button } from '../button.tsx';
import { ErrorNotice } from '../notice.tsx';
import { formatCount, formatNumber } from '../text.ts';
import styles from './data-table.module.css';

type Noun = readonly [one: string, many: string];

interface TableFooterProps<Row> {
  readonly noun: Noun;
  readonly source: RowSource<Row>;
  /** Rows that match the filters. */
  readonly shownCount: number;
  readonly isLoadingAll: boolean;
  readonly isTooLong: boolean;
}

/** How many rows there are, and the rest of a list that is loaded as the user scrolls. */
export function TableFooter<Row>({
  noun,
  source,
  shownCount,
  isLoadingAll,
  isTooLong,
}: TableFooterProps<Row>) {
  const { error, hasMore, isLoadingMore, loadMore } = source;
  const end = useRef<HTMLDivElement>(null);
  const canLoad = hasMore && !isLoadingMore && !isLoadingAll && error === null && !source.isStale;
  useEffect(() => {
    if (!canLoad || end.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(), {
      // Loads before the user sees the end.
      rootMargin: '600px',
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  });
  return (
    <div ref={end} className={styles.footer}>
      <p role="status">
        {isLoadingAll
          ? `Loading all ${noun[1]}: ${describeCount({ ...source, shownCount }, noun)}`
          : describeCount({ ...source, shownCount }, noun)}
        {isTooLong && `. Too many ${noun[1]} to sort or filter. Narrow the list first.`}
      </p>
      {error !== null && (
        <ErrorNotice error={error} title={`Could not load all ${noun[1]}`} retry={source.refetch} />
      )}
      {canLoad && (
        <Button isSmall onClick={loadMore}>
          Show more
        </Button>
      )}
    </div>
  );
}

interface Counts {
  readonly rows: readonly unknown[] | undefined;
  readonly total: number | undefined;
  readonly isTotalExact: boolean;
  readonly hasMore: boolean;
  readonly shownCount: number;
}

/** "61 members", "12 of 61 members", "100 of more than 1,000 members loaded". */
export function describeCount(
  { rows = [], total, isTotalExact, hasMore, shownCount }: Counts,
  noun: Noun,
): string {
  if (!hasMore) {
    const all = formatCount(rows.length, ...noun);
    return shownCount === rows.length ? all : `${formatNumber(shownCount)} of ${all}`;
  }
  if (total === undefined) return `${formatCount(rows.length, ...noun)} loaded`;
  const all = isTotalExact ? formatCount(total, ...noun) : `more than ${formatCount(total - 1, ...noun)}`;
  return `${formatNumber(rows.length)} of ${all} loaded`;
}
