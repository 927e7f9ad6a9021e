/** How often `flush` should run. Also the resolution of the stored times of keys and sessions. */
export const lastUseFlushIntervalMs = 60_000;

/** Keeps each write short, so that other writes do not wait long for it. */
const usesPerWrite = 500;

/**
 * Collects in memory when each key, session or preset was last used and writes it to the store in
 * batches.
 *
 * `startServer` creates one for each of the three per process. It flushes them once per interval
 * and again at shutdown, so that recording a use adds no write to a request. At most one entry per
 * existing key, session or preset is held. A crash loses up to one interval; an unavailable
 * database loses nothing, because failed entries stay for the next flush.
 */
export interface LastUseRecorder {
  /** Notes that it is being used now. Only updates memory. */
  record(id: string): void;
  /** The last use that is not stored yet; undefined if there is none. */
  unstoredUse(id: string): string | undefined;
  /**
   * Writes everything recorded so far; while a flush is running, waits for that one instead.
   * Rejects if the store fails; the rest is kept for the next flush.
   */
  flush(): Promise<void>;
}

interface LastUseStore {
  recordLastUses(uses: ReadonlyMap<string, string>, intervalMs: number): Promise<void>;
}

export function createLastUseRecorder(store: LastUseStore, now: () => number = Date.now): LastUseRecorder {
  let lastUses = new Map<string, number>();
  /** The uses that a flush is writing. Never changed: a later use is already in `lastUses`. */
  let writing: ReadonlyMap<string, number> = new Map();
  let running: Promise<void> | undefined;

  async function writeAll(): Promise<void> {
    const pending = [...lastUses];
    writing = lastUses;
    lastUses = new Map();
    while (pending.length > 0) {
      const batch = pending.slice(0, usesPerWrite);
      try {
        await store.recordLastUses(
          new Map(batch.map(([id, at]) => [id, new Date(at).toISOString()])),
          lastUseFlushIntervalMs,
        );
      } catch (error) {
        // Uses recorded during the write are later and win over the failed ones.
        lastUses = new Map([...pending, ...lastUses]);
        throw error;
      }
      pending.splice(0, batch.length);
    }
    writing = new Map();
  }

  return {
    record(id) {
      lastUses.set(id, now());
    },
    unstoredUse(id) {
      const at = lastUses.get(id) ?? writing.get(id);
      return at === undefined ? undefined : new Date(at).toISOString();
    },
    flush() {
      running ??= writeAll().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}
