/**
 * Lets processes that share one database invalidate each other's caches. Every key has a generation
 * number that changes with each acknowledged write. A cache stores the generation with a value;
 * once the two differ, the value is out of date. `cluster/shared-generations.ts` shares them
 * between workers.
 */
export interface CacheGenerations {
  /** The current generation of a key. Unrelated keys may share one. */
  of(key: string): number;
  /** To be called after a write commits and before its response is sent. */
  advance(key: string): void;
  /** Like `advance`, for a write that can affect any key. */
  advanceAll(): void;
}

/** For a single process, which invalidates its own cache entries directly. */
export const unsharedGenerations: CacheGenerations = { of: () => 0, advance: () => {}, advanceAll: () => {} };
