import type { KeyStore } from '../storage.ts';

/** How often `flush` should run. Also the resolution of the stored times, across all processes. */
export const usageFlushIntervalMs = 60_000;

/** Keeps each write short, so that other writes do not wait long for it. */
const usesPerWrite = 500;

/**
 * Collects in memory when each key was last used and writes it to the store in batches.
 *
 * `startServer` creates one per process, flushes it once per interval and again at shutdown, so
 * that recording a use adds no write to a request. At most one entry per existing key is held. A
 * crash loses up to one interval; an unavailable database loses nothing, because failed entries
 * stay for the next flush.
 */
export interface KeyUsageRecorder {
  /** Notes that a key is being used now. Only updates memory. */
  record(keyId: string): void;
  /**
   * Writes everything recorded so far. Rejects if the store fails; the rest is kept for the next
   * flush.
   */
  flush(): Promise<void>;
}

export function createKeyUsageRecorder(
  keys: Pick<KeyStore, 'recordLastUses'>,
  now: () => number = Date.now,
): KeyUsageRecorder {
  let lastUses = new Map<string, number>();
  return {
    record(keyId) {
      lastUses.set(keyId, now());
    },
    async flush() {
      const pending = [...lastUses];
      lastUses = new Map();
      while (pending.length > 0) {
        const batch = pending.slice(0, usesPerWrite);
        try {
          await keys.recordLastUses(
            new Map(batch.map(([keyId, at]) => [keyId, new Date(at).toISOString()])),
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
