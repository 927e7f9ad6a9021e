import { useEffect } from 'react';

/**
 * Recovers keyboard focus when the focused element is removed, such as the Enable button once it
 * was pressed. Focus then moves to the page title; browsers would reset it to the top of the
 * document.
 */
export function useFocusRecovery(): void {
  useEffect(() => {
    let last: Element | null = null;
    const notice = ({ target }: FocusEvent) => {
      last = target instanceof Element ? target : null;
    };
    // No event reports that the focused element was removed, so watch the DOM.
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
