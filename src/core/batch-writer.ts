import { PresetdError } from './errors.ts';
import { newId } from './identifiers.ts';

/** How long an item waits for others at most, so that a crash loses no more than that. */
const flushDelayMs = 500;

/** How long to wait while the database is unavailable. */
const retryDelayMs = 1_000;

/**
 * Writes items in the background, in batches.
 *
 * Adding only appends to a list. The first item starts a timer, which prepares and writes
 * everything that is there by then, one batch after the other. While the database is unavailable,
 * items wait, and a batch keeps its id, so that the store can tell whether it stored it after all.
 * A batch that fails otherwise is not stored, and is halved until only the items that cannot be
 * written are left: these are dropped. `stop` writes everything that waits; items that are added
 * later are dropped. Every dropped item is counted. The caller limits how many wait.
 */
interface BatchWriter<Item> {
  /** Only updates memory. */
  add(item: Item): void;
  /** The items that are not written yet. */
  readonly waiting: number;
  /** Writes all items; gives up if the database is unavailable, or when `stopMs` have passed. */
  stop(): Promise<void>;
}

export interface Batch<Row> {
  readonly id: string;
  readonly rows: readonly Row[];
}

interface BatchWriterOptions<Item, Row> {
  /** Makes what is written of an item. An item for which it fails is dropped. */
  readonly prepare: (item: Item) => Row | Promise<Row>;
  readonly isFull: (rows: readonly Row[]) => boolean;
  readonly write: (batch: Batch<Row>) => Promise<void>;
  /** Called with rows that are written or dropped. */
  readonly release?: (rows: readonly Row[]) => void;
  readonly stopMs?: number;
  readonly onDropped: (count: number) => void;
  /** Called once for a failed batch, even if its parts are tried again. */
  readonly onFailure: (error: unknown, waiting: number) => void;
}

export function createBatchWriter<Item, Row>(options: BatchWriterOptions<Item, Row>): BatchWriter<Item> {
  const {
    prepare,
    isFull,
    write,
    release,
    stopMs = Number.POSITIVE_INFINITY,
    onDropped,
    onFailure,
  } = options;
  let items: Item[] = [];
  /** How many of the items are to be written now. */
  let due = 0;
  /** Batches that could not be written yet; the last one is the next. */
  let batches: PreparedBatch<Row>[] = [];
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<boolean> | undefined;
  let stopsAt: number | undefined;
  let isStopped = false;

  const waiting = () => items.length + batches.reduce((sum, { rows }) => sum + rows.length, 0);
  const isOverdue = () => stopsAt !== undefined && performance.now() > stopsAt;

  /**
   * Returns whether everything is written that waits now. What is added meanwhile waits for the
   * next time: batches of a few items cost several times as much.
   */
  async function writeAll(): Promise<boolean> {
    due = items.length;
    while (batches.length > 0 || due > 0) {
      if (isOverdue()) return false;
      if (batches.length === 0) batches = [{ id: newId(), rows: await prepareRows(), isPart: false }];
      const batch = batches.at(-1);
      if (batch !== undefined && !(await writeBatch(batch))) return false;
    }
    return true;
  }

  /** Returns whether the database is available. */
  async function writeBatch(batch: PreparedBatch<Row>): Promise<boolean> {
    const { rows, isPart } = batch;
    try {
      if (rows.length > 0) await write(batch);
    } catch (error) {
      const isUnavailable = error instanceof PresetdError && error.kind === 'unavailable';
      if (isUnavailable || !isPart) onFailure(error, waiting());
      if (isUnavailable) return false;
      if (rows.length > 1) {
        batches.splice(-1, 1, ...halve(rows));
        return true;
      }
      onDropped(1);
    }
    batches.pop();
    release?.(rows);
    return true;
  }

  async function prepareRows(): Promise<readonly Row[]> {
    const rows: Row[] = [];
    let taken = 0;
    for (; taken < due && !isFull(rows) && !isOverdue(); taken += 1) {
      try {
        rows.push(await prepare(items[taken] as Item));
      } catch (error) {
        onFailure(error, waiting());
        onDropped(1);
      }
    }
    items.splice(0, taken);
    due -= taken;
    return rows;
  }

  function schedule(delayMs: number): void {
    if (stopsAt !== undefined) return;
    timer ??= setTimeout(async () => {
      running = writeAll();
      const isWritten = await running;
      timer = undefined;
      if (!isWritten) schedule(retryDelayMs);
      else if (items.length > 0) schedule(flushDelayMs);
    }, delayMs);
  }

  return {
    add(item) {
      if (isStopped) {
        onDropped(1);
        return;
      }
      items.push(item);
      schedule(flushDelayMs);
    },
    get waiting() {
      return waiting();
    },
    async stop() {
      stopsAt = performance.now() + stopMs;
      clearTimeout(timer);
      await running;
      // Rows that are added during a write are written, too.
      while (waiting() > 0 && (await writeAll()));
      isStopped = true;
      if (waiting() > 0) onDropped(waiting());
      items = [];
      batches = [];
    },
  };
}

interface PreparedBatch<Row> extends Batch<Row> {
  readonly isPart: boolean;
}

/** The batch itself was not stored, so its rows need new ids. The first half is written first. */
function halve<Row>(rows: readonly Row[]): readonly PreparedBatch<Row>[] {
  const middle = Math.ceil(rows.length / 2);
  return [rows.slice(middle), rows.slice(0, middle)].map((part) => ({
    id: newId(),
    rows: part,
    isPart: true,
  }));
}
