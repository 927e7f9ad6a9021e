import { expect, test } from 'vitest';
import type { PresetSummary } from '../../../../src/api/presets.ts';
import { type FetchPage, type LoadedPresets, loadPresets } from './load-presets.ts';

/** A server with presets, most recently changed first, that counts its requests. */
function serverWith(count: number) {
  let clock = count;
  let presets = Array.from({ length: count }, (_, index) => summary(`p${index}`, count - index));
  const requests: string[] = [];
  return {
    requests,
    fetchPage: (async (offset, limit) => {
      requests.push(`${offset}+${limit}`);
      return {
        data: presets.slice(offset, offset + limit),
        total_count: presets.length,
        total_count_exact: true,
      };
    }) satisfies FetchPage,
    remove: (id: string) => {
      presets = presets.filter((preset) => preset.id !== id);
    },
    touch: (id: string) => {
      clock += 1;
      presets = [summary(id, clock), ...presets.filter((preset) => preset.id !== id)];
    },
    ids: () => presets.map(({ id }) => id),
  };
}

function summary(id: string, time: number): PresetSummary {
  return { id, updated_at: new Date(time * 1000).toISOString() } as PresetSummary;
}

const idsOf = ({ presets }: LoadedPresets) => presets.map(({ id }) => id);
const ignore = () => undefined;

test('a short list is loaded with one request', async () => {
  const server = serverWith(3);
  const loaded = await loadPresets({ fetchPage: server.fetchPage, onProgress: ignore });
  expect(loaded).toMatchObject({ totalCount: 3, isComplete: true });
  expect(server.requests).toEqual(['0+100']);
});

test('a long list is loaded a few pages at a time, and each step is reported', async () => {
  const server = serverWith(1_250);
  const lengths: number[] = [];
  const onProgress = (loaded: LoadedPresets) => lengths.push(loaded.presets.length);
  const loaded = await loadPresets({ fetchPage: server.fetchPage, onProgress });
  expect(idsOf(loaded)).toEqual(server.ids());
  expect(lengths).toEqual([100, 600, 1_100]);
  expect(server.requests).toHaveLength(13);
});

test('a list beyond the limit is loaded partly, and marked as incomplete', async () => {
  const server = serverWith(10_001);
  const loaded = await loadPresets({ fetchPage: server.fetchPage, onProgress: ignore });
  expect(loaded.presets).toHaveLength(10_000);
  expect(loaded).toMatchObject({ totalCount: 10_001, isComplete: false });
});

test.each<[string, (server: ReturnType<typeof serverWith>) => void]>([
  ['changes', (server) => server.touch('p149')],
  ['leaves the list', (server) => server.remove('p3')],
  ['joins the list', (server) => server.touch('new')],
])('no preset is missed when one %s between two pages', async (_what, change) => {
  const server = serverWith(150);
  const loaded = await loadPresets({ fetchPage: server.fetchPage, onProgress: () => change(server) });
  expect(idsOf(loaded)).toEqual(server.ids());
});

test('a reload of an unchanged list reads one page and reports no progress', async () => {
  const server = serverWith(1_200);
  const known = await loadPresets({ fetchPage: server.fetchPage, onProgress: ignore });
  server.requests.length = 0;
  const onProgress = () => expect.unreachable();
  const again = await loadPresets({ fetchPage: server.fetchPage, known, onProgress });
  expect(again).toBe(known);
  expect(server.requests).toEqual(['0+100']);
});

test.each<[string, (server: ReturnType<typeof serverWith>) => void, number]>([
  ['a changed preset', (server) => server.touch('p700'), 1],
  ['a new preset', (server) => server.touch('new'), 1],
  ['a preset that has left the list', (server) => server.remove('p700'), 13],
  [
    'one preset that came and one that left',
    (server) => {
      server.touch('new');
      server.remove('p700');
    },
    13,
  ],
  [
    'more changes than fit on a page',
    (server) => {
      for (let index = 500; index < 620; index += 1) server.touch(`p${index}`);
    },
    13,
  ],
])('a reload finds %s', async (_what, change, requests) => {
  const server = serverWith(1_200);
  const known = await loadPresets({ fetchPage: server.fetchPage, onProgress: ignore });
  server.requests.length = 0;
  change(server);
  const again = await loadPresets({ fetchPage: server.fetchPage, known, onProgress: ignore });
  expect(idsOf(again)).toEqual(server.ids());
  expect(server.requests).toHaveLength(requests);
});
