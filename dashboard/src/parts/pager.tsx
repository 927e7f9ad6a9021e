import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Button } from './button.tsx';
import styles from './pager.module.css';

interface PagerProps {
  readonly offset: number;
  readonly limit: number;
  readonly totalCount: number;
  /** What is counted, in the plural. */
  readonly what: string;
  readonly onChange: (offset: number) => void;
}

export function Pager({ offset, limit, totalCount, what, onChange }: PagerProps) {
  const last = Math.min(offset + limit, totalCount);
  return (
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <span className={styles.count}>
        {totalCount === 0
          ? `No ${what}`
          : `${counted(offset + 1)}–${counted(last)} of ${counted(totalCount)} ${what}`}
      </span>
      <Button
        isSmall
        disabled={offset === 0}
        onClick={() => onChange(Math.max(0, offset - limit))}
        aria-label="Previous page"
      >
        <ChevronLeft aria-hidden="true" />
      </Button>
      <Button
        isSmall
        disabled={last >= totalCount}
        onClick={() => onChange(offset + limit)}
        aria-label="Next page"
      >
        <ChevronRight aria-hidden="true" />
      </Button>
    </nav>
  );
}

function counted(number: number): string {
  return number.toLocaleString('en-US');
}
