/**
 * What can be undone for ten minutes: the last save or release of each preset, and the last draft
 * that was discarded.
 *
 * Stored in the tab and not in a component, so that leaving the page or reloading it keeps the offer.
 * Offers belong to the signed-in person: signing out drops them.
 */

import type { Api } from '../../api/api.ts';
import type { Session } from '../../api/session.ts';
import { draftPrefix, readItem, storeItem } from '../../api/tab-storage.ts';
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

export const releases = createOffers<Release>('releases');

export const discardedDrafts = createOffers<BasedDraft>('drafts');

/** The person who made the change. */
type Owner = Pick<Session, 'api'> & { readonly account: Pick<Session['account'], 'id'> };

export type Offer<Undoable> = Undoable & {
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
};

/** By the ids of presets, so that renaming one keeps its offer. */
interface Offers<Undoable> {
  of(owner: Owner): Store<ReadonlyMap<string, Offer<Undoable>>>;
  /** Replaces the last offer for this preset. */
  offer(owner: Owner, presetId: string, undoable: Undoable): Offer<Undoable>;
  /** Does nothing if the offer is another one by now. */
  withdraw(owner: Owner, presetId: string, offer: Offer<Undoable>): void;
}

const offeredMs = 10 * 60_000;

function createOffers<Undoable>(kind: string): Offers<Undoable> {
  const stores = new WeakMap<Api, Store<ReadonlyMap<string, Offer<Undoable>>>>();
  const itemOf = ({ account }: Owner) => `${draftPrefix}undo/${kind}/${account.id}` as const;
  const scheduleExpiry = (owner: Owner, presetId: string, offer: Offer<Undoable>) =>
    setTimeout(() => offers.withdraw(owner, presetId, offer), offer.until - Date.now());
  const change = (owner: Owner, next: ReadonlyMap<string, Offer<Undoable>>) => {
    // After signing out, nothing may be stored.
    if (owner.api.ended.aborted) return;
    offers.of(owner).set(next);
    storeItem(itemOf(owner), JSON.stringify([...next]));
  };
  const offers: Offers<Undoable> = {
    of(owner) {
      const existing = stores.get(owner.api);
      if (existing !== undefined) return existing;
      // Only `change` writes these items.
      const stored = JSON.parse(readItem(itemOf(owner)) ?? '[]') as readonly [string, Offer<Undoable>][];
      const current = stored.filter(([, { until }]) => until > Date.now());
      const store = createStore<ReadonlyMap<string, Offer<Undoable>>>(new Map(current));
      stores.set(owner.api, store);
      for (const [presetId, offer] of current) scheduleExpiry(owner, presetId, offer);
      return store;
    },
    offer(owner, presetId, undoable) {
      const offer = { ...undoable, until: Date.now() + offeredMs };
      change(owner, new Map(offers.of(owner).get()).set(presetId, offer));
      scheduleExpiry(owner, presetId, offer);
      return offer;
    },
    withdraw(owner, presetId, offer) {
      const all = offers.of(owner).get();
      if (all.get(presetId) !== offer) return;
      change(owner, new Map([...all].filter(([other]) => other !== presetId)));
    },
  };
  return offers;
}
