import { useEffect, useRef } from 'react';
import { type Draft, deleteDraft, loadDraft, saveDraft } from './drafts.ts';

/** Debounce: storing a text of megabytes at every keystroke would be slow. */
const pauseMs = 300;

/**
 * Saves the draft while it differs from the pristine form, so that it survives navigation, a reload
 * and an expired key. Returns a function that ends this and deletes the draft, to be called once
 * the text is saved.
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
  }, [draft.text, draft.slug, draft.dialect, draft.before]);

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
