import { afterEach, expect, test, vi } from 'vitest';
import { createApi } from '../../api/api.ts';
import { type Release, releases } from './undo-offers.ts';

const release = (version: number): Release => ({
  version,
  liveBefore: undefined,
  labels: [],
  draft: { text: '{}', dialect: 'chat-completions', from: version - 1 },
});

afterEach(() => {
  vi.useRealTimers();
});

const owner = (id: string) => ({ api: createApi(undefined), account: { id } });

test('a save can be undone for ten minutes, on any page of the same person', () => {
  vi.useFakeTimers();
  const ada = owner('ada');
  releases.offer(ada, 'bot', release(2));
  vi.advanceTimersByTime(9 * 60_000);
  releases.offer(ada, 'bot', release(3));
  vi.advanceTimersByTime(2 * 60_000);
  // The end of the first offer does not end the second.
  expect(releases.of(ada).get().get('bot')?.version).toBe(3);
  expect(releases.of(owner('grace')).get().size).toBe(0);
  // As after a reload.
  const reloaded = owner('ada');
  expect(releases.of(reloaded).get().get('bot')?.version).toBe(3);
  vi.advanceTimersByTime(8 * 60_000);
  for (const each of [ada, reloaded, owner('ada')]) expect(releases.of(each).get().size).toBe(0);
});

test('withdrawing an offer keeps those of other presets', () => {
  const ada = owner('ada');
  releases.offer(ada, 'bot', release(2));
  releases.offer(ada, 'other', release(5));
  for (const [id, offer] of releases.of(ada).get()) if (id === 'bot') releases.withdraw(ada, id, offer);
  expect([...releases.of(ada).get().keys()]).toEqual(['other']);
});
