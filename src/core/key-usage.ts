import type { KeyStore } from './storage.ts';

/** The last use of a key is written down at most this often, by whatever process. */
export const usageFlushIntervalMs = 60_000;

/** So many that others do not wait long for them. */
const usesPerWrite = 500;

export interface KeyUsageRecorder {
  /** Costs next to nothing: it is written down later, off the way of the request. */
  record(keyId: string): void;
  /** Writes down what was noted, to be called once in an interval. What cannot be written is kept for the next time. */
  flush(): Promise<void>;
}

export function createKeyUsageRecorder(
  keys: Pick<KeyStore, 'recordLastUses'>,
  now: () => number = Date.now,
): KeyUsageRecorder {
  let noted = new Map<string, number>();
  return {
    record(keyId) {
      noted.set(keyId, now());
    },
    async flush() {
      const uses = [...noted];
      noted = new Map();
      while (uses.length > 0) {
        const some = uses.slice(0, usesPerWrite);
        try {
          await keys.recordLastUses(
            new Map(some.map(([keyId, at]) => [keyId, new Date(at).toISOString()])),
            usageFlushIntervalMs,
          );
        } catch (error) {
          noted = new Map([...uses, ...noted]);
          throw error;
        }
        uses.splice(0, some.length);
      }
    },
  };
}
