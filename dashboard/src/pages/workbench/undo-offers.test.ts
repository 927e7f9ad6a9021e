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

test('a save can be undone for ten minutes, on any page of the same session', () => {
  vi.useFakeTimers();
  const [api, nextSession] = [createApi(undefined), createApi(undefined)];
  releases.offer(api, 'bot', release(2));
  vi.advanceTimersByTime(9 * 60_000);
  releases.offer(api, 'bot', release(3));
  vi.advanceTimersByTime(2 * 60_000);
  // The end of the first offer does not end the second.
  expect(releases.of(api).get().get('bot')?.version).toBe(3);
  expect(releases.of(nextSession).get().size).toBe(0);
  vi.advanceTimersByTime(8 * 60_000);
  expect(releases.of(api).get().size).toBe(0);
});

test('withdrawing an offer keeps those of other presets', () => {
  const api = createApi(undefined);
  const undone = release(2);
  releases.offer(api, 'bot', undone);
  releases.offer(api, 'other', release(5));
  releases.withdraw(api, 'bot', undone);
  expect([...releases.of(api).get().keys()]).toEqual(['other']);
});
