import { useEffect, useRef } from 'react';
import { type Draft, dropDraft, keepDraft, keptDraft } from './drafts.ts';

/** Long enough that a text of megabytes is not written down letter by letter. */
const pauseMs = 300;

/**
 * Keeps what differs from how the page began, so that neither another page, nor a reload, nor a key that ended takes it
 * away. The answer puts an end to that, once the text is saved.
 */
export function useKeptDraft(name: string, draft: Draft, isChanged: boolean): () => void {
  const hasEnded = useRef(false);
  const isLeft = useRef(false);
  const isStored = useRef(true);
  const keep = useRef(() => {});
  keep.current = () => {
    if (hasEnded.current) return;
    if (isChanged) isStored.current = keepDraft(name, draft);
    else dropDraft(name);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: the pause begins anew with every change
  useEffect(() => {
    const timer = setTimeout(() => keep.current(), pauseMs);
    return () => clearTimeout(timer);
  }, [draft.text, draft.slug, draft.dialect, draft.before]);

  useEffect(() => {
    isLeft.current = false;
    const keepNow = () => keep.current();
    const askBeforeLosing = (event: BeforeUnloadEvent) => {
      if (!isStored.current && !hasEnded.current) event.preventDefault();
    };
    addEventListener('pagehide', keepNow);
    addEventListener('beforeunload', askBeforeLosing);
    return () => {
      removeEventListener('pagehide', keepNow);
      removeEventListener('beforeunload', askBeforeLosing);
      keepNow();
      isLeft.current = true;
    };
  }, []);

  return () => {
    hasEnded.current = true;
    // Whoever left and came back before the end may have typed on, and that is not saved.
    if (!isLeft.current || keptDraft(name)?.text === draft.text) dropDraft(name);
  };
}
