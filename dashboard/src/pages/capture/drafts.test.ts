import { expect, test } from 'vitest';
import { draftName } from './drafts.ts';

test('organizations, workspaces and presets have separate drafts', () => {
  const management = (organization_id: string) => ({ organization_id, workspace_id: null });
  const names = [
    draftName({ key: management('one'), workspaceId: undefined }, undefined),
    draftName({ key: management('other'), workspaceId: undefined }, undefined),
    draftName({ key: management('one'), workspaceId: 'space' }, undefined),
    draftName({ key: management('one'), workspaceId: 'space' }, 'support-bot'),
  ];
  expect(new Set(names).size).toBe(names.length);
});

test('another key of the same workspace finds the same draft', () => {
  const key = { organization_id: 'one', workspace_id: 'space' };
  expect(draftName({ key, workspaceId: undefined }, 'support-bot')).toBe(
    draftName({ key: { ...key, workspace_id: null }, workspaceId: 'space' }, 'support-bot'),
  );
});
