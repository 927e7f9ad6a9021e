import { pagePlace } from './page-place.ts';
import { PagerFrame } from './pager-frame.tsx';

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  /** What is counted, in the plural. */
  readonly what: string;
  readonly onChange: (offset: number) => void;
}

export function Pager({ offset, limit, totalCount, what, onChange }: PagerProps) {
  const { range, previous, next } = pagePlace({ offset, limit, totalCount });
  const goTo = (place: number | undefined) => {
    if (place === undefined) return undefined;
    return () => {
      onChange(place);
      // A page is read from its beginning.
      window.scrollTo({ top: 0 });
    };
  };
  return (
    <PagerFrame what={what} onPrevious={goTo(previous)} onNext={goTo(next)}>
      {`${range} ${what}`}
    </PagerFrame>
  );
}
