import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import type { CallRecord } from './call-record.ts';
import type { CallBatch, LedgerStore } from './ledger-storage.ts';

/** How long a call waits at most before it is written, so that a crash loses no more than that. */
const flushDelayMs = 500;

/**
 * Keeps each transaction so short that it hardly delays requests on SQLite: 5 to 10 ms. Smaller ones
 * would cost more for each call, because they write the same pages again.
 */
const callsPerBatch = 1_000;

/** How long to wait after a failed write. */
const retryDelayMs = 1_000;

/**
 * Collects the records of calls and writes them in batches.
 *
 * `startServer` creates one per process. Recording only appends to a list. The first record starts a
 * timer, which writes everything that is there by then, one batch after the other. While the database
 * is unavailable, records wait, up to a limit; beyond it, new ones are dropped and counted. A batch
 * whose write fails keeps its id, so that it is not counted twice if it was stored after all. `stop`
 * writes what is left.
 */
export interface Ledger {
  /** Only updates memory. The record is made when it is written. */
  record(create: () => CallRecord | Promise<CallRecord>): void;
  /** The records that wait to be written. */
  readonly waiting: number;
  /** Writes all records; gives up at the first failure. No more are written later. */
  stop(): Promise<void>;
}

interface LedgerOptions {
  readonly store: Pick<LedgerStore, 'write'>;
  /** How many records may wait. */
  readonly waitingMax: number;
  /** Whether calls are stored and not only counted. */
  readonly keepsCalls: boolean;
  /** Called with the number of records that are lost, because too many are waiting. */
  readonly onDropped: (count: number) => void;
  readonly onFailure: (error: unknown, waiting: number) => void;
}

type Create = () => CallRecord | Promise<CallRecord>;

export function createLedger({ store, waitingMax, keepsCalls, onDropped, onFailure }: LedgerOptions): Ledger {
  let pending: Create[] = [];
  /** What could not be written yet. */
  let unwritten: CallBatch | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<boolean> | undefined;
  let isStopped = false;

  const waiting = () => pending.length + (unwritten?.calls.length ?? 0);

  /** Returns whether everything is written. */
  async function writeAll(): Promise<boolean> {
    while (unwritten !== undefined || pending.length > 0) {
      unwritten ??= { id: newId(), calls: await createAll(pending.splice(0, callsPerBatch)) };
      try {
        await store.write(unwritten, keepsCalls);
      } catch (error) {
        onFailure(error, waiting());
        if (error instanceof PresetdError && error.kind === 'unavailable') return false;
        // It would fail again, and nothing after it would be written.
        onDropped(unwritten.calls.length);
      }
      unwritten = undefined;
    }
    return true;
  }

  async function createAll(creates: readonly Create[]): Promise<readonly CallRecord[]> {
    const results = await Promise.allSettled(creates.map(async (create) => create()));
    const failed = results.filter((result) => result.status === 'rejected');
    for (const { reason } of failed) onFailure(reason, waiting());
    if (failed.length > 0) onDropped(failed.length);
    return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  function flush(): Promise<boolean> {
    timer = undefined;
    running ??= writeAll().finally(() => {
      running = undefined;
    });
    return running;
  }

  function schedule(delayMs: number): void {
    if (isStopped) return;
    timer ??= setTimeout(async () => {
      if (!(await flush())) schedule(retryDelayMs);
      else if (pending.length > 0) schedule(flushDelayMs);
    }, delayMs);
  }

  return {
    record(create) {
      if (waiting() >= waitingMax) {
        onDropped(1);
        return;
      }
      pending.push(create);
      if (running === undefined) schedule(flushDelayMs);
    },
    get waiting() {
      return waiting();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
      if (!(await flush())) {
        onDropped(waiting());
        pending = [];
      }
    },
  };
}
