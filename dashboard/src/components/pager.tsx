import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './table.module.css';
import { formatCount, formatNumber } from './text.ts';

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  readonly isTotalExact?: boolean | undefined;
  /** The noun in the singular; the plural adds an "s". */
  readonly one: string;
  /** Receives the offset of the page to show. */
  readonly onChange: (offset: number) => void;
}

/** Previous and next buttons for a list with a total. */
export function Pager({ onChange, ...page }: PagerProps) {
  const { range, previous, next } = pageRange(page);
  const goTo = (target: number | undefined) => {
    if (target === undefined) return undefined;
    return () => {
      onChange(target);
      // The next page starts at its first row.
      window.scrollTo({ top: 0 });
    };
  };
  return (
    <PagerFrame what={`${page.one}s`} onPrevious={goTo(previous)} onNext={goTo(next)}>
      {range}
    </PagerFrame>
  );
}

interface OpenEndedPagerProps {
  readonly offset: number;
  readonly limit: number;
  /** Number of rows on this page. */
  readonly count: number;
  /** The noun in the singular; the plural adds an "s". */
  readonly one: string;
  readonly onChange: (offset: number) => void;
}

/** A pager for a list without a total: a full page may have another one after it. */
export function OpenEndedPager({ offset, limit, count, one, onChange }: OpenEndedPagerProps) {
  const isLast = count < limit;
  const { range } = pageRange({ offset, limit, totalCount: offset + count, one });
  const openRange = `${one[0]?.toUpperCase()}${one.slice(1)}s ${offset + 1}–${offset + count}`;
  return (
    <PagerFrame
      what={`${one}s`}
      onPrevious={offset === 0 ? undefined : () => onChange(Math.max(0, offset - limit))}
      onNext={isLast ? undefined : () => onChange(offset + limit)}
    >
      {isLast ? range : openRange}
    </PagerFrame>
  );
}

interface PagerFrameProps {
  /** The noun in the plural. */
  readonly what: string;
  /** The range of this page. */
  readonly children: ReactNode;
  /** Undefined on the first page. */
  readonly onPrevious: (() => void) | undefined;
  /** Undefined on the last page. */
  readonly onNext: (() => void) | undefined;
}

/** The pager's layout, for lists with and without a known total. */
export function PagerFrame({ what, children, onPrevious, onNext }: PagerFrameProps) {
  return (
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <span className={styles.count}>{children}</span>
      <Button isSmall disabled={!onPrevious} onClick={onPrevious} aria-label="Previous page">
        <ChevronLeft aria-hidden="true" />
      </Button>
      <Button isSmall disabled={!onNext} onClick={onNext} aria-label="Next page">
        <ChevronRight aria-hidden="true" />
      </Button>
    </nav>
  );
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
