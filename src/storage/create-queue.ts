import { databaseUnavailable, PresetdError, tooManyWrites } from '../core/errors.ts';
import type { Preset } from '../core/presets/preset.ts';
import type { NewVersion } from '../core/presets/preset-storage.ts';
import { createVersions } from './create-versions.ts';
import type { Database, DatabaseOptions } from './database.ts';

/** A create in the backlog, with the promise of its caller. */
interface QueuedCreate {
  readonly version: NewVersion;
  readonly resolve: (preset: Preset) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Batches in flight: while one waits for the disk, the next is sent and parsed. That one must be
 * large, because a transaction costs about as much for one create as for ten.
 */
const inFlightMax = 2;
const secondBatchRowsMin = 32;
/**
 * Bounds of a batch. Larger ones gain little throughput and make every create in them wait longer.
 * On SQLite, they would block the event loop for more than 50 milliseconds.
 */
const batchRowsMax = 128;
const batchCharactersMax = 1_048_576;

/**
 * Batches creates, the hot path for writes, into transactions: creates that wait together share
 * statements and one commit.
 *
 * Opening a storage creates one queue. A create joins the backlog, which is bounded: past the
 * limit, creates fail with `unavailable`. At the end of the event-loop tick, or when a batch in
 * flight is committed, the next batch is sent. A batch that fails because of its content is split,
 * so that each create succeeds or fails on its own. If the database is unavailable, the whole batch
 * fails.
 *
 * A create that takes longer than the timeout fails with `unavailable`, although it may still be
 * stored. `drain` waits until the backlog is empty and no batch is in flight.
 */
export class CreateQueue {
  readonly #database: Database;
  readonly #backlogMax: number;
  readonly #timeoutMs: number;
  #backlog: QueuedCreate[] = [];
  #inFlight = 0;
  #isScheduled = false;
  #drainWaiters: (() => void)[] = [];

  constructor(database: Database, { writesWaitingMax, timeoutMs }: DatabaseOptions) {
    this.#database = database;
    this.#backlogMax = writesWaitingMax;
    this.#timeoutMs = timeoutMs;
  }

  /** Adds the next version of a preset, as `PresetStore.createVersion` says. */
  create(version: NewVersion): Promise<Preset> {
    if (this.#backlog.length >= this.#backlogMax) return Promise.reject(tooManyWrites());
    const { promise, resolve, reject } = Promise.withResolvers<Preset>();
    const create = { version, resolve, reject };
    // Covers the time in the backlog as well as the transaction.
    const timer = setTimeout(() => this.#timeOut(create), this.#timeoutMs);
    this.#backlog.push(create);
    this.#schedule();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Resolves when every queued create has settled. */
  drain(): Promise<void> {
    if (this.#backlog.length === 0 && this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainWaiters.push(resolve));
  }

  #timeOut(create: QueuedCreate): void {
    // All creates have the same timeout, so if this one is still in the backlog, it is the oldest.
    if (this.#backlog[0] === create) this.#backlog.shift();
    create.reject(databaseUnavailable(new Error('a create timed out')));
  }

  /** Sends the next batch at the end of the tick, so that requests received together share it. */
  #schedule(): void {
    const rowsMin = this.#inFlight === 0 ? 1 : secondBatchRowsMin;
    if (this.#isScheduled || this.#backlog.length < rowsMin || this.#inFlight >= inFlightMax) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send(this.#takeBatch());
      this.#schedule();
    });
  }

  /** Takes creates up to the bounds of a batch, and at least one. */
  #takeBatch(): QueuedCreate[] {
    let characters = 0;
    let rows = 0;
    for (const { version } of this.#backlog) {
      const { configJson, systemPrompt, extensionJson } = version;
      characters += configJson.length + (systemPrompt?.length ?? 0) + (extensionJson?.length ?? 0);
      if (rows > 0 && (rows >= batchRowsMax || characters > batchCharactersMax)) break;
      rows += 1;
    }
    return this.#backlog.splice(0, rows);
  }

  async #send(batch: readonly QueuedCreate[]): Promise<void> {
    this.#inFlight += 1;
    await this.#store(batch);
    this.#inFlight -= 1;
    if (this.#backlog.length > 0) this.#schedule();
    else if (this.#inFlight === 0) for (const resolve of this.#drainWaiters.splice(0)) resolve();
  }

  /** Stores a batch and settles its creates. Never rejects. */
  async #store(batch: readonly QueuedCreate[]): Promise<void> {
    const versions = batch.map(({ version }) => version);
    try {
      const results = await this.#database.transaction((query) => createVersions(query, versions));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index];
        if (result !== undefined && 'preset' in result) resolve(result.preset);
        else reject(result?.error);
      }
    } catch (error) {
      if (batch.length > 1 && !(error instanceof PresetdError))
        for (const create of batch) await this.#store([create]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
