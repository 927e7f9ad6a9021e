import type { KeyStore } from './storage.ts';

/** The last use of a key is written down at most this often, by whatever process. */
export const useIntervalMs = 60_000;

/** So many that others do not wait long for them. */
const usesPerWrite = 500;

export interface KeyUses {
  /** Costs next to nothing: it is written down later, off the way of the request. */
  note(keyId: string): void;
  /** Writes down what was noted, to be called once in an interval. What cannot be written is kept for the next time. */
  write(): Promise<void>;
}

export function createKeyUses(keys: Pick<KeyStore, 'noteUses'>, now: () => number = Date.now): KeyUses {
  let noted = new Map<string, number>();
  return {
    note(keyId) {
      noted.set(keyId, now());
    },
    async write() {
      const uses = [...noted];
      noted = new Map();
      while (uses.length > 0) {
        const some = uses.slice(0, usesPerWrite);
        try {
          await keys.noteUses(
            new Map(some.map(([keyId, at]) => [keyId, new Date(at).toISOString()])),
            useIntervalMs,
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
