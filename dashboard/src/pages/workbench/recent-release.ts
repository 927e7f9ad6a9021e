/**
 * The last save of each preset, which can be undone for ten minutes.
 *
 * Kept in memory and not in a component, so that leaving the page and coming back keeps the offer.
 */

import { useEffect, useSyncExternalStore } from 'react';
import type { Dialect } from '../../../../src/core/presets/preset.ts';

export interface Release {
  readonly version: number;
  /** The live version before, if this one went live; undefined if it did not. */
  readonly liveBefore: number | undefined;
  /** Labels that moved along. */
  readonly labels: readonly string[];
  /** The draft that was saved, and the version that it started from. */
  readonly text: string;
  readonly dialect: Dialect;
  readonly baseBefore: number;
  /** Of the preset after the save. Somebody else's later change must not be undone. */
  readonly etag: string;
}

const offeredMs = 10 * 60_000;

const releases = new Map<string, Release & { readonly until: number }>();
const listeners = new Set<() => void>();

/** `name` identifies the person and the preset; undefined withdraws the offer. */
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
