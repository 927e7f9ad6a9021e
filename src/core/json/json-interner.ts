import { type CooperativeTask, createYieldCheck } from '../concurrency/cooperative-task.ts';
import { isRawNumber } from './json-text.ts';

/**
 * Gives equal JSON values equal ids, so that comparing two of them takes constant time however
 * large they are. The order of keys does not matter. A diff creates one interner, interns both
 * documents and then compares their parts; everything is garbage with the interner.
 */
export interface JsonInterner {
  /** Assigns ids to a value and everything inside it, in time proportional to its size. */
  readonly intern: (value: unknown) => CooperativeTask<void>;
  /** Returns the id of a value; undefined for a list or an object that was not interned. */
  readonly idOf: (value: unknown) => number | undefined;
  /** Whether two interned values are equal as JSON. False if either was not interned. */
  readonly isEqual: (one: unknown, other: unknown) => boolean;
}

export function createJsonInterner(): JsonInterner {
  const leafIds = new Map<unknown, number>();
  const containerIds = new Map<object, number>();
  // Keyed by content: the ids of the children after "[" or "{". Raw numbers are keyed by their
  // digits.
  const contentIds = new Map<string, number>();
  const shouldYield = createYieldCheck(2_000);
  let lastId = 0;

  function idIn<Key>(ids: Map<Key, number>, key: Key): number {
    const found = ids.get(key);
    if (found !== undefined) return found;
    lastId += 1;
    ids.set(key, lastId);
    return lastId;
  }

  function idOf(value: unknown): number | undefined {
    if (isContainer(value)) return containerIds.get(value);
    return typeof value === 'object' && value !== null
      ? idIn(contentIds, JSON.stringify(value))
      : idIn(leafIds, value);
  }

  function* intern(value: unknown): CooperativeTask<void> {
    if (!isContainer(value) || containerIds.has(value)) return;
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    const ids = new Float64Array(children.length);
    for (const [index, child] of children.entries()) {
      if (shouldYield()) yield;
      if (isContainer(child)) yield* intern(child);
      ids[index] = idOf(child) ?? 0;
      // Packs the ids of name and value into one number: sorting numbers takes a tenth of the time
      // of sorting names. There are fewer than 2^26 ids, so every pair is an exact integer.
      if (names !== undefined) ids[index] += idIn(leafIds, names[index]) * 2 ** 26;
    }
    if (names !== undefined) ids.sort();
    containerIds.set(value, idIn(contentIds, `${names === undefined ? '[' : '{'}${ids.join()}`));
  }

  return {
    intern,
    idOf,
    isEqual(one, other) {
      const id = idOf(one);
      return id !== undefined && id === idOf(other);
    },
  };
}

/**
 * Whether the value is a list or an object. A raw number is a JavaScript object, but not a
 * container.
 */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}
