import { useState } from 'react';
import { Button } from './button.tsx';
import { formatNumber } from './text.ts';

/**
 * Renders the start of a long list, and more on request: all items at once would freeze the page.
 */
export function useShowMore<Item>(items: readonly Item[], first: number, atOnce: number) {
  const [max, setMax] = useState(first);
  const [newAt, setNewAt] = useState<number>();
  const showMore = () => {
    setNewAt(max);
    setMax(max + atOnce);
  };
  return {
    shown: items.slice(0, max),
    rest: Math.max(0, items.length - max),
    atOnce,
    showMore,
    /**
     * Props for the element of an item. The first newly shown item takes the focus, since the
     * button that revealed it may be gone.
     */
    focusProps: (index: number) => (index === newAt ? { ref: takeFocus, tabIndex: -1 } : {}),
  };
}

function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

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
