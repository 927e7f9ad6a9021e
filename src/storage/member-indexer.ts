import { setTimeout as delay } from 'node:timers/promises';
import type { MemberStore } from '../core/storage.ts';

/**
 * Builds the member search index in the background.
 *
 * Triggers list members whose words are missing or stale because an older server added or renamed
 * them. The migration that added the index listed whole organizations instead; their members are
 * listed batch by batch. Opening a storage creates one indexer. A run starts when a search finds an
 * unindexed organization, after a change of members, or through `index`, and ends when nothing is
 * listed. Between batches it sleeps for as long as the batch took, so requests keep at least half
 * of the time. Until a run ends, searches compare names directly.
 *
 * A failed run is logged and its members stay listed for the next one. `stop` ends a run after the
 * current batch.
 */
export class MemberIndexer {
  readonly #indexBatch: () => Promise<number | undefined>;
  readonly #logError: (message: string) => void;
  readonly #stopping = new AbortController();
  #run: Promise<number> | undefined;
  /** Whether members may have been listed since the run last read the list. */
  #isRequested = false;

  /** `indexBatch` returns how many members it indexed, or undefined when nothing is left. */
  constructor(indexBatch: () => Promise<number | undefined>, logError: (message: string) => void = () => {}) {
    this.#indexBatch = indexBatch;
    this.#logError = logError;
  }

  /**
   * Indexes all listed members and returns how many there were. Joins a run in progress and makes
   * it check the list once more.
   */
  run(): Promise<number> {
    this.#isRequested = true;
    this.#run ??= this.#indexAll().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  /**
   * Starts a run without waiting for it. If it fails, searches still work and the next one retries.
   */
  start(): void {
    this.run().catch((error: unknown) =>
      this.#logError(`cannot index members for search, searches stay slow: ${error}`),
    );
  }

  /** Ends the current run after its batch and prevents new ones. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run?.catch(() => {});
  }

  async #indexAll(): Promise<number> {
    const { signal } = this.#stopping;
    let total = 0;
    while (this.#isRequested && !signal.aborted) {
      this.#isRequested = false;
      const startedAt = performance.now();
      const count = await this.#indexBatch();
      if (count === undefined) continue;
      this.#isRequested = true;
      total += count;
      await delay(performance.now() - startedAt, undefined, { signal }).catch(() => {});
    }
    return total;
  }
}

/**
 * Adds indexing to a member store. Renaming a person makes their words stale in other organizations
 * too; these are indexed after the change, outside its transaction.
 */
export function withIndexing(members: Omit<MemberStore, 'index'>, indexer: MemberIndexer): MemberStore {
  const startAfter = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    indexer.start();
    return result;
  };
  return {
    ...members,
    upsert: (...change) => startAfter(members.upsert(...change)),
    change: (...change) => startAfter(members.change(...change)),
    index: () => indexer.run(),
  };
}
