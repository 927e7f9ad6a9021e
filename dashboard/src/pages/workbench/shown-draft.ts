/**
 * Replaces the text on screen with another one, and offers to undo that.
 *
 * The version that a text is based on may have to be loaded first. What the user types meanwhile is
 * newer than their decision, so it stays. The user may also leave meanwhile, and a toast outlives
 * the workbench that shows it: then the change goes to the workbench of the preset that is on the
 * page by then or, if there is none, to the stored draft.
 */

import { createContext, type RefObject, useContext, useEffect, useRef, useState } from 'react';
import type { PresetVersionDetails } from '../../../../src/api/versions.ts';
import { fetchVersion } from '../../api/presets.ts';
import { useSession } from '../../api/session.ts';
import { messageOf } from '../../components/notice.tsx';
import type { Store } from '../../components/store.ts';
import { useToast } from '../../components/toasts.tsx';
import type { DraftSender } from '../../features/drafts/draft-sender.ts';
import { type Draft, deleteDraft, loadDraft, saveDraft } from '../../features/drafts/drafts.ts';
import { type BasedDraft, discardedDrafts } from '../../features/preset-changes/undo-offers.ts';
import { versionToRequest } from '../../features/request/version-to-request.ts';
import type { DraftContent } from './draft-content.ts';

type Text = Omit<BasedDraft, 'from'>;

/** The start of a draft: a version, or for a new preset `emptyVersion`. */
export type StartVersion = Pick<
  PresetVersionDetails,
  'version' | 'dialect' | 'config' | 'system_prompt' | 'presetd'
>;

/** Where a draft is kept without a workbench. */
export interface DraftHome {
  /** Name of the draft that is stored in the tab. */
  readonly name: string;
  readonly slug: string;
  /** Identifies the preset in this tab; a new one has an id of its own until it is saved. */
  readonly presetId: string;
  /** Undefined for a new preset, whose draft is in the tab only. */
  readonly sender: DraftSender | undefined;
}

interface ShownWorkbench {
  text(): string;
  replaceText(text: string): void;
  /** Shows a text that is based on this version; by default the version itself. */
  show(version: StartVersion, next: Text | undefined): void;
  /** `replacedBy` is the text that took its place, if that is known. */
  restore(before: BasedDraft, replacedBy: string | undefined): void;
}

/** The workbenches on the page, by the names of their drafts. */
const onPage = new Map<string, RefObject<ShownWorkbench>>();

interface ShownDraftOptions {
  readonly home: DraftHome;
  /** The version that the text on screen is based on. */
  readonly version: StartVersion;
  readonly draft: Store<DraftContent>;
  readonly dialect: Draft['dialect'];
  readonly replaceText: ShownWorkbench['replaceText'];
  /** The other parts of the draft. */
  readonly fields: Omit<Text, 'text' | 'dialect'>;
  readonly show: ShownWorkbench['show'];
}

/** For a change that is already on screen. */
type OfferUndo = (message: string, before: BasedDraft, options?: OfferOptions) => void;

interface OfferOptions {
  /** Runs along with Undo. */
  readonly onUndo?: () => void;
  /** The place of the text among the discarded drafts. */
  readonly place?: 'first' | 'last';
}

const OfferUndoContext = createContext<OfferUndo | undefined>(undefined);

export const OfferUndoProvider = OfferUndoContext.Provider;

export function useOfferUndo(): OfferUndo {
  const offerUndo = useContext(OfferUndoContext);
  if (offerUndo === undefined) throw new Error('useOfferUndo must be used inside an OfferUndoProvider.');
  return offerUndo;
}

export function useShownDraft(options: ShownDraftOptions) {
  const { home, version, draft, dialect, fields, replaceText, show } = options;
  const { name, slug, presetId } = home;
  const session = useSession();
  const { api, workspaceId } = session;
  const showToast = useToast();
  const [isReplacing, setIsReplacing] = useState(false);

  /**
   * Puts a version on screen, or a text that is based on it. Returns false if the user has typed
   * while the version was loading.
   */
  async function showVersion(number: number, next?: Text): Promise<boolean> {
    const textBefore = draft.get().text;
    setIsReplacing(true);
    try {
      const base =
        number === version.version
          ? version
          : await fetchVersion(api, workspaceId, { slug, version: number });
      const current = onPage.get(name)?.current;
      const text = current ? current.text() : (loadDraft(name)?.text ?? versionToRequest(version));
      if (text !== textBefore) return false;
      if (current) current.show(base, next);
      else storeDraft(home, next && { ...next, from: number });
      withdrawDiscarded(next?.text);
      return true;
    } finally {
      setIsReplacing(false);
    }
  }

  /** Like `showVersion`, and offers to undo it, along with what `alsoReplace` does. */
  async function replaceDraft(
    message: string,
    number: number,
    next?: Text,
    alsoReplace?: () => OfferOptions['onUndo'],
  ): Promise<void> {
    if (isReplacing) return;
    const before = { ...fields, text: draft.get().text, dialect, from: version.version };
    const discarded = findDiscarded(next?.text);
    try {
      if (await showVersion(number, next)) {
        const onUndo = alsoReplace?.();
        offerUndo(message, before, discarded ? whenRestoring(discarded) : { ...(onUndo && { onUndo }) });
        return;
      }
      showToast('Kept your newer text');
    } catch (error) {
      showToast(`Could not load version ${number}: ${messageOf(error)}`);
    }
  }

  /**
   * Restoring a discarded draft discards the one on screen, which goes to the end of the list. Undo
   * puts the restored draft back on the list.
   */
  function whenRestoring(restored: BasedDraft): OfferOptions {
    return { place: 'last', onUndo: () => discardedDrafts.offer(session, presetId, restored) };
  }

  function findDiscarded(text: string | undefined) {
    const discarded = discardedDrafts.of(session).get().get(presetId);
    return discarded?.find((each) => each.text === text);
  }

  /** A draft that is back cannot be brought back. */
  function withdrawDiscarded(text: string | undefined) {
    const discarded = findDiscarded(text);
    if (discarded) discardedDrafts.withdraw(session, presetId, discarded);
  }

  const offerUndo: OfferUndo = (message, replaced, { onUndo, place } = {}) => {
    const before = { ...fields, ...replaced };
    // It may be the only copy of hours of work, so it is offered for longer than the toast.
    if (before.text !== versionToRequest(version) || before.dialect !== version.dialect) {
      withdrawDiscarded(before.text);
      discardedDrafts.offer(session, presetId, before, place);
    }
    const replacedBy = onPage.get(name)?.current.text();
    showToast(message, () => {
      onUndo?.();
      // A workbench on the page withdraws the offer once the draft is back, which may fail.
      if (!onPage.has(name)) withdrawDiscarded(before.text);
      returnToDraft(home, before, replacedBy);
    });
  };

  const shownWorkbench: ShownWorkbench = {
    text: () => draft.get().text,
    replaceText,
    show,
    restore(before, replacedBy) {
      const hasTyped = draft.get().text !== replacedBy;
      if (hasTyped) return void replaceDraft('Returned to the earlier draft', before.from, before);
      showVersion(before.from, before).catch((error: unknown) =>
        showToast(`Could not load version ${before.from}: ${messageOf(error)}`),
      );
    },
  };
  const shown = useRef(shownWorkbench);
  shown.current = shownWorkbench;
  useEffect(() => {
    onPage.set(name, shown);
    return () => {
      if (onPage.get(name) === shown) onPage.delete(name);
    };
  }, [name]);

  return { showVersion, replaceDraft, offerUndo, isReplacing };
}

/** Makes an earlier text the draft again, in the workbench on the page or for the next one. */
function returnToDraft(home: DraftHome, before: BasedDraft, replacedBy?: string): void {
  const workbench = onPage.get(home.name)?.current;
  if (workbench) workbench.restore(before, replacedBy);
  else storeDraft(home, before);
}

/**
 * Changes the text of the draft, wherever it is by then. Returns false, and changes nothing, if
 * `change` returns undefined. `last` is the draft in case that neither the page nor the tab has
 * one, because it equals the version it started from.
 */
export function reviseDraft(
  home: DraftHome,
  last: BasedDraft,
  change: (text: string) => string | undefined,
): boolean {
  const workbench = onPage.get(home.name)?.current;
  const stored = { ...last, ...loadDraft(home.name) };
  const text = change(workbench ? workbench.text() : stored.text);
  if (text === undefined) return false;
  if (workbench) workbench.replaceText(text);
  else storeDraft(home, { ...stored, from: stored.from ?? last.from, text });
  return true;
}

/** For a draft without a workbench on the page; undefined deletes it. */
function storeDraft({ name, slug, sender }: DraftHome, draft: BasedDraft | undefined): void {
  if (draft === undefined) deleteDraft(name);
  // A preset may have been renamed since; a new one has the slug that was typed.
  else saveDraft(name, { ...draft, slug: sender ? slug : (draft.slug ?? slug) });
  sender?.want(draft && { text: draft.text, dialect: draft.dialect ?? null, base_version: draft.from });
}
