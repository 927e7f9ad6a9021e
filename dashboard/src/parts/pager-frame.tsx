import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './pager.module.css';

interface PagerFrameProps {
  /** What is counted, in the plural. */
  readonly what: string;
  /** Where this page is. */
  readonly children: ReactNode;
  /** Undefined where there is no page before. */
  readonly onPrevious: (() => void) | undefined;
  /** Undefined where there is no page after. */
  readonly onNext: (() => void) | undefined;
}

/** What the pages of every list look like, whether or not it is known how many there are. */
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
