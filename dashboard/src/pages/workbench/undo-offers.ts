/**
 * What can be undone for ten minutes: the last save or release of each preset, and the last draft
 * that was discarded.
 *
 * Kept in memory and not in a component, so that leaving the page and coming back keeps the offer.
 * Offers belong to the client of the signed-in person: signing out drops them with it.
 */

import type { Api } from '../../api/api.ts';
import type { Draft } from '../capture/drafts.ts';
import type { LabelMove } from './move-labels.ts';
import { createStore, type Store } from './store.ts';

/** A version that was saved, went live, or both. */
export interface Release {
  readonly version: number;
  /** The live version before, if this one went live; undefined if it did not. */
  readonly liveBefore: number | undefined;
  /** Labels that moved along. */
  readonly labels: readonly LabelMove[];
  /** The draft that was saved; undefined if the version existed before. */
  readonly draft: BasedDraft | undefined;
}

/** A draft, and the version that it started from. */
export interface BasedDraft extends Pick<Draft, 'text' | 'dialect' | 'note'> {
  readonly from: number;
}

export const releases = createOffers<Release>();

export const discardedDrafts = createOffers<BasedDraft>();

/** By the ids of presets, so that renaming one keeps its offer. */
interface Offers<Undoable> {
  of(api: Api): Store<ReadonlyMap<string, Undoable>>;
  /** Replaces the last offer for this preset. */
  offer(api: Api, presetId: string, undoable: Undoable): void;
  /** Does nothing if the offer is another one by now. */
  withdraw(api: Api, presetId: string, undoable: Undoable): void;
}

const offeredMs = 10 * 60_000;

function createOffers<Undoable>(): Offers<Undoable> {
  const stores = new WeakMap<Api, Store<ReadonlyMap<string, Undoable>>>();
  const offers: Offers<Undoable> = {
    of(api) {
      const store = stores.get(api) ?? createStore<ReadonlyMap<string, Undoable>>(new Map());
      stores.set(api, store);
      return store;
    },
    offer(api, presetId, undoable) {
      const store = offers.of(api);
      store.set(new Map(store.get()).set(presetId, undoable));
      setTimeout(() => offers.withdraw(api, presetId, undoable), offeredMs);
    },
    withdraw(api, presetId, undoable) {
      const store = offers.of(api);
      if (store.get().get(presetId) !== undoable) return;
      store.set(new Map([...store.get()].filter(([other]) => other !== presetId)));
    },
  };
  return offers;
}
