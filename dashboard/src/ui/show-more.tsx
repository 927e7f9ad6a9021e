import { Button } from './button.tsx';
import { formatNumber } from './format-number.ts';

interface ShowMoreProps {
  /** How many items are hidden. */
  readonly rest: number;
  /** How many more items one click shows. */
  readonly atOnce: number;
  readonly showMore: () => void;
}

/** The button for `useShowMore`; renders nothing once everything is visible. */
export function ShowMore({ rest, atOnce, showMore }: ShowMoreProps) {
  if (rest === 0) return null;
  return (
    <Button isSmall variant="quiet" onClick={showMore}>
      {rest > atOnce
        ? `Show ${formatNumber(atOnce)} of ${formatNumber(rest)} more`
        : `Show ${formatNumber(rest)} more`}
    </Button>
  );
}
