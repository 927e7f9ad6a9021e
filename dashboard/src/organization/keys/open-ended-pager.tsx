import { PagerFrame } from '../../parts/pager-frame.tsx';

interface OpenEndedPagerProps {
  readonly offset: number;
  readonly limit: number;
  /** How many are on this page. */
  readonly count: number;
  /** What is counted, in the plural. */
  readonly what: string;
  readonly onChange: (offset: number) => void;
}

/** For a list of which nobody says how long it is: a page that is full may have another after it. */
export function OpenEndedPager({ offset, limit, count, what, onChange }: OpenEndedPagerProps) {
  const isLast = count < limit;
  const range = `${what[0]?.toUpperCase()}${what.slice(1)} ${offset + 1}–${offset + count}`;
  return (
    <PagerFrame
      what={what}
      onPrevious={offset === 0 ? undefined : () => onChange(Math.max(0, offset - limit))}
      onNext={isLast ? undefined : () => onChange(offset + limit)}
    >
      {isLast ? `${range} of ${offset + count}` : range}
    </PagerFrame>
  );
}
