import { createBatchWriter } from '../batch-writer.ts';
import type { CallRecord } from './call-record.ts';
import type { LedgerStore } from './ledger-storage.ts';

/**
 * Keeps each transaction so short that it hardly delays requests on SQLite: 5 to 10 ms. Smaller
 * ones would cost more for each call, because they write the same pages again.
 */
const callsPerBatch = 1_000;

/**
 * Collects the records of calls and writes them in batches, as `createBatchWriter` describes.
 *
 * `startServer` creates one per process. A limited number of records waits; beyond it, new ones are
 * dropped and counted.
 */
export interface Ledger {
  /** Only updates memory. */
  record(record: CallRecord | Promise<CallRecord>): void;
  /** The records that wait to be written. */
  readonly waiting: number;
  /** Writes all records; gives up if the database is unavailable. Drops those that come later. */
  stop(): Promise<void>;
}

interface LedgerOptions {
  readonly store: Pick<LedgerStore, 'write'>;
  /** How many records may wait. */
  readonly waitingMax: number;
  /** Whether calls are stored and not only counted. */
  readonly keepsCalls: boolean;
  /** Called with the number of records that are lost. */
  readonly onDropped: (count: number) => void;
  readonly onFailure: (error: unknown, waiting: number) => void;
}

export function createLedger({ store, waitingMax, keepsCalls, onDropped, onFailure }: LedgerOptions): Ledger {
  const writer = createBatchWriter<CallRecord | Promise<CallRecord>, CallRecord>({
    prepare: (record) => record,
    isFull: (rows) => rows.length >= callsPerBatch,
    write: ({ id, rows }) => store.write({ id, calls: rows }, keepsCalls),
    onDropped,
    onFailure,
  });
  return {
    record(record) {
      // It is awaited only when it is written: a rejection must not end the process until then.
      if (record instanceof Promise) record.catch(() => {});
      if (writer.waiting < waitingMax) writer.add(record);
      else onDropped(1);
    },
    get waiting() {
      return writer.waiting;
    },
    stop: writer.stop,
  };
}
