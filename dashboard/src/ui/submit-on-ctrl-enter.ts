import type { KeyboardEvent } from 'react';

/** Submits a form on Ctrl+Enter or ⌘+Enter from any field, including multi-line ones. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLFormElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}
