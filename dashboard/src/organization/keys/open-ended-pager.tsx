import { pageRange } from '../../ui/page-range.ts';
import { PagerFrame } from '../../ui/pager-frame.tsx';

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
