import { describe, expect, it } from 'vitest';
import { walkForPage } from './walk-list.ts';

interface Place {
  readonly id: string;
}

/** A list of numbers of which some match, gone through four at a time. */
function stepsOver(length: number, matches: (number: number) => boolean) {
  const asked: number[] = [];
  const at = (number: number): Place => ({ id: String(number) });
  const from = (after: Place | undefined) => (after === undefined ? 0 : Number(after.id) + 1);
  return {
    asked,
    matches(after: Place | undefined, limit: number) {
      asked.push(from(after));
      const part = Array.from(
        { length: Math.min(4, length - from(after)) },
        (_, index) => from(after) + index,
      );
      return part.filter(matches).slice(0, limit).map(at);
    },
    end: (after: Place | undefined) => (from(after) + 4 <= length ? at(from(after) + 3) : undefined),
  };
}

const isEven = (number: number) => number % 2 === 0;

describe('a walk through a list', () => {
  it.each([
    [{ offset: 0, limit: 2 }, ['0', '2'], 3, false],
    [{ offset: 2, limit: 2 }, ['4', '6'], 5, false],
    [{ offset: 3, limit: 1 }, ['6'], 5, false],
    [{ offset: 4, limit: 2 }, ['8'], 5, true],
    [{ offset: 3, limit: 2 }, ['6', '8'], 5, true],
    [{ offset: 5, limit: 2 }, [], 5, true],
    [{ offset: 99, limit: 2 }, [], 5, true],
  ])('finds for %j the matches %j, and %d in all: %s', async (page, ids, totalCount, isTotalExact) => {
    expect(await walkForPage(stepsOver(10, isEven), page)).toEqual({ ids, totalCount, isTotalExact });
  });

  it('goes no further than a page needs', async () => {
    const steps = stepsOver(1_000, isEven);
    await walkForPage(steps, { offset: 0, limit: 3 });
    expect(steps.asked).toEqual([0, 4]);
  });

  it('ends with a part that is just full', async () => {
    const none = { ids: [], totalCount: 0, isTotalExact: true };
    expect(
      await walkForPage(
        stepsOver(8, () => false),
        { offset: 0, limit: 3 },
      ),
    ).toEqual(none);
    expect(
      await walkForPage(
        stepsOver(0, () => true),
        { offset: 0, limit: 3 },
      ),
    ).toEqual(none);
  });

  it('lets others have a turn between two parts', async () => {
    let turns = 0;
    let next = setImmediate(function turn() {
      turns += 1;
      next = setImmediate(turn);
    });
    const slow = stepsOver(400, () => false);
    await walkForPage(slow, { offset: 0, limit: 1 });
    clearImmediate(next);
    expect(slow.asked).toHaveLength(101);
    expect(turns).toBeGreaterThan(90);
  });
});
