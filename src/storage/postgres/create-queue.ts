import { setTimeout as delay } from 'node:timers/promises';
import { databaseUnavailable, PresetdError, tooManyWrites } from '../../core/errors.ts';
import type { NewVersion } from '../../core/storage.ts';
import type { PostgresConnection, PostgresOptions } from './connection.ts';
import { type CreatedRow, createVersionsStatement, createVersionsValues } from './create-version.ts';
import { isRetryable } from './errors.ts';

interface QueuedCreate {
  readonly version: NewVersion;
  readonly resolve: (row: CreatedRow | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/** Statements under way at once: the next batch is parsed and sent while the one before waits for the disk. */
const inFlightMax = 2;
const batchRowsMax = 128;
const batchCharactersMax = 4 * 1_048_576;
const attemptsMax = 5;

/**
 * Creates that wait together share one statement, one round trip and one commit. A batch that fails is taken apart,
 * so that each create gets its own success or failure.
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

  /** Undefined when the organization has no such workspace; a row without an id when the preset is archived. */
  create(version: NewVersion): Promise<CreatedRow | undefined> {
    if (this.#backlog.length >= this.#backlogMax) return Promise.reject(tooManyWrites());
    const { promise, resolve, reject } = Promise.withResolvers<CreatedRow | undefined>();
    const create = { version, resolve, reject };
    // Whether it still waits for those before it or for the database.
    const timer = setTimeout(() => this.#timeOut(create), this.#timeoutMs);
    this.#backlog.push(create);
    this.#schedule();
    return promise.finally(() => clearTimeout(timer));
  }

  /** Resolves when everything that was queued has been answered. */
  drain(): Promise<void> {
    if (this.#backlog.length === 0 && this.#inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#drainWaiters.push(resolve));
  }

  #timeOut(create: QueuedCreate): void {
    // All may wait equally long, so that it is the first of those who still do.
    if (this.#backlog[0] === create) this.#backlog.shift();
    create.reject(databaseUnavailable(new Error('a create took too long')));
  }

  #schedule(): void {
    if (this.#isScheduled || this.#backlog.length === 0 || this.#inFlight >= inFlightMax) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      void this.#send(this.#takeBatch());
      this.#schedule();
    });
  }

  #takeBatch(): QueuedCreate[] {
    let characters = 0;
    let rows = 0;
    for (const { version } of this.#backlog) {
      characters += version.configJson.length + (version.systemPrompt?.length ?? 0);
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

  async #attempt(batch: readonly QueuedCreate[], attempt: number): Promise<void> {
    try {
      const columns = createVersionsValues(batch.map((create) => create.version));
      const rows = await this.#connection.query<CreatedRow>(createVersionsStatement, columns);
      const byOrdinal = new Map(rows.map((row) => [row.ordinal, row]));
      for (const [index, create] of batch.entries()) create.resolve(byOrdinal.get(index + 1));
    } catch (error) {
      if (isRetryable(error) && attempt < attemptsMax) {
        await delay(Math.random() * 10 * attempt);
        await this.#attempt(batch, attempt + 1);
      } else if (batch.length > 1 && !(error instanceof PresetdError))
        for (const create of batch) await this.#attempt([create], 1);
      else for (const create of batch) create.reject(isRetryable(error) ? databaseUnavailable(error) : error);
    }
  }
}
