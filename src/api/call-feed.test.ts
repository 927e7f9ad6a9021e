import { expect, it } from 'vitest';
import { type CallsPage, createCallFeed } from './call-feed.ts';
import type { Generation } from './generations.ts';

const start = Date.parse('2026-11-19T10:00:00.000Z');

/** A call that arrived so many seconds after the start. */
function call(id: string, second: number, totalMs = 100): Generation {
  const time = new Date(start + second * 1_000).toISOString();
  return { id, created_at: time, presetd: { total_ms: totalMs } } as Generation;
}

/** A server whose pages have two calls. */
function fakeServer() {
  let calls: readonly Generation[] = [];
  let isDown = false;
  let reads = 0;
  const feed = createCallFeed(async (cursor): Promise<CallsPage> => {
    reads += 1;
    if (isDown) throw new Error('down');
    const sorted = calls.toSorted((one, other) => other.created_at.localeCompare(one.created_at));
    const from = sorted.findIndex(({ id }) => id === cursor) + 1;
    const data = sorted.slice(from, from + 2);
    return { data, next_cursor: from + 2 < sorted.length ? (data.at(-1)?.id ?? null) : null };
  });
  const look = async () => {
    reads = 0;
    const { calls: found, isCutOff, isGap } = await feed.look();
    return { ids: found.map(({ id }) => id), isCutOff, isGap, reads };
  };
  return {
    look,
    add: (...more: Generation[]) => {
      calls = [...calls, ...more];
    },
    setDown: (down: boolean) => {
      isDown = down;
    },
  };
}

const seconds = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

it('a look returns each new call once, in the order in which they ended', async () => {
  const { look, add } = fakeServer();
  expect(await look()).toEqual({ ids: [], isCutOff: false, isGap: false, reads: 1 });
  add(call('slow', 1, 9_000), call('quick', 2), call('last', 3, 50_000));
  expect((await look()).ids).toEqual(['quick', 'slow', 'last']);
  expect((await look()).ids).toEqual([]);
});

it('a look reads no further than the first page with a known call', async () => {
  const { look, add } = fakeServer();
  add(...seconds(10).map((second) => call(`${second}`, second)));
  await look();
  add(...seconds(3, 10).map((second) => call(`${second}`, second)));
  expect(await look()).toEqual({ ids: ['10', '11', '12'], isCutOff: false, isGap: false, reads: 2 });
});

it('a call that ended long after later ones appears within ten looks', async () => {
  const { look, add } = fakeServer();
  add(...seconds(10, 10).map((second) => call(`${second}`, second)));
  await look();
  add(call('long', 0, 60_000));
  const found = [];
  for (let looks = 0; looks < 10; looks += 1) found.push(...(await look()).ids);
  expect(found).toEqual(['long']);
});

it('calls that a failed look missed appear in the next, however many there were', async () => {
  const { look, add, setDown } = fakeServer();
  add(call('first', 0));
  await look();
  add(...seconds(6, 10).map((second) => call(`${second}`, second)));
  setDown(true);
  await expect(look()).rejects.toThrow('down');
  setDown(false);
  add(call('later', 3_600));
  expect((await look()).ids).toEqual(['10', '11', '12', '13', '14', '15', 'later']);
  expect((await look()).ids).toEqual([]);
});

it('calls from before the first look never appear, even if it did not read all of them', async () => {
  const { look, add } = fakeServer();
  add(...seconds(100).map((second) => call(`${second}`, second)));
  expect(await look()).toMatchObject({ isCutOff: true, isGap: false, reads: 20 });
  // The tenth is cut off too, but everything new is above a known call.
  for (let looks = 0; looks < 11; looks += 1) expect(await look()).toMatchObject({ ids: [], isGap: false });
});

it('a look that cannot read all new calls says so', async () => {
  const { look, add } = fakeServer();
  add(call('first', 0));
  await look();
  add(...seconds(41, 1).map((second) => call(`${second}`, second)));
  const { ids, isCutOff, isGap } = await look();
  expect([ids.length, ids[0], isCutOff, isGap]).toEqual([40, '2', true, true]);
});

it('a look forgets calls that are too old to be listed with new ones, and does not repeat them', async () => {
  const { look, add } = fakeServer();
  add(call('old', 0));
  await look();
  add(call('new', 601));
  expect((await look()).ids).toEqual(['new']);
  for (let looks = 0; looks < 11; looks += 1) expect((await look()).ids).toEqual([]);
});

it('a look ends at an empty page, after which the search for rare calls could go on for long', async () => {
  let reads = 0;
  const feed = createCallFeed(async (): Promise<CallsPage> => {
    reads += 1;
    return { data: [], next_cursor: 'gen-1' };
  });
  expect(await feed.look()).toEqual({ calls: [], isCutOff: false, isGap: false });
  await feed.look();
  expect(reads).toBe(2);
});
