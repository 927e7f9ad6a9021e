import { afterEach, expect, test, vi } from 'vitest';
import { createApi } from '../../api/api.ts';
import { offerUndo, type Release, recentReleases, withdrawUndo } from './recent-release.ts';

const release = (version: number): Release => ({
  version,
  liveBefore: undefined,
  labels: [],
  text: '{}',
  dialect: 'chat-completions',
  baseBefore: version - 1,
  etag: `"${version}"`,
});

afterEach(() => {
  vi.useRealTimers();
});

test('a save can be undone for ten minutes, on any page of the same session', () => {
  vi.useFakeTimers();
  const [api, nextSession] = [createApi(undefined), createApi(undefined)];
  offerUndo(api, 'bot', release(2));
  vi.advanceTimersByTime(9 * 60_000);
  offerUndo(api, 'bot', release(3));
  vi.advanceTimersByTime(2 * 60_000);
  // The end of the first offer does not end the second.
  expect(recentReleases(api).get().get('bot')?.version).toBe(3);
  expect(recentReleases(nextSession).get().size).toBe(0);
  vi.advanceTimersByTime(8 * 60_000);
  expect(recentReleases(api).get().size).toBe(0);
});

test('withdrawing an offer keeps those of other presets', () => {
  const api = createApi(undefined);
  const undone = release(2);
  offerUndo(api, 'bot', undone);
  offerUndo(api, 'other', release(5));
  withdrawUndo(api, 'bot', undone);
  expect([...recentReleases(api).get().keys()]).toEqual(['other']);
});
