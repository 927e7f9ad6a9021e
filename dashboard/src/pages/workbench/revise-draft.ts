/**
 * Changes a draft wherever it is by then.
 *
 * A toast outlives the workbench that shows it. Its Undo changes the draft in the workbench of the
 * preset that is on the page, if there is one, or else the draft in this tab, for the next workbench
 * that opens.
 */

import { useEffect } from 'react';
import { loadDraft } from '../capture/drafts.ts';
import type { DraftSender } from './draft-sender.ts';
import type { BasedDraft } from './recent-release.ts';
import { type DraftHome, storeDraft } from './shown-draft.ts';
import type { Store } from './store.ts';

interface DraftOnPage {
  readonly home: DraftHome;
  readonly draft: Store<{ readonly text: string }>;
  replaceText(text: string): void;
}

const onPage = new Map<DraftSender, DraftOnPage>();

export function useDraftOnPage(workbench: DraftOnPage): void {
  const { sender } = workbench.home;
  useEffect(() => {
    onPage.set(sender, workbench);
    return () => {
      if (onPage.get(sender) === workbench) onPage.delete(sender);
    };
  }, [sender, workbench]);
}

/**
 * Returns false, and changes nothing, if `change` does. `last` is the draft in case that neither the
 * page nor the tab has one, because it equals the version it started from.
 */
export function reviseDraft(
  { home }: Pick<DraftOnPage, 'home'>,
  last: BasedDraft,
  change: (text: string) => string | undefined,
): boolean {
  const open = onPage.get(home.sender);
  const stored = { ...last, ...loadDraft(home.name) };
  const text = change(open?.draft.get().text ?? stored.text);
  if (text === undefined) return false;
  if (open) open.replaceText(text);
  else storeDraft(home, { ...stored, from: stored.from ?? last.from, text });
  return true;
}
