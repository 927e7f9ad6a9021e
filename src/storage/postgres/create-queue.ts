import { setTimeout as delay } from 'node:timers/promises';
import { databaseUnavailable, PresetdError, tooManyWrites } from '../../core/errors.ts';
import type { NewVersion } from '../../core/presets/preset-storage.ts';
import type { PostgresConnection, PostgresOptions } from './connection.ts';
import { type CreatedRow, createVersionsStatement, createVersionsValues } from './create-version.ts';
import { isNameTaken, isRetryable } from './errors.ts';

/** A create in the backlog, with the promise of its caller. */
interface QueuedCreate {
  readonly version: NewVersion;
  readonly resolve: (row: CreatedRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements in flight: while one waits for the disk, the next is sent and parsed. */
const inFlightMax = 2;
/**
 * Bounds of a batch. Larger ones gain little throughput and make every create in them wait longer.
 */
const batchRowsMax = 128;
const batchCharactersMax = 4 * 1_048_576;
/**
 * Attempts after a deadlock, a serialization failure or a rename of a preset in the batch, with a
 * random delay between them.
 */
const attemptsMax = 5;

/**
 * Batches creates, the hot path for writes, into single statements: creates that wait together
 * share one round trip and one commit.
 *
 * Opening a storage creates one queue. A create joins the backlog, which is bounded: past the
 * limit, creates fail with `unavailable`. At the end of the event-loop tick, or when a statement in
 * flight returns, the next batch is sent. A batch that fails because of its content is split, so
 * that each create succeeds or fails on its own. If the database is unavailable, the whole batch
 * fails.
 *
 * A create that takes longer than the timeout fails with `unavailable`, although it may still be
 * stored. `drain` waits until the backlog is empty and no statement is in flight.
 */
export class CreateQueue {
  readonly #connection: PostgresConnection;
  readonly #backlogMax: number;
  readonly #timeoutMs: number;
  #backlog: QueuedCreate[] = [];
  #inFlight = 0;
  #isScheduled = false;
  #drainWaiters: (() => void)[] = [];

  constructor(
    connection: PostgresConnection,
    { writesWaitingMax, timeoutMs }: Pick<PostgresOptions, 'writesWaitingMax' | 'timeoutMs'>,
  ) {
    this.#connection = connection;
    this.#backlogMax = writesWaitingMax;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Returns undefined when the organization has no such workspace or the key lost its rights, and a
   * row without an id when the preset is archived.
   */
  create(version: NewVersion): Promise<CreatedRow | undefined> {
    if (this.#backlog.length >= this.#backlogMax) return Promise.reject(tooManyWrites());
    const { promise, resolve, reject } = Promise.withResolvers<CreatedRow | undefined>();
    const create = { version, resolve, reject };
    // Covers the time in the backlog as well as the statement.
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
    if (this.#isScheduled || this.#backlog.length === 0 || this.#inFlight >= inFlightMax) return;
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
    await this.#attempt(batch, 1);
    this.#inFlight -= 1;
    if (this.#backlog.length > 0) this.#schedule();
    else if (this.#inFlight === 0) for (const resolve of this.#drainWaiters.splice(0)) resolve();
  }

  /** Sends a batch until it is stored or fails for good, and settles its creates. Never rejects. */
  async #attempt(batch: readonly QueuedCreate[], attempt: number): Promise<void> {
    try {
      const columns = createVersionsValues(batch.map((create) => create.version));
      const rows = await this.#connection.query<CreatedRow>(createVersionsStatement, columns);
      const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
      for (const [index, create] of batch.entries()) create.resolve(byOrdinal.get(index + 1));
    } catch (error) {
      if ((isRetryable(error) || isNameTaken(error)) && attempt < attemptsMax) {
        await delay(Math.random() * 10 * attempt);
        await this.#attempt(batch, attempt + 1);
      } else if (batch.length > 1 && !(error instanceof PresetdError))
        for (const create of batch) await this.#attempt([create], 1);
      else for (const create of batch) create.reject(isRetryable(error) ? databaseUnavailable(error) : error);
    }
  }
}
