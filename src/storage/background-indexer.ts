import { setTimeout as delay } from 'node:timers/promises';
import type { MemberStore } from '../core/organization/organization-storage.ts';
import type { PresetStore } from '../core/presets/preset-storage.ts';

interface IndexerOptions {
  /** The indexed items, for the log: "members". */
  readonly noun: string;
  /** Returns how many items it indexed; undefined when nothing is left. */
  readonly indexBatch: () => Promise<number | undefined>;
  readonly logError?: ((message: string) => void) | undefined;
}

/** Writes that follow each other within this time are indexed together. */
const startDelayMs = 500;

/** A process is busy if its event loop has work for more than this part of the time. */
const busyUtilization = 0.5;
/** The pause after a batch, as a multiple of the time it took. */
const pauseRatios = { idle: 1, busy: 19 };
/**
 * Indexing an item takes a few milliseconds. A batch that takes longer than this per item has
 * waited for the database or for a processor, which is not a reason to pause for longer.
 */
const itemMsMax = 20;

/**
 * Builds a search index in the background.
 *
 * Triggers list the items whose words are missing or stale; a migration that adds an index leaves a
 * cursor over the items from before it. Opening a storage creates one indexer per index. A run
 * starts after a change, when a search may have missed something, or through `index` of the store,
 * and ends when nothing is listed. After each batch it sleeps as long as the batch took. While the
 * process is busy, it sleeps nineteen times as long, so that requests keep most of the time.
 *
 * A failed run is logged and its items stay listed for the next one. `stop` ends a run after the
 * current batch.
 */
export class BackgroundIndexer {
  readonly #options: IndexerOptions;
  readonly #stopping = new AbortController();
  #run: Promise<number> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether items may have been listed since the run last read the list. */
  #isRequested = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /**
   * Indexes all listed items and returns how many there were. Joins a run in progress and makes it
   * check the list once more.
   */
  run(): Promise<number> {
    this.#isRequested = true;
    this.#run ??= this.#indexAll().finally(() => {
      this.#run = undefined;
    });
    return this.#run;
  }

  /** Starts a run without waiting for it. If it fails, the next one retries. */
  start(): void {
    this.run().catch((error: unknown) =>
      this.#options.logError?.(`cannot index ${this.#options.noun} for search, retrying later: ${error}`),
    );
  }

  /** Starts a run a little later, so that several changes share its batches. */
  startSoon(): void {
    if (this.#stopping.signal.aborted) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.start();
    }, startDelayMs).unref();
  }

  /** Ends the current run after its batch and prevents new ones. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#run?.catch(() => {});
  }

  async #indexAll(): Promise<number> {
    let total = 0;
    while (this.#isRequested && !this.#stopping.signal.aborted) {
      this.#isRequested = false;
      const startedAt = performance.now();
      const count = await this.#options.indexBatch();
      if (count === undefined) continue;
      this.#isRequested = true;
      total += count;
      await this.#pause(Math.min(performance.now() - startedAt, Math.max(count, 1) * itemMsMax));
    }
    return total;
  }

  async #pause(batchMs: number): Promise<void> {
    const { signal } = this.#stopping;
    const sleep = (ms: number) => delay(ms, undefined, { signal }).catch(() => {});
    const before = performance.eventLoopUtilization();
    await sleep(pauseRatios.idle * batchMs);
    if (performance.eventLoopUtilization(before).utilization > busyUtilization)
      await sleep((pauseRatios.busy - pauseRatios.idle) * batchMs);
  }
}

/**
 * Adds indexing to a member store. Renaming a person makes their words stale in other organizations
 * too; these are indexed after the change, outside its transaction.
 */
export function withMemberIndexing(
  members: Omit<MemberStore, 'index'>,
  indexer: BackgroundIndexer,
): MemberStore {
  const start = () => indexer.start();
  return {
    ...members,
    upsert: (...change) => after(members.upsert(...change), start),
    change: (...change) => after(members.change(...change), start),
    index: () => indexer.run(),
  };
}

/**
 * Adds indexing to a preset store. Searches start it too: an older server may have written presets,
 * and they do not notify this one.
 */
export function withPresetIndexing(
  presets: Omit<PresetStore, 'index'>,
  indexer: BackgroundIndexer,
): PresetStore {
  const start = () => indexer.startSoon();
  return {
    ...presets,
    createVersion: (version) => after(presets.createVersion(version), start),
    change: (...change) => after(presets.change(...change), start),
    list(workspace, filter, page) {
      if (filter.words !== undefined) start();
      return presets.list(workspace, filter, page);
    },
    index: () => indexer.run(),
  };
}

async function after<T>(change: Promise<T>, start: () => void): Promise<T> {
  const result = await change;
  start();
  return result;
}
