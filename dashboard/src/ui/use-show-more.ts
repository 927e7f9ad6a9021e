import { useState } from 'react';

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
