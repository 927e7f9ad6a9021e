import { useEffect } from 'react';

/**
 * What has the focus may go away with what it did: the button that enables, the label that is removed. Whoever uses the
 * keyboard then goes on from the title of the page, and not from its very beginning.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let last: Element | null = null;
    const notice = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', notice);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', notice);
      observer.disconnect();
    };
  }, []);
}
