import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseFull, tooManyWrites } from '../../core/errors.ts';
import { fromSqlite, isBusy, isDiskFull } from './errors.ts';

interface QueuedWrite {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Resolves, with what ends it, when it is the turn of this process to write. */
export type AcquireWriteLock = () => Promise<() => void>;

/** For how long one transaction may hold up the process. */
const transactionBudgetMs = 50;

/** For how long a full disk is taken to be full, where nobody writes: as long as clients are told to wait. */
const diskFullMs = 5_000;

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Group commit: writes that arrive in one turn of the event loop share a transaction and thus one wait for the disk.
 * Each has a savepoint of its own, so that one failing takes nothing from its neighbours, and each is answered only
 * after the commit.
 */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #lockWaitMs: number;
  readonly #backlogMax: number;
  readonly #acquireWriteLock: AcquireWriteLock;
  readonly #assertFileNotMoved: () => void;
  #backlog: QueuedWrite[] = [];
  #lastDiskFullAt = Number.NEGATIVE_INFINITY;
  #flushing: Promise<void> | undefined;

  constructor(
    database: DatabaseSync,
    limits: {
      readonly timeoutMs: number;
      readonly writesWaitingMax: number;
      readonly acquireWriteLock?: AcquireWriteLock | undefined;
      /** Throws where what is written would not be found again. */
      readonly assertFileNotMoved?: () => void;
    },
  ) {
    this.#database = database;
    this.#lockWaitMs = limits.timeoutMs;
    this.#backlogMax = limits.writesWaitingMax;
    this.#acquireWriteLock = limits.acquireWriteLock ?? (async () => () => {});
    this.#assertFileNotMoved = limits.assertFileNotMoved ?? (() => {});
  }

  /** Runs the work inside the next transaction. The work must be synchronous and may throw to undo itself alone. */
  write<T>(work: () => T): Promise<T> {
    if (this.#backlog.length >= this.#backlogMax) return Promise.reject(tooManyWrites());
    return new Promise<T>((resolve, reject) => {
      this.#backlog.push({ work, resolve: (value) => resolve(value as T), reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Throws while a write has found no room on the disk a moment ago. One that changes nothing, or little, would find some. */
  assertDiskHasRoom(): void {
    if (performance.now() - this.#lastDiskFullAt < diskFullMs) throw databaseFull(undefined);
  }

  /** Resolves when everything that was queued has been answered. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flush(): Promise<void> {
    // Everything that the current poll of the sockets brings gets in before the transaction begins.
    await new Promise((resolve) => setImmediate(resolve));
    const releaseLock = await this.#acquireWriteLock();
    try {
      await this.#begin();
    } catch (error) {
      releaseLock();
      this.#rejectAll(this.#takeBacklog(), error);
      return;
    }
    const writes = this.#takeBacklog();
    try {
      const outcomes = this.#runWithinBudget(writes);
      this.#assertFileNotMoved();
      this.#database.exec('COMMIT');
      // Those who were not reached come first the next time.
      this.#backlog.unshift(...writes.splice(outcomes.length));
      for (const [index, write] of writes.entries()) this.#settle(write, outcomes[index]);
    } catch (error) {
      this.#rejectAll(writes, error);
      this.#rollback();
    }
    releaseLock();
    if (this.#backlog.length > 0) this.#flushing ??= this.#flush();
  }

  /** As many as do not keep those who only read waiting for long, and at least one. */
  #runWithinBudget(writes: readonly QueuedWrite[]): readonly Outcome[] {
    const deadline = performance.now() + transactionBudgetMs;
    const outcomes: Outcome[] = [];
    for (const write of writes) {
      outcomes.push(this.#run(write));
      if (performance.now() > deadline) break;
    }
    return outcomes;
  }

  #takeBacklog(): QueuedWrite[] {
    const writes = this.#backlog;
    this.#backlog = [];
    this.#flushing = undefined;
    return writes;
  }

  /** Another process may hold the lock; waiting for it must not stop this one from serving reads. */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#lockWaitMs;
    for (;;) {
      try {
        // Left open when a rollback failed.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        this.#database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw error;
        await delay(1 + Math.random() * 4);
      }
    }
  }

  #run(write: QueuedWrite): Outcome {
    this.#database.exec('SAVEPOINT attempt');
    try {
      const value = write.work();
      this.#database.exec('RELEASE attempt');
      return { value };
    } catch (error) {
      // Some failures, such as a full disk, undo the whole transaction; then nobody in it has been served.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO attempt; RELEASE attempt');
      return { error };
    }
  }

  #rollback(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // Those who waited have been told; it is tried again before the next transaction.
    }
  }

  #rejectAll(writes: readonly QueuedWrite[], error: unknown): void {
    for (const write of writes) this.#reject(write, error);
  }

  #settle(write: QueuedWrite, outcome: Outcome | undefined): void {
    if (outcome !== undefined && 'value' in outcome) write.resolve(outcome.value);
    else this.#reject(write, outcome?.error);
  }

  #reject(write: QueuedWrite, error: unknown): void {
    if (isDiskFull(error)) this.#lastDiskFullAt = performance.now();
    write.reject(fromSqlite(error));
  }
}
