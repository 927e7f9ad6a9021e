/** How often `flush` should run. Also the resolution of the stored times, across all processes. */
export const usageFlushIntervalMs = 60_000;

/** Keeps each write short, so that other writes do not wait long for it. */
const usesPerWrite = 500;

/**
 * Collects in memory when each key or session was last used and writes it to the store in batches.
 *
 * `startServer` creates one for keys and one for sessions per process. It flushes them once per
 * interval and again at shutdown, so that recording a use adds no write to a request. At most one
 * entry per existing key or session is held. A crash loses up to one interval; an unavailable
 * database loses nothing, because failed entries stay for the next flush.
 */
export interface UsageRecorder {
  /** Notes that it is being used now. Only updates memory. */
  record(id: string): void;
  /**
   * Writes everything recorded so far. Rejects if the store fails; the rest is kept for the next
   * flush.
   */
  flush(): Promise<void>;
}

interface UsageStore {
  recordLastUses(uses: ReadonlyMap<string, string>, intervalMs: number): Promise<void>;
}

export function createUsageRecorder(store: UsageStore, now: () => number = Date.now): UsageRecorder {
  let lastUses = new Map<string, number>();
  return {
    record(id) {
      lastUses.set(id, now());
    },
    async flush() {
      const pending = [...lastUses];
      lastUses = new Map();
      while (pending.length > 0) {
        const batch = pending.slice(0, usesPerWrite);
        try {
          await store.recordLastUses(
            new Map(batch.map(([id, at]) => [id, new Date(at).toISOString()])),
            usageFlushIntervalMs,
          );
        } catch (error) {
          // Uses recorded during the write are later and win over the failed ones.
          lastUses = new Map([...pending, ...lastUses]);
          throw error;
        }
        pending.splice(0, batch.length);
      }
    },
  };
}
