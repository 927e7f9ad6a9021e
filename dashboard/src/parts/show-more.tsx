import { Button } from './button.tsx';
import { grouped } from './counted.ts';

interface ShowMoreProps {
  /** How many are not shown. */
  readonly rest: number;
  readonly atOnce: number;
  readonly showMore: () => void;
}

export function ShowMore({ rest, atOnce, showMore }: ShowMoreProps) {
  if (rest === 0) return null;
  return (
    <Button isSmall variant="quiet" onClick={showMore}>
      {rest > atOnce ? `Show ${grouped(atOnce)} of ${grouped(rest)} more` : `Show ${grouped(rest)} more`}
    </Button>
  );
}
