import { pageRange } from './page-range.ts';
import { PagerFrame } from './pager-frame.tsx';

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
