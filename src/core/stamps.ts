/**
 * What processes that serve one port know of each other's writes. A key has a stamp that every acknowledged write renews, so
 * whoever remembers an answer with its stamp can tell at once whether it still holds.
 */
export interface Stamps {
  of(key: string): number;
  /** To be called after the write and before its answer. */
  renew(key: string): void;
  /** For a write that may concern any of the keys. */
  renewAll(): void;
}

/** Of a process that is alone: what it writes itself it forgets itself. */
export const noStamps: Stamps = { of: () => 0, renew: () => {}, renewAll: () => {} };
