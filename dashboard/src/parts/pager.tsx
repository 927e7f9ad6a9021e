import { pagePlace } from './page-place.ts';
import { PagerFrame } from './pager-frame.tsx';

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  readonly isTotalExact?: boolean | undefined;
  /** What is counted, in the singular; the plural has an s. */
  readonly one: string;
  readonly onChange: (offset: number) => void;
}

export function Pager({ onChange, ...page }: PagerProps) {
  const { range, previous, next } = pagePlace(page);
  const goTo = (place: number | undefined) => {
    if (place === undefined) return undefined;
    return () => {
      onChange(place);
      // A page is read from its beginning.
      window.scrollTo({ top: 0 });
    };
  };
  return (
    <PagerFrame what={`${page.one}s`} onPrevious={goTo(previous)} onNext={goTo(next)}>
      {range}
    </PagerFrame>
  );
}
