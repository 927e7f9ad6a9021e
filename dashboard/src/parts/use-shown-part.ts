import { useState } from 'react';

/** The beginning of a long list, and more of it when asked: all at once would make the page slow. */
export function useShownPart<Item>(items: readonly Item[], first: number, atOnce: number) {
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
    /** For the element of an item: the first of those that were asked for has the focus, as the button may be gone. */
    focusOf: (index: number) => (index === newAt ? { ref: takeFocus, tabIndex: -1 } : {}),
  };
}

function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}
