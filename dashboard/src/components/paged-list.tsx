import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Loading } from './loading.tsx';
import { EmptyState, ErrorNotice } from './notice.tsx';
import styles from './table.module.css';
import { capitalize, formatCount, formatNumber } from './text.ts';
import { useUrlParams } from './use-url-params.ts';

interface PagedListProps<Row> {
  /** The query for the page at the `offset` of the URL. */
  readonly query: {
    /** The API returns no total for some lists. */
    readonly data: { readonly data: readonly Row[]; readonly total_count?: number } | undefined;
    readonly error: unknown;
    readonly isPlaceholderData: boolean;
    refetch(): unknown;
  };
  readonly limit: number;
  readonly isTotalExact?: boolean | undefined;
  /** The noun in the singular; the plural adds an "s". */
  readonly one: string;
  /** Height of the skeleton shown while it loads. */
  readonly lines?: number;
  /** Shown if there are no rows at all. */
  readonly empty?: ReactNode;
  readonly firstPageLabel?: string;
  readonly children: (rows: readonly Row[], isStale: boolean) => ReactNode;
}

/** One page of a list with its pager, or the reason why there are no rows to show. */
export function PagedList<Row>(props: PagedListProps<Row>) {
  const { query, limit, isTotalExact, one, lines, empty, firstPageLabel, children } = props;
  const { offset, change } = useUrlParams();
  const { data, error, isPlaceholderData } = query;
  const goTo = (next: number) => change({ offset: next === 0 ? '' : String(next) });
  if (error)
    return (
      <div className={styles.inset}>
        <ErrorNotice error={error} title={`Could not load the ${one}s`} retry={() => void query.refetch()} />
      </div>
    );
  if (data === undefined) return <Loading {...(lines && { lines })} label={`Loading ${one}s`} />;
  const count = data.data.length;
  if ((data.total_count ?? offset + count) === 0 && empty) return empty;
  // Rows may have been deleted since the URL was made.
  if (count === 0)
    return (
      <EmptyState title="This page no longer exists">
        <Button onClick={() => goTo(0)}>{firstPageLabel ?? 'Go to first page'}</Button>
      </EmptyState>
    );
  return (
    <>
      {children(data.data, isPlaceholderData)}
      <Pager
        what={`${one}s`}
        onChange={goTo}
        {...(data.total_count === undefined
          ? openRange(offset, limit, count, one)
          : pageRange({ offset, limit, totalCount: data.total_count, isTotalExact, one }))}
      />
    </>
  );
}

interface PagerProps extends PageRange {
  /** The noun in the plural. */
  readonly what: string;
  /** Receives the offset of the page to show. */
  readonly onChange: (offset: number) => void;
}

function Pager({ what, range, previous, next, onChange }: PagerProps) {
  const goTo = (offset = 0) => {
    onChange(offset);
    // The next page starts at its first row.
    window.scrollTo({ top: 0 });
  };
  return (
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <span className={styles.count}>{range}</span>
      <Button
        isSmall
        disabled={previous === undefined}
        onClick={() => goTo(previous)}
        aria-label="Previous page"
      >
        <ChevronLeft aria-hidden="true" />
      </Button>
      <Button isSmall disabled={next === undefined} onClick={() => goTo(next)} aria-label="Next page">
        <ChevronRight aria-hidden="true" />
      </Button>
    </nav>
  );
}

/** A full page of a list without a total may have another one after it. */
function openRange(offset: number, limit: number, count: number, one: string): PageRange {
  if (count < limit) return pageRange({ offset, limit, totalCount: offset + count, one });
  return {
    range: `${capitalize(one)}s ${offset + 1}–${offset + count}`,
    previous: offset === 0 ? undefined : Math.max(0, offset - limit),
    next: offset + limit,
  };
}

/** A page of a list, as the API returned it. */
interface ListPage {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  /** False if the total is a lower bound, as in searches, where counting stops early. */
  readonly isTotalExact?: boolean | undefined;
  /** The noun in the singular; the plural adds an "s". */
  readonly one: string;
}

interface PageRange {
  /** "51–100 of 1,200 presets". */
  readonly range: string;
  /** Offset of the previous page; undefined on the first one. */
  readonly previous: number | undefined;
  readonly next: number | undefined;
}

/**
 * Describes a page of a list. `offset` may be past the end, for example after deletions; `previous`
 * is then the last page that exists.
 */
export function pageRange({ offset, limit, totalCount, isTotalExact = true, one }: ListPage): PageRange {
  const last = Math.min(offset + limit, totalCount);
  const lastPage = Math.max(0, Math.floor((totalCount - 1) / limit) * limit);
  const total = totalCount === 0 ? `No ${one}s` : countText(totalCount, isTotalExact, one);
  const isWhole = totalCount === 0 || (offset === 0 && last === totalCount);
  return {
    range: isWhole ? total : `${partText(offset, last)} of ${total}`,
    previous: offset === 0 ? undefined : Math.max(0, Math.min(offset - limit, lastPage)),
    next: last >= totalCount ? undefined : offset + limit,
  };
}

function countText(totalCount: number, isTotalExact: boolean, one: string): string {
  if (isTotalExact) return formatCount(totalCount, one, `${one}s`);
  return `more than ${formatCount(totalCount - 1, one, `${one}s`)}`;
}

/** "None" for a page past the end. */
function partText(offset: number, last: number): string {
  return offset >= last ? 'None' : `${formatNumber(offset + 1)}–${formatNumber(last)}`;
}
