import { afterEach, expect, test, vi } from 'vitest';
import { createApi } from '../../api/api.ts';
import { discardedDrafts, type Offer, type Release, releases } from './undo-offers.ts';

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
  expect(releases.of(ada).get().get('bot')).toMatchObject([{ version: 3 }]);
  expect(releases.of(owner('grace')).get().size).toBe(0);
  // As after a reload.
  const reloaded = owner('ada');
  expect(releases.of(reloaded).get().get('bot')).toMatchObject([{ version: 3 }]);
  vi.advanceTimersByTime(8 * 60_000);
  for (const each of [ada, reloaded, owner('ada')]) expect(releases.of(each).get().size).toBe(0);
});

test('withdrawing an offer keeps those of other presets', () => {
  const ada = owner('ada');
  releases.offer(ada, 'bot', release(2));
  releases.offer(ada, 'other', release(5));
  const [offer] = releases.of(ada).get().get('bot') ?? [];
  releases.withdraw(ada, 'bot', offer as Offer<Release>);
  expect([...releases.of(ada).get().keys()]).toEqual(['other']);
});

test('discarding a draft keeps earlier ones, and undo restores them one after another', () => {
  const ada = owner('ada');
  const texts = () => (discardedDrafts.of(ada).get().get('bot') ?? []).map(({ text }) => text);
  const draft = (text: string) => ({ text, dialect: 'messages' as const, note: undefined, from: 1 });
  for (const text of ['long', 'short']) discardedDrafts.offer(ada, 'bot', draft(text));
  expect(texts()).toEqual(['short', 'long']);
  // Restoring one discards the draft on screen, which goes to the end of the list.
  const [short] = discardedDrafts.of(ada).get().get('bot') ?? [];
  if (short) discardedDrafts.withdraw(ada, 'bot', short);
  discardedDrafts.offer(ada, 'bot', draft('on screen'), 'last');
  expect(texts()).toEqual(['long', 'on screen']);
  for (const text of ['3', '4', '5', '6']) discardedDrafts.offer(ada, 'bot', draft(text));
  expect(texts()).toEqual(['6', '5', '4', '3', 'long']);
});

test('withdrawing an offer that is gone keeps those after it', () => {
  const ada = owner('ada');
  const first = releases.offer(ada, 'bot', release(2));
  const second = releases.offer(ada, 'bot', release(3));
  const before = releases.of(ada).get();
  releases.withdraw(ada, 'bot', first);
  expect(releases.of(ada).get()).toBe(before);
  releases.withdraw(ada, 'bot', second);
  expect(releases.of(ada).get().has('bot')).toBe(false);
});

test('nothing is stored after the session has ended', () => {
  vi.useFakeTimers();
  sessionStorage.clear();
  const ada = owner('ada');
  const signedOut = new AbortController();
  const session = { ...ada, api: { ...ada.api, ended: signedOut.signal } };
  releases.offer(session, 'bot', release(2));
  signedOut.abort();
  // As signing out does.
  sessionStorage.clear();
  discardedDrafts.offer(session, 'bot', { text: 'typed', from: 1 });
  vi.advanceTimersByTime(11 * 60_000);
  expect(sessionStorage.length).toBe(0);
});

test('offers of a session continue when its key is replaced', () => {
  vi.useFakeTimers();
  const before = owner('ada');
  const after = { ...before, api: before.api.withKey('sk-pst-2') };
  releases.offer(before, 'bot', release(2));
  releases.offer(after, 'other', release(5));
  vi.advanceTimersByTime(5 * 60_000);
  releases.offer(after, 'third', release(1));
  // The first two have expired, although they were made with different keys.
  vi.advanceTimersByTime(6 * 60_000);
  expect([...releases.of(owner('ada')).get().keys()]).toEqual(['third']);
});
