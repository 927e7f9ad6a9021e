import { pagePlace } from '../../parts/page-place.ts';
import { PagerFrame } from '../../parts/pager-frame.tsx';

interface OpenEndedPagerProps {
  readonly offset: number;
  readonly limit: number;
  /** How many are on this page. */
  readonly count: number;
  /** What is counted, in the singular; the plural has an s. */
  readonly one: string;
  readonly onChange: (offset: number) => void;
}

/** For a list of which nobody says how long it is: a page that is full may have another after it. */
export function OpenEndedPager({ offset, limit, count, one, onChange }: OpenEndedPagerProps) {
  const isLast = count < limit;
  const { range } = pagePlace({ offset, limit, totalCount: offset + count, one });
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
