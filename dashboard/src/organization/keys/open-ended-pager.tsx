import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import styles from '../../parts/pager.module.css';

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
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <span className={styles.count}>{isLast ? `${range} of ${offset + count}` : range}</span>
      <Button
        isSmall
        disabled={offset === 0}
        onClick={() => onChange(Math.max(0, offset - limit))}
        aria-label="Previous page"
      >
        <ChevronLeft aria-hidden="true" />
      </Button>
      <Button isSmall disabled={isLast} onClick={() => onChange(offset + limit)} aria-label="Next page">
        <ChevronRight aria-hidden="true" />
      </Button>
    </nav>
  );
}
