/**
 * The last save of each preset, which can be undone for ten minutes.
 *
 * Kept in memory and not in a component, so that leaving the page and coming back keeps the offer.
 * Offers belong to the client of the signed-in person: signing out drops them with it.
 */

import type { Dialect } from '../../../../src/core/presets/preset.ts';
import type { Api } from '../../api/api.ts';
import { createStore, type Store } from './store.ts';

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

type Releases = Store<ReadonlyMap<string, Release>>;

const offeredMs = 10 * 60_000;

const releases = new WeakMap<Api, Releases>();

/** By names that identify the person and the preset. */
export function recentReleases(api: Api): Releases {
  const existing = releases.get(api);
  if (existing !== undefined) return existing;
  const created: Releases = createStore<ReadonlyMap<string, Release>>(new Map());
  releases.set(api, created);
  return created;
}

/** Replaces the last offer for this preset. */
export function offerUndo(api: Api, name: string, release: Release): void {
  const store = recentReleases(api);
  store.set(new Map(store.get()).set(name, release));
  setTimeout(() => withdrawUndo(api, name, release), offeredMs);
}

/** Does nothing if the offer is another one by now. */
export function withdrawUndo(api: Api, name: string, release: Release): void {
  const store = recentReleases(api);
  if (store.get().get(name) !== release) return;
  store.set(new Map([...store.get()].filter(([other]) => other !== name)));
}
