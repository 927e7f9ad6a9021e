import { beforeEach, expect, test, vi } from 'vitest';
import type { DraftSender } from '../../features/drafts/draft-sender.ts';
import { loadDraft, saveDraft } from '../../features/drafts/drafts.ts';
import { reviseDraft } from './shown-draft.ts';

const want = vi.fn<DraftSender['want']>();
const home = { name: 'ada/1', slug: 'bot', presetId: '1', sender: { want } as unknown as DraftSender };
/** The text on screen when the user left the page. */
const last = { text: 'a', dialect: 'messages', from: 3 } as const;

beforeEach(() => {
  sessionStorage.clear();
  want.mockClear();
});

test('without a workbench on the page, the stored draft is revised and sent to the server', () => {
  saveDraft('ada/1', { text: 'newer', slug: 'old-name', note: 'Why', dialect: 'responses', from: 4 });
  expect(reviseDraft(home, last, (text) => `${text}!`)).toBe(true);
  const revised = { text: 'newer!', slug: 'bot', note: 'Why', dialect: 'responses', from: 4 };
  expect(loadDraft('ada/1')).toEqual(revised);
  expect(want.mock.calls).toEqual([[{ text: 'newer!', dialect: 'responses', base_version: 4 }]]);
});

test('a text that equaled its version, and was therefore not stored, is revised, too', () => {
  expect(reviseDraft(home, last, (text) => `${text}!`)).toBe(true);
  expect(loadDraft('ada/1')).toEqual({ text: 'a!', dialect: 'messages', from: 3, slug: 'bot' });
  expect(want.mock.calls).toEqual([[{ text: 'a!', dialect: 'messages', base_version: 3 }]]);
});

test('a draft that cannot be revised any more stays as it is', () => {
  saveDraft('ada/1', { text: 'newer', slug: 'bot', from: 4 });
  expect(reviseDraft(home, last, () => undefined)).toBe(false);
  expect(loadDraft('ada/1')?.text).toBe('newer');
  expect(want).not.toHaveBeenCalled();
});
