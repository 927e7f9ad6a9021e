/**
 * Typed text of JSON fields that is not a value yet, so that the draft does not have it.
 *
 * Such a text outlives its field, which disappears with another view of the same value, while the
 * request is not valid, and when the page is left. It is stored in the tab and survives a reload.
 * It belongs to the value that it should replace: once that changes, by another part of the page or
 * by undo, the newer value counts.
 */

import { draftPrefix, readItem, removeItem, storeItem } from '../../api/tab-storage.ts';
import { createStore, type Store } from '../../components/store.ts';
import type { JSONPath } from '../../features/request/request-text.ts';
import type { JsonObject } from '../../features/version-content/config-values.ts';
import { valueAt } from './draft-content.ts';

export interface IncompleteField {
  readonly label: string;
  readonly text: string;
  /** The value that the text should replace, from `jsonAt`. */
  readonly of: string;
}

/** By `fieldKey`. */
export type IncompleteFields = ReadonlyMap<string, IncompleteField>;

export function fieldKey(path: JSONPath): string {
  return JSON.stringify(path);
}

/** The value at a path as a field shows it; undefined if there is no place for one. */
export function jsonAt(body: JsonObject | undefined, path: JSONPath): string | undefined {
  if (valueAt(body, path.slice(0, -1)) === undefined) return undefined;
  const value = valueAt(body, path);
  return value === undefined ? '{}' : JSON.stringify(value, null, 2);
}

/** The first text that saving or running the draft would ignore; undefined if there is none. */
export function findIncomplete(
  fields: IncompleteFields,
  body: JsonObject | undefined,
): IncompleteField | undefined {
  return [...fields].find(([key, { of }]) => jsonAt(body, JSON.parse(key) as JSONPath) === of)?.[1];
}

/** `name` identifies the person and the preset. */
export function createIncompleteFields(name: string): Store<IncompleteFields> {
  const item = `${draftPrefix}incomplete/${name}` as const;
  const stored = readItem(item);
  // Only the listener below writes this item.
  const store = createStore<IncompleteFields>(new Map(stored === undefined ? [] : JSON.parse(stored)));
  store.subscribe(() => {
    const fields = store.get();
    if (fields.size === 0) removeItem(item);
    else storeItem(item, JSON.stringify([...fields]));
  });
  return store;
}
