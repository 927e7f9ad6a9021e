/**
 * Favorites, recently opened presets and saved filters of a person in a workspace.
 *
 * They live in the local storage of this browser, under the ids of the person and the workspace,
 * and stay there after signing out. Changes reach other tabs by the `storage` event. Anything that
 * cannot be read, such as an item of another version, counts as empty; a full storage is ignored,
 * because nothing here is worth an error.
 */

import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useSession } from './session.ts';

/** Enough to link to a preset without loading it. */
export interface PresetMention {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
}

interface SavedFilter {
  readonly name: string;
  /** The query string of the list. */
  readonly search: string;
}

interface PersonalLists {
  readonly favorites: readonly PresetMention[];
  /** Most recent first. */
  readonly recent: readonly PresetMention[];
  /** Sorted by name. */
  readonly filters: readonly SavedFilter[];
}

const empty: PersonalLists = { favorites: [], recent: [], filters: [] };
const recentMax = 8;
const favoritesMax = 100;
export const filtersMax = 50;

/** The lists and the functions that change them. */
export function usePersonalLists() {
  const { account, workspace } = useSession();
  const key = `presetd.lists.${account.id}.${workspace?.id}`;
  const text = useSyncExternalStore(subscribe, () => localStorage.getItem(key));
  const lists = useMemo(() => parseLists(text), [text]);
  const change = useCallback(
    (next: (before: PersonalLists) => PersonalLists) => {
      const before = localStorage.getItem(key);
      const after = JSON.stringify(next(parseLists(before)));
      if (after !== before) store(key, after);
    },
    [key],
  );
  return { ...lists, change };
}

/** Puts the preset on top of those opened recently. Does nothing while it is undefined. */
export function useRememberOpened(preset: PresetMention | undefined): void {
  const { change } = usePersonalLists();
  const { id, slug, name } = preset ?? {};
  useEffect(() => {
    if (id !== undefined && slug !== undefined && name !== undefined)
      change((lists) => withOpened(lists, { id, slug, name }));
  }, [change, id, slug, name]);
}

export function withOpened(lists: PersonalLists, preset: PresetMention): PersonalLists {
  const recent = [preset, ...lists.recent.filter(({ id }) => id !== preset.id)].slice(0, recentMax);
  // A preset may have been renamed since.
  const favorites = lists.favorites.map((favorite) => (favorite.id === preset.id ? preset : favorite));
  return { ...lists, recent, favorites };
}

/** Adds the preset to the favorites, or removes it. */
export function withFavoriteToggled(lists: PersonalLists, preset: PresetMention): PersonalLists {
  const { id, slug, name } = preset;
  const others = lists.favorites.filter((favorite) => favorite.id !== id);
  const wasFavorite = others.length < lists.favorites.length;
  return {
    ...lists,
    favorites: wasFavorite ? others : [...others, { id, slug, name }].slice(-favoritesMax),
  };
}

/** Replaces a filter of the same name. Changes nothing at the limit: the dialog says so first. */
export function withFilter(lists: PersonalLists, filter: SavedFilter): PersonalLists {
  const others = lists.filters.filter(({ name }) => name !== filter.name);
  if (others.length >= filtersMax) return lists;
  const filters = [...others, filter].toSorted((one, other) => one.name.localeCompare(other.name, 'en'));
  return { ...lists, filters };
}

export function withoutFilter(lists: PersonalLists, name: string): PersonalLists {
  return { ...lists, filters: lists.filters.filter((filter) => filter.name !== name) };
}

/** Other versions of the page may have written anything. */
export function parseLists(text: string | null): PersonalLists {
  try {
    const stored: unknown = JSON.parse(text ?? '');
    return {
      favorites: itemsOf(stored, 'favorites', ['id', 'slug', 'name']),
      recent: itemsOf(stored, 'recent', ['id', 'slug', 'name']),
      filters: itemsOf(stored, 'filters', ['name', 'search']),
    };
  } catch {
    return empty;
  }
}

/** The items of a list in which all these fields are strings. */
function itemsOf<Field extends string>(
  stored: unknown,
  list: keyof PersonalLists,
  fields: readonly Field[],
): readonly Readonly<Record<Field, string>>[] {
  const items = (stored as Partial<Record<string, unknown>> | null)?.[list];
  if (!Array.isArray(items)) return [];
  return items.filter(
    (item): item is Record<Field, string> =>
      typeof item === 'object' && item !== null && fields.every((field) => typeof item[field] === 'string'),
  );
}

/** The `storage` event fires in other tabs only. */
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

function store(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    return;
  }
  for (const listener of listeners) listener();
}
