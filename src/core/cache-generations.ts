/**
 * What processes that serve one port know of each other's writes. A key has a generation that every acknowledged write renews, so
 * whoever remembers an answer with its generation can tell at once whether it still holds.
 */
export interface CacheGenerations {
  of(key: string): number;
  /** To be called after the write and before its answer. */
  advance(key: string): void;
  /** For a write that may concern any of the keys. */
  advanceAll(): void;
}

/** Of a process that is alone: what it writes itself it forgets itself. */
export const unsharedGenerations: CacheGenerations = { of: () => 0, advance: () => {}, advanceAll: () => {} };
