import { describe, expect, it } from 'vitest';
import { walkForPage } from './walk-list.ts';

interface Position {
  readonly id: string;
}

/** Steps over a list of numbers, of which some match, in chunks of four. */
function walkOver(length: number, matches: (number: number) => boolean) {
  const chunkStarts: number[] = [];
  const at = (number: number): Position => ({ id: String(number) });
  const from = (after: Position) => Number(after.id) + 1;
  return {
    chunkStarts,
    start: at(-1),
    async matches(after: Position, limit: number) {
      chunkStarts.push(from(after));
      const chunk = Array.from(
        { length: Math.min(4, length - from(after)) },
        (_, index) => from(after) + index,
      );
      return chunk.filter(matches).slice(0, limit).map(at);
    },
    chunkEnd: async (after: Position) => (from(after) + 4 <= length ? at(from(after) + 3) : undefined),
  };
}

const isEven = (number: number) => number % 2 === 0;

describe('walkForPage', () => {
  it.each([
    [{ offset: 0, limit: 2 }, ['0', '2'], 3, false],
    [{ offset: 2, limit: 2 }, ['4', '6'], 5, false],
    [{ offset: 3, limit: 1 }, ['6'], 5, false],
    [{ offset: 4, limit: 2 }, ['8'], 5, true],
    [{ offset: 3, limit: 2 }, ['6', '8'], 5, true],
    [{ offset: 5, limit: 2 }, [], 5, true],
    [{ offset: 99, limit: 2 }, [], 5, true],
  ])(
    'the page %j has the matches %j and a total of %d (exact: %s)',
    async (page, ids, totalCount, isTotalExact) => {
      expect(await walkForPage(walkOver(10, isEven), page)).toEqual({ ids, totalCount, isTotalExact });
    },
  );

  it('a walk reads no more chunks than a page needs', async () => {
    const steps = walkOver(1_000, isEven);
    await walkForPage(steps, { offset: 0, limit: 3 });
    expect(steps.chunkStarts).toEqual([0, 4]);
  });

  it('a walk ends when the last chunk is exactly full or the list is empty', async () => {
    const none = { ids: [], totalCount: 0, isTotalExact: true };
    expect(
      await walkForPage(
        walkOver(8, () => false),
        { offset: 0, limit: 3 },
      ),
    ).toEqual(none);
    expect(
      await walkForPage(
        walkOver(0, () => true),
        { offset: 0, limit: 3 },
      ),
    ).toEqual(none);
  });

  it('a walk yields to the event loop between chunks', async () => {
    let ticks = 0;
    let next = setImmediate(function countTick() {
      ticks += 1;
      next = setImmediate(countTick);
    });
    const slow = walkOver(400, () => false);
    await walkForPage(slow, { offset: 0, limit: 1 });
    clearImmediate(next);
    expect(slow.chunkStarts).toHaveLength(101);
    expect(ticks).toBeGreaterThan(90);
  });
});
