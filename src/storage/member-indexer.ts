import { setTimeout as delay } from 'node:timers/promises';
import type { MemberStore } from '../core/storage.ts';

/**
 * Builds the search index of members in the background.
 *
 * Triggers list members whose words are missing or outdated because an older server added or renamed them. The upgrade that
 * added the index listed whole organizations, whose members are listed bit by bit. Each run works batch by batch until
 * nothing is left, resting as long as a batch took so that requests keep at least half of the time. Searches that find
 * such members start a run; until it ends, they compare names themselves. Stopping ends a run after its current batch;
 * the rest stays listed.
 */
export class MemberIndexer {
  readonly #indexBatch: () => Promise<number | undefined>;
  readonly #logError: (message: string) => void;
  readonly #stopping = new AbortController();
  #run: Promise<number> | undefined;
  /** Whether members may have been listed since the run last looked. */
  #isRequested = false;

  /** A batch returns how many members it indexed, undefined when nothing is left to do. */
  constructor(indexBatch: () => Promise<number | undefined>, logError: (message: string) => void = () => {}) {
    this.#indexBatch = indexBatch;
    this.#logError = logError;
  }

  /** Indexes all listed members and returns how many there were. Extends a run that has already begun. */
  run(): Promise<number> {
    this.#isRequested = true;
    this.#run ??= this.#indexAll().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  /** Starts a run that nobody waits for. Should it fail, searches still work and the next one tries again. */
  start(): void {
    this.run().catch((error: unknown) =>
      this.#logError(`could not index members for search, which is slower meanwhile: ${error}`),
    );
  }

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

/** Renaming a person outdates their words in other organizations too. These are written after the change. */
export function withIndexing(members: Omit<MemberStore, 'index'>, indexer: MemberIndexer): MemberStore {
  const startAfter = async <T>(change: Promise<T>): Promise<T> => {
    const result = await change;
    indexer.start();
    return result;
  };
  return {
    ...members,
    join: (...change) => startAfter(members.join(...change)),
    change: (...change) => startAfter(members.change(...change)),
    index: () => indexer.run(),
  };
}
