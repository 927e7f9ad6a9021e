import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Session } from '../../api/session.ts';
import type { DraftSender } from './draft-sender.ts';
import { draftName, loadDraft, saveDraft } from './drafts.ts';
import { handOverDraft, localDraft } from './server-draft.ts';

beforeEach(() => sessionStorage.clear());

const senderOf = (received: string | undefined, isUnsent = false) =>
  ({
    isUnsent: () => isUnsent,
    hasReceived: (text: string) => text === received,
    forget: vi.fn<() => void>(),
  }) as unknown as DraftSender;

describe('a text for the workbench of a preset', () => {
  const text = { text: 'handed over', slug: 'bot' };

  test.each([
    ['the tab has no draft', undefined, undefined],
    ['the server has received the draft of the tab', 'mine', 'mine'],
  ])('is handed over if %s', (_, stored, received) => {
    if (stored !== undefined) saveDraft('ada/1', { text: stored, slug: 'bot' });
    const sender = senderOf(received);
    expect(handOverDraft(sender, 'ada/1', text)).toBe(true);
    expect(loadDraft('ada/1')).toEqual(text);
    // Otherwise it would replace the draft of the server without a question.
    expect(sender.forget).toHaveBeenCalledOnce();
  });

  test.each([
    ['has a draft that the server has not received', 'mine', false],
    ['is still sending the text of a draft that it has received', 'theirs', true],
    ['is still discarding its draft', undefined, true],
  ])('is not handed over if the tab %s', (_, stored, isUnsent) => {
    if (stored !== undefined) saveDraft('ada/1', { text: stored, slug: 'bot' });
    const sender = senderOf('theirs', isUnsent);
    expect(handOverDraft(sender, 'ada/1', text)).toBe(false);
    expect(loadDraft('ada/1')?.text).toBe(stored);
    expect(sender.forget).not.toHaveBeenCalled();
  });
});

describe('the draft of a tab', () => {
  const session = { account: { id: 'ada' }, workspace: { id: 'w' } } as Session;
  const preset = { id: '1', slug: 'bot' };
  const before = { preset: { designated_version: { version: 4 } } } as never;

  test('is found by the slug that presetd 0.6 stored it under, from the version that was live', () => {
    saveDraft(draftName(session, 'bot'), { text: 'old', slug: 'bot', before });
    expect(localDraft(session, preset)).toMatchObject({ text: 'old', from: 4 });
    // Once it has its new name, a rename of the preset does not matter.
    expect(localDraft(session, { id: '1', slug: 'renamed' })).toMatchObject({ text: 'old', slug: 'renamed' });
  });

  test('of two drafts, the one under the id of the preset is used', () => {
    saveDraft(draftName(session, 'bot'), { text: 'old', slug: 'bot' });
    saveDraft(draftName(session, '1'), { text: 'new', slug: 'bot', from: 2, before });
    expect(localDraft(session, preset)).toMatchObject({ text: 'new', from: 2 });
    expect(localDraft(session, { id: '2', slug: 'other' })).toBeUndefined();
  });
});
