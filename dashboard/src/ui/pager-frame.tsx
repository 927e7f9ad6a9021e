import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './pager.module.css';

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
