import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';
import { fetchAllRows } from './row-source.ts';

interface Row {
  readonly id: string;
}

const keyOf = ({ id }: Row) => id;
const rowsFrom = (start: number, end: number): Row[] =>
  Array.from({ length: end - start }, (_, index) => ({ id: String(start + index) }));
/** Pages of a list of `count` rows, ten at a time. */
const pagesOf =
  (count: number) =>
  async (offset = 0) => {
    const end = Math.min(offset + 10, count);
    return { rows: rowsFrom(offset, end), next: end < count ? end : undefined };
  };
const start = () => {
  const controller = new AbortController();
  const counts: number[] = [];
  return {
    controller,
    counts,
    options: { signal: controller.signal, onProgress: (n: number) => counts.push(n) },
  };
};

describe('fetchAllRows', () => {
  it('reads every page and reports the progress', async () => {
    const { counts, options } = start();
    expect(await fetchAllRows(pagesOf(25), keyOf, options)).toEqual({ rows: rowsFrom(0, 25), isCut: false });
    expect(counts).toEqual([10, 20, 25]);
  });

  it('says when it stops before the end', async () => {
    const { options } = start();
    const { rows, isCut } = await fetchAllRows(pagesOf(1_000), keyOf, options, { rowsMax: 15 });
    expect([rows.length, isCut]).toEqual([15, true]);
  });

  it('has each row once if rows were added while it read', async () => {
    const { options } = start();
    const shifted = async (offset = 0) => ({
      rows: rowsFrom(Math.max(0, offset - 3), offset + 10),
      next: offset === 0 ? 10 : undefined,
    });
    expect((await fetchAllRows(shifted, keyOf, options)).rows).toEqual(rowsFrom(0, 20));
  });

  it('waits for a busy server, and fails with any other error', async () => {
    const { options } = start();
    const waits: number[] = [];
    let attempts = 0;
    const busyOnce = async (offset = 0) => {
      attempts += 1;
      if (attempts < 3) throw new ApiError(attempts === 1 ? 429 : 503, 'busy');
      return pagesOf(5)(offset);
    };
    const wait = async (ms: number) => void waits.push(ms);
    expect((await fetchAllRows(busyOnce, keyOf, options, { wait })).rows).toHaveLength(5);
    expect(waits).toEqual([1_000, 2_000]);
    const refusing = async () => {
      throw new ApiError(403, 'no');
    };
    await expect(fetchAllRows(refusing, keyOf, options, { wait })).rejects.toThrow('no');
  });

  it('stops waiting when it is aborted', async () => {
    const { controller, options } = start();
    const busy = async () => {
      controller.abort(new Error('stopped'));
      throw new ApiError(429, 'busy');
    };
    await expect(fetchAllRows(busy, keyOf, options)).rejects.toThrow('busy');
  });
});
