/**
 * Ids for the items of a list that have none in the request, such as few-shot turns.
 *
 * They are the keys of the items on screen, so that undo history and open details stay with their item
 * when another one is inserted, moved or removed, here or in the request editor.
 */

import { useRef } from 'react';

interface Identified {
  readonly id: number;
  readonly text: string;
}

/** One id for each item. Items are compared by their texts. */
export function useItemIds(texts: readonly string[]): readonly number[] {
  const items = useRef<readonly Identified[]>([]);
  items.current = identify(items.current, texts);
  return items.current.map(({ id }) => id);
}

/** Equal items keep their ids, preferably at the same place; so does one that was edited in place. */
export function identify(before: readonly Identified[], texts: readonly string[]): readonly Identified[] {
  const free = new Set(before);
  const take = (item: Identified | undefined) => (item && free.delete(item) ? item.id : undefined);
  const isInPlace = before.length === texts.length;
  const unmoved = texts.map((text, index) => take(before[index]?.text === text ? before[index] : undefined));
  const equal = texts.map(
    (text, index) => unmoved[index] ?? take([...free].find((item) => item.text === text)),
  );
  const known = texts.map((_, index) => equal[index] ?? (isInPlace ? take(before[index]) : undefined));
  let next = Math.max(-1, ...before.map(({ id }) => id)) + 1;
  return texts.map((text, index) => ({ id: known[index] ?? next++, text }));
}
