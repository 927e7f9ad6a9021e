/**
 * Replaces the text on screen by another one, and offers to return to it.
 *
 * The version that a text is based on may have to be loaded first. What the user types meanwhile is
 * newer than their decision, so it stays. A toast outlives the workbench that shows it: its Undo goes
 * to the workbench of the preset that is on the page by then, or stores the draft for the next one.
 */

import { type RefObject, useEffect, useRef, useState } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { fetchVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { messageOf } from '../../components/notice.tsx';
import { useToast } from '../../components/toasts.tsx';
import type { Draft } from '../capture/drafts.ts';
import type { DraftContent } from './draft-content.ts';
import { restoreDraft } from './server-draft.ts';
import type { Store } from './store.ts';

type Text = Pick<Draft, 'text' | 'dialect'>;
type BasedText = Text & { readonly from: number };

/** `replacedBy` is the text that took its place. */
type Restore = (before: BasedText, replacedBy: string) => void;

/** The workbenches on the page, by the names of their drafts. */
const onPage = new Map<string, RefObject<Restore>>();

interface ShownDraftOptions {
  /** Of the stored draft, and of what the tab remembers about the server's. */
  readonly name: string;
  readonly synced: string;
  readonly slug: string;
  /** The version that the text on screen is based on. */
  readonly version: PresetVersionDetails;
  readonly draft: Store<DraftContent>;
  readonly dialect: Draft['dialect'];
  /** Shows a text that is based on this version; by default the version itself. */
  readonly show: (version: PresetVersionDetails, next: Text | undefined) => void;
}

export function useShownDraft(options: ShownDraftOptions) {
  const { name, synced, slug, version, draft, dialect, show } = options;
  const { api, workspaceId } = useSession();
  const showToast = useToast();
  const [isReplacing, setIsReplacing] = useState(false);

  /**
   * Puts a version on screen, or a text that is based on it. Returns false if the user has typed, or
   * left, while the version was loading. `onShow` runs in the same tick as the change.
   */
  async function showVersion(number: number, next?: Text, onShow?: () => void): Promise<boolean> {
    const textBefore = draft.get().text;
    const { signal } = new AbortController();
    const base =
      number === version.version
        ? version
        : await fetchVersion(api, workspaceId, { slug, version: number }, signal);
    if (draft.get().text !== textBefore || onPage.get(name) !== restore) return false;
    onShow?.();
    show(base, next);
    return true;
  }

  /** Like `showVersion`, and offers to return. */
  async function replaceDraft(message: string, number: number, next?: Text, onShow?: () => void) {
    if (isReplacing) return;
    const before = { text: draft.get().text, dialect, from: version.version };
    setIsReplacing(true);
    try {
      if (await showVersion(number, next, onShow)) offerReturn(message, before);
      else showToast('Kept the text that you typed meanwhile');
    } catch (error) {
      showToast(`Could not load version ${number}: ${messageOf(error)}`);
    } finally {
      setIsReplacing(false);
    }
  }

  /** For a change that is already on screen. `onReturn` runs along with Undo. */
  function offerReturn(message: string, before: BasedText, onReturn?: () => void) {
    const replacedBy = draft.get().text;
    showToast(message, () => {
      onReturn?.();
      const workbench = onPage.get(name);
      if (workbench) workbench.current(before, replacedBy);
      else restoreDraft(name, synced, { ...before, slug });
    });
  }

  const restore = useRef<Restore>(() => undefined);
  restore.current = (before, replacedBy) => {
    const hasTyped = draft.get().text !== replacedBy;
    if (hasTyped) return void replaceDraft('Returned to the earlier draft', before.from, before);
    showVersion(before.from, before).catch((error: unknown) =>
      showToast(`Could not load version ${before.from}: ${messageOf(error)}`),
    );
  };
  useEffect(() => {
    onPage.set(name, restore);
    return () => {
      if (onPage.get(name) === restore) onPage.delete(name);
    };
  }, [name]);

  return { showVersion, replaceDraft, offerReturn, isReplacing };
}
