/**
 * Ids for the items of a list that have none of their own, such as turns and tools.
 *
 * They are the keys of the items on screen, so that undo history and open details stay with their
 * item when another one is inserted, moved or removed, here or in the request editor.
 */

import { useRef } from 'react';

interface Identified {
  readonly id: number;
  readonly value: unknown;
}

/** One id for each item. Items are equal if they are the same text or the same object. */
export function useItemIds(values: readonly unknown[]): readonly number[] {
  const items = useRef<readonly Identified[]>([]);
  items.current = identify(items.current, values);
  return items.current.map(({ id }) => id);
}

/** Equal items keep their ids, preferably at the same place; so does an item edited in place. */
export function identify(before: readonly Identified[], values: readonly unknown[]): readonly Identified[] {
  const free = new Set(before);
  const take = (item: Identified | undefined) => (item && free.delete(item) ? item.id : undefined);
  const isInPlace = before.length === values.length;
  const unmoved = values.map((value, index) =>
    take(before[index]?.value === value ? before[index] : undefined),
  );
  const equal = values.map(
    (value, index) => unmoved[index] ?? take([...free].find((item) => item.value === value)),
  );
  const known = values.map((_, index) => equal[index] ?? (isInPlace ? take(before[index]) : undefined));
  let next = Math.max(-1, ...before.map(({ id }) => id)) + 1;
  return values.map((value, index) => ({ id: known[index] ?? next++, value }));
}
