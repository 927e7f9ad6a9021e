/**
 * What can be undone for ten minutes: the last save or release of each preset, and the drafts that
 * were discarded.
 *
 * Stored in the tab and not in a component, so that leaving the page or reloading it keeps the
 * offer. Offers belong to the signed-in person: signing out drops them.
 */

import type { Session } from '../../api/session.ts';
import { draftPrefix, readItem, storeItem } from '../../api/tab-storage.ts';
import { createStore, type Store } from '../../components/store.ts';
import type { Draft } from '../drafts/drafts.ts';
import type { LabelMove } from './move-labels.ts';

/** A version that was saved, went live, or both. */
export interface Release {
  readonly version: number;
  /** The previous live version, if this one replaced it; otherwise undefined. */
  readonly liveBefore: number | undefined;
  /** Labels that moved along. */
  readonly labels: readonly LabelMove[];
  /** The draft that was saved; undefined if the version existed before. */
  readonly draft: BasedDraft | undefined;
}

/** A draft, and the version that it started from. Only that of a new preset has a slug. */
export interface BasedDraft
  extends Pick<Draft, 'text' | 'dialect' | 'note' | 'keepsBraces'>,
    Partial<Pick<Draft, 'slug'>> {
  readonly from: number;
}

/** Only the last one: undoing an earlier release would also undo those after it. */
export const releases = createOffers<Release>('released', 1);

/** Several, so that a short draft does not replace a long one; few, as a tab stores little. */
export const discardedDrafts = createOffers<BasedDraft>('discarded', 5);

/** The person who made the change. */
type Owner = Pick<Session, 'api'> & { readonly account: Pick<Session['account'], 'id'> };

export type Offer<Undoable> = Undoable & {
  /** When it ends, in milliseconds since 1970. */
  readonly until: number;
};

/** By the ids of presets, so that renaming one keeps its offers. The first one is undone first. */
type OffersByPreset<Undoable> = ReadonlyMap<string, readonly Offer<Undoable>[]>;

interface Offers<Undoable> {
  of(owner: Owner): Store<OffersByPreset<Undoable>>;
  /** If there are too many for this preset, the last one is dropped. */
  offer(owner: Owner, presetId: string, undoable: Undoable, place?: 'first' | 'last'): Offer<Undoable>;
  withdraw(owner: Owner, presetId: string, offer: Offer<Undoable>): void;
}

const offeredMs = 10 * 60_000;

function createOffers<Undoable>(kind: string, max: number): Offers<Undoable> {
  // By the session, which continues if its key is replaced.
  const stores = new WeakMap<AbortSignal, Store<OffersByPreset<Undoable>>>();
  const itemOf = ({ account }: Owner) => `${draftPrefix}undo/${kind}/${account.id}` as const;
  const scheduleExpiry = (owner: Owner, presetId: string, offer: Offer<Undoable>) =>
    setTimeout(() => offers.withdraw(owner, presetId, offer), offer.until - Date.now());
  const change = (owner: Owner, presetId: string, next: readonly Offer<Undoable>[]) => {
    // After signing out, nothing may be stored.
    if (owner.api.ended.aborted) return;
    const all = new Map(offers.of(owner).get()).set(presetId, next);
    if (next.length === 0) all.delete(presetId);
    offers.of(owner).set(all);
    storeItem(itemOf(owner), JSON.stringify([...all]));
  };
  const offers: Offers<Undoable> = {
    of(owner) {
      const existing = stores.get(owner.api.ended);
      if (existing !== undefined) return existing;
      // Only `change` writes these items.
      const stored = new Map(JSON.parse(readItem(itemOf(owner)) ?? '[]')) as OffersByPreset<Undoable>;
      const store = createStore(stored);
      stores.set(owner.api.ended, store);
      // This withdraws offers that have expired in the meantime.
      for (const [presetId, some] of stored) for (const offer of some) scheduleExpiry(owner, presetId, offer);
      return store;
    },
    offer(owner, presetId, undoable, place = 'first') {
      const offer = { ...undoable, until: Date.now() + offeredMs };
      const others = offers.of(owner).get().get(presetId) ?? [];
      const next = place === 'first' ? [offer, ...others] : [...others, offer];
      change(owner, presetId, next.slice(0, max));
      scheduleExpiry(owner, presetId, offer);
      return offer;
    },
    withdraw(owner, presetId, offer) {
      const some = offers.of(owner).get().get(presetId) ?? [];
      if (some.includes(offer))
        change(
          owner,
          presetId,
          some.filter((other) => other !== offer),
        );
    },
  };
  return offers;
}
