import type { KeyboardEvent } from 'react';

/** Ctrl or ⌘ with Enter, from anywhere in a form; in a field of one line Enter alone does it. */
export function submitByKeys(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
