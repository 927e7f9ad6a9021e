/**
 * Unsaved requests, stored per tab.
 *
 * Each workspace has one draft for a new preset and one per existing preset. Their fields are
 * stored as JSON; renaming one would lose drafts across an upgrade.
 */

import { useEffect, useRef } from 'react';
import type { WorkspaceAccess } from '../../../../src/api/account.ts';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import type { PresetSnapshot } from '../../api/presets.ts';
import type { Session } from '../../api/session.ts';
import { draftPrefix, readItem, removeItem, storeItem } from '../../api/tab-storage.ts';

/** A request that is being edited, and what it started from. */
export interface Draft {
  readonly text: string;
  readonly slug: string;
  readonly note?: string | undefined;
  /** The user's choice of format, if it overrides detection. */
  readonly dialect?: Dialect | undefined;
  /** The user wants names in braces as text, without declaring variables. */
  readonly keepsBraces?: boolean | undefined;
  /** The version that the text started from; absent for a new preset. */
  readonly from?: number | undefined;
  /** The preset when presetd 0.6 opened it, which did not record `from`. */
  readonly before?: PresetSnapshot | undefined;
}

/**
 * The name of a draft for a preset, by its id, or for a new one. It contains the person, so that
 * somebody who signs in after them in the same tab does not get it.
 */
export function draftName({ account, workspace }: DraftOwner, presetId: string | undefined): string {
  return [account.id, workspace?.id ?? '', presetId ?? ''].join('/');
}

interface DraftOwner {
  readonly account: Pick<Session['account'], 'id'>;
  readonly workspace: Pick<WorkspaceAccess, 'id'> | undefined;
}

/** Undefined if there is no draft. */
export function loadDraft(name: string): Draft | undefined {
  const text = readItem(`${draftPrefix}${name}`);
  // Only `saveDraft` writes these items.
  return text === undefined ? undefined : (parseExactJson(text) as Draft);
}

/** Returns whether the draft survives a reload; one over the browser's quota does not. */
export function saveDraft(name: string, draft: Draft): boolean {
  return storeItem(`${draftPrefix}${name}`, JSON.stringify(draft));
}

/**
 * The version that a draft started from. Drafts of presetd 0.6 do not record it: they always
 * started from the live version.
 */
export function baseVersionOf({ from, before }: Draft): number | undefined {
  return from ?? before?.preset.designated_version.version;
}

export function deleteDraft(name: string): void {
  removeItem(`${draftPrefix}${name}`);
}

/** A draft that exists under the new name is kept. */
export function renameDraft(name: string, newName: string): void {
  const draft = loadDraft(name);
  if (draft === undefined || loadDraft(newName) !== undefined) return;
  saveDraft(newName, draft);
  deleteDraft(name);
}

/** Debounce: storing a text of megabytes at every keystroke would be slow. */
const pauseMs = 300;

/**
 * Saves the draft while it differs from the pristine form, so that it survives navigation, a reload
 * and an expired session. Returns a function that ends this and deletes the draft, to be called
 * once the text is saved.
 */
export function useDraftAutosave(name: string, draft: Draft, isChanged: boolean): () => void {
  const hasEnded = useRef(false);
  const isUnmounted = useRef(false);
  const survivesReload = useRef(true);
  const save = useRef(() => {});
  save.current = () => {
    if (hasEnded.current) return;
    if (isChanged) survivesReload.current = saveDraft(name, draft);
    else deleteDraft(name);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: every change restarts the timer
  useEffect(() => {
    const timer = setTimeout(() => save.current(), pauseMs);
    return () => clearTimeout(timer);
  }, [draft.text, draft.slug, draft.note, draft.dialect, draft.from, isChanged]);

  useEffect(() => {
    isUnmounted.current = false;
    const saveNow = () => save.current();
    // A draft over the storage quota would be lost, so let the browser ask first.
    const confirmUnload = (event: BeforeUnloadEvent) => {
      if (!survivesReload.current && !hasEnded.current) event.preventDefault();
    };
    addEventListener('pagehide', saveNow);
    addEventListener('beforeunload', confirmUnload);
    return () => {
      removeEventListener('pagehide', saveNow);
      removeEventListener('beforeunload', confirmUnload);
      saveNow();
      isUnmounted.current = true;
    };
  }, []);

  return () => {
    hasEnded.current = true;
    // If the user left this page, came back and typed more, the stored draft is newer than what was
    // saved: keep it.
    if (!isUnmounted.current || loadDraft(name)?.text === draft.text) deleteDraft(name);
  };
}
