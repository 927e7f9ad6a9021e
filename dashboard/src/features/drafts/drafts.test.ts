import { expect, test } from 'vitest';
import { draftName, loadDraft, renameDraft, saveDraft } from './drafts.ts';

const session = (account: string, workspace: string) => ({
  account: { id: account },
  workspace: { id: workspace },
});

test('each person has a draft per workspace and preset', () => {
  const names = [
    draftName(session('ada', 'one'), undefined),
    draftName(session('ada', 'one'), 'support-bot'),
    draftName(session('ada', 'other'), 'support-bot'),
    draftName(session('alan', 'one'), 'support-bot'),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('a draft is deleted under the name that it had, unless there is one under the new name', () => {
  sessionStorage.clear();
  saveDraft('old', { text: 'first', slug: 'a' });
  renameDraft('old', 'new');
  expect([loadDraft('old'), loadDraft('new')?.text]).toEqual([undefined, 'first']);
  saveDraft('old', { text: 'second', slug: 'a' });
  renameDraft('old', 'new');
  expect([loadDraft('old')?.text, loadDraft('new')?.text]).toEqual(['second', 'first']);
});

test('drafts of a key, which belongs to a workspace, and of a person do not mix', () => {
  expect(draftName({ account: { id: 'key' }, workspace: undefined }, 'a')).not.toBe(
    draftName(session('key', 'one'), 'a'),
  );
});
