import { expect, test } from 'vitest';
import { draftName } from './drafts.ts';

test('every place where something can be typed has a draft of its own', () => {
  const management = (organization_id: string) => ({ organization_id, workspace_id: null });
  const names = [
    draftName({ key: management('one'), workspaceId: undefined }, undefined),
    draftName({ key: management('other'), workspaceId: undefined }, undefined),
    draftName({ key: management('one'), workspaceId: 'space' }, undefined),
    draftName({ key: management('one'), workspaceId: 'space' }, 'support-bot'),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('what was typed with one key of a workspace is there for the next', () => {
  const key = { organization_id: 'one', workspace_id: 'space' };
  expect(draftName({ key, workspaceId: undefined }, 'support-bot')).toBe(
    draftName({ key: { ...key, workspace_id: null }, workspaceId: 'space' }, 'support-bot'),
  );
});
