import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Batch, createBatchWriter } from './batch-writer.ts';
import { PresetdError } from './errors.ts';

describe('the batch writer', () => {
  let stored: Batch<string>[];
  let attempted: Batch<string>[];
  let failure: ((rows: readonly string[]) => Error | undefined) | undefined;
  let released: string[];
  let dropped: number;
  let failures: unknown[];
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    [stored, attempted, released, failures] = [[], [], [], []];
    failure = undefined;
    dropped = 0;
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const create = () =>
    createBatchWriter<string, string>({
      prepare: (item) => {
        if (item === 'broken') throw new Error('cannot be prepared');
        return item;
      },
      isFull: (rows) => rows.length >= 8,
      async write(batch) {
        attempted.push(batch);
        const error = failure?.(batch.rows);
        if (error !== undefined) throw error;
        stored.push(batch);
      },
      release: (rows) => released.push(...rows),
      onDropped: (count) => {
        dropped += count;
      },
      onFailure: (error) => {
        failures.push(error);
      },
    });
  const rowsOf = (batches: readonly Batch<string>[]) => batches.map(({ rows }) => rows.join(''));
  const unavailable = () => new PresetdError('unavailable', 'down');

  it('items are written together, after half a second', async () => {
    const writer = create();
    for (const item of 'abcdefghij') writer.add(item);
    await vi.advanceTimersByTimeAsync(400);
    expect([stored, writer.waiting]).toEqual([[], 10]);
    await vi.advanceTimersByTimeAsync(200);
    expect(rowsOf(stored)).toEqual(['abcdefgh', 'ij']);
    expect([dropped, writer.waiting, released.join('')]).toEqual([0, 0, 'abcdefghij']);
  });

  it('items that are added during a write wait for the next one', async () => {
    const writer = create();
    failure = () => {
      if (attempted.length === 1) writer.add('c');
      return undefined;
    };
    for (const item of 'ab') writer.add(item);
    await vi.advanceTimersByTimeAsync(600);
    expect([rowsOf(stored), writer.waiting]).toEqual([['ab'], 1]);
    await vi.advanceTimersByTimeAsync(600);
    expect([rowsOf(stored), writer.waiting]).toEqual([['ab', 'c'], 0]);
  });

  it('a batch keeps its id while the database is unavailable, and later items wait behind it', async () => {
    const writer = create();
    failure = unavailable;
    writer.add('a');
    await vi.advanceTimersByTimeAsync(600);
    writer.add('b');
    await vi.advanceTimersByTimeAsync(1_100);
    expect([attempted.length, stored, writer.waiting, released]).toEqual([2, [], 2, []]);
    failure = undefined;
    await vi.advanceTimersByTimeAsync(1_100);
    expect(rowsOf(stored)).toEqual(['a', 'b']);
    expect(new Set(attempted.slice(0, 3).map(({ id }) => id)).size).toBe(1);
    expect(dropped).toBe(0);
  });

  it('only the items that cannot be written are dropped from a batch that fails', async () => {
    const writer = create();
    failure = (rows) => (rows.some((row) => 'cg'.includes(row)) ? new Error('bad row') : undefined);
    for (const item of 'abcdefghij') writer.add(item);
    await vi.advanceTimersByTimeAsync(600);
    expect(rowsOf(stored)).toEqual(['ab', 'd', 'ef', 'h', 'ij']);
    expect([dropped, writer.waiting, released.toSorted().join('')]).toEqual([2, 0, 'abcdefghij']);
    expect(new Set(attempted.map(({ id }) => id)).size).toBe(attempted.length);
    expect(failures).toHaveLength(1);
  });

  it('halves of a batch are not lost when the database becomes unavailable meanwhile', async () => {
    const writer = create();
    failure = (rows) => {
      if (rows.includes('d')) return new Error('bad row');
      return stored.length > 0 ? unavailable() : undefined;
    };
    for (const item of 'abcdefgh') writer.add(item);
    await vi.advanceTimersByTimeAsync(600);
    expect([rowsOf(stored), dropped, writer.waiting]).toEqual([['ab'], 0, 6]);
    failure = (rows) => (rows.includes('d') ? new Error('bad row') : undefined);
    await vi.advanceTimersByTimeAsync(1_100);
    expect(stored.map(({ rows }) => rows.length)).toEqual([2, 1, 4]);
    expect([dropped, writer.waiting]).toEqual([1, 0]);
  });

  it('an item that cannot be prepared is dropped alone', async () => {
    const writer = create();
    for (const item of ['a', 'broken', 'b']) writer.add(item);
    await vi.advanceTimersByTimeAsync(600);
    expect(rowsOf(stored)).toEqual(['ab']);
    expect([dropped, failures.length]).toEqual([1, 1]);
  });

  it('stopping writes everything that waits, and counts what comes later as dropped', async () => {
    const writer = create();
    writer.add('a');
    const stopping = writer.stop();
    writer.add('b');
    await stopping;
    expect(rowsOf(stored).join('')).toBe('ab');
    writer.add('c');
    await vi.advanceTimersByTimeAsync(5_000);
    expect([rowsOf(stored).join(''), dropped, writer.waiting]).toEqual(['ab', 1, 0]);
  });

  it('stopping while the database is unavailable counts what is lost', async () => {
    const writer = create();
    failure = unavailable;
    writer.add('a');
    await vi.advanceTimersByTimeAsync(600);
    writer.add('b');
    await writer.stop();
    expect([stored, dropped, writer.waiting]).toEqual([[], 2, 0]);
  });
});
