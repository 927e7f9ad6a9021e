/**
 * The last save of each preset, which can be undone for ten minutes.
 *
 * Kept in memory and not in a component, so that leaving the page and coming back keeps the offer.
 */

import { useEffect, useSyncExternalStore } from 'react';

export interface Release {
  /** A phrase, such as "Version 5 is live". */
  readonly message: string;
  readonly undo: () => void;
}

const offeredMs = 10 * 60_000;

const releases = new Map<string, Release & { readonly until: number }>();
const listeners = new Set<() => void>();

/** `name` identifies the person and the preset. */
export function offerUndo(name: string, release: Release | undefined): void {
  if (release === undefined) releases.delete(name);
  else releases.set(name, { ...release, until: Date.now() + offeredMs });
  for (const listener of listeners) listener();
}

/** Undefined if nothing was saved, or too long ago. */
export function useRecentRelease(name: string): Release | undefined {
  const release = useSyncExternalStore(subscribe, () => releases.get(name));
  useEffect(() => {
    if (release === undefined) return;
    const timer = setTimeout(() => offerUndo(name, undefined), Math.max(0, release.until - Date.now()));
    return () => clearTimeout(timer);
  }, [name, release]);
  return release;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
