import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseFull, tooManyWrites } from '../../core/errors.ts';
import type { DatabaseOptions } from '../database.ts';
import { fromSqlite, isBusy, isDiskFull } from './errors.ts';

/** A write in the backlog, with the promise of its caller. */
interface QueuedWrite {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Waits for the write lock that the workers of one machine share. Resolves with its release
 * function.
 */
type AcquireWriteLock = () => Promise<() => void>;

export interface WriteQueueOptions extends DatabaseOptions {
  readonly acquireWriteLock?: AcquireWriteLock | undefined;
  /** Throws when the database file has been moved, which undoes the transaction. */
  readonly assertFileNotMoved?: () => void;
}

/**
 * The longest that one transaction may block the event loop. SQLite is synchronous, so reads wait
 * for it.
 */
const transactionBudgetMs = 50;

/**
 * How long readiness keeps reporting a full disk after a failed write; the Retry-After that clients
 * get is the same.
 */
const diskFullMs = 5_000;

/** The result of one write, delivered after the commit. */
type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Serializes all writes of this process and commits them in groups.
 *
 * Opening a storage creates one queue per connection. A write joins the backlog, which is bounded:
 * past the limit, writes fail with `unavailable`. At the end of the event-loop tick a flush takes
 * the write lock, begins a transaction, and runs the backlog until it is empty or its time budget
 * is spent; the rest goes into the next flush. Writes that arrive together thus share one commit
 * and one fsync.
 *
 * Each of several writes has its own savepoint, so one that throws undoes only itself. A single one
 * has none: SQLite would copy every page that it changes. No promise settles before the commit: an
 * acknowledged write is durable. If the transaction cannot begin or commit, all of its writes fail.
 * `drain` waits until the backlog is empty; call it before closing the database.
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

  constructor(database: DatabaseSync, limits: WriteQueueOptions) {
    this.#database = database;
    this.#lockWaitMs = limits.timeoutMs;
    this.#backlogMax = limits.writesWaitingMax;
    this.#acquireWriteLock = limits.acquireWriteLock ?? (async () => () => {});
    this.#assertFileNotMoved = limits.assertFileNotMoved ?? (() => {});
  }

  /**
   * Runs `work` in the next transaction. It must await nothing but statements, and may throw to
   * undo only itself.
   */
  write<T>(work: () => Promise<T>): Promise<T> {
    if (this.#backlog.length >= this.#backlogMax) return Promise.reject(tooManyWrites());
    return new Promise<T>((resolve, reject) => {
      this.#backlog.push({ work, resolve: (value) => resolve(value as T), reject });
      this.#flushing ??= this.#flushAll();
    });
  }

  /**
   * Throws for a few seconds after a write found the disk full. Probing with a small write would
   * not do: it may still fit.
   */
  assertDiskHasRoom(): void {
    if (performance.now() - this.#lastDiskFullAt < diskFullMs) throw databaseFull(undefined);
  }

  /** Resolves when the backlog is empty and every write has settled. */
  async drain(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  /** One transaction after the other: a write may wait between its steps, so they would overlap. */
  async #flushAll(): Promise<void> {
    while (this.#backlog.length > 0) await this.#flush();
    this.#flushing = undefined;
  }

  async #flush(): Promise<void> {
    // Wait for the end of the tick: requests that the current poll received join this transaction.
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
      const outcomes = await this.#runWithinBudget(writes);
      this.#assertFileNotMoved();
      this.#database.exec('COMMIT');
      // Writes beyond the time budget go first in the next transaction.
      this.#backlog.unshift(...writes.splice(outcomes.length));
      for (const [index, write] of writes.entries()) this.#settle(write, outcomes[index]);
    } catch (error) {
      this.#rejectAll(writes, error);
      this.#rollback();
    }
    releaseLock();
  }

  /** Runs writes until the time budget is spent, and at least one. */
  async #runWithinBudget(writes: readonly QueuedWrite[]): Promise<readonly Outcome[]> {
    const [first] = writes;
    if (first !== undefined && writes.length === 1) return [{ value: await first.work() }];
    const deadline = performance.now() + transactionBudgetMs;
    const outcomes: Outcome[] = [];
    for (const write of writes) {
      outcomes.push(await this.#run(write));
      if (performance.now() > deadline) break;
    }
    return outcomes;
  }

  /** Empties the backlog. New writes join the next transaction. */
  #takeBacklog(): QueuedWrite[] {
    const writes = this.#backlog;
    this.#backlog = [];
    return writes;
  }

  /**
   * Begins a transaction. Another process may hold the lock, so this polls without blocking reads.
   */
  async #begin(): Promise<void> {
    const deadline = performance.now() + this.#lockWaitMs;
    for (;;) {
      // The last attempt begins after the deadline: the process may have been suspended until then.
      const isLast = performance.now() > deadline;
      try {
        // A failed rollback leaves the transaction open.
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        this.#database.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || isLast) throw error;
        await delay(1 + Math.random() * 4);
      }
    }
  }

  async #run(write: QueuedWrite): Promise<Outcome> {
    this.#database.exec('SAVEPOINT attempt');
    try {
      const value = await write.work();
      this.#database.exec('RELEASE attempt');
      return { value };
    } catch (error) {
      // Some errors, such as a full disk, roll back the whole transaction, and every write in it
      // fails.
      if (!this.#database.isTransaction) throw error;
      this.#database.exec('ROLLBACK TO attempt; RELEASE attempt');
      return { error };
    }
  }

  #rollback(): void {
    try {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    } catch {
      // The writes have already failed; the next transaction retries the rollback.
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
