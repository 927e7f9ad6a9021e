import { expect, it } from 'vitest';
import { adminCaller } from '../../../test/support/callers.ts';
import type { WorkspaceStore } from './organization-storage.ts';
import { createWorkspaces } from './workspaces.ts';

const caller = adminCaller;
const absent = () => expect.fail('the store must not be called');
const store: WorkspaceStore = {
  list: absent,
  find: absent,
  create: absent,
  change: absent,
  members: absent,
  changeMembers: absent,
};
const authenticator = {
  authenticate: absent,
  authenticateSession: absent,
  reauthenticate: absent,
  invalidateAfter: <T>(work: Promise<T>) => work,
};
const workspaces = createWorkspaces(store, () => '2026-01-02T00:00:00.000Z', authenticator, authenticator);

it.each(['\u0000', 'user_\ud800'])('the user id %j is rejected without querying the database', async (id) => {
  for (const change of [workspaces.addMembers, workspaces.removeMembers])
    await expect(change(caller, 'room', ['user_ada', id], 'viewer')).rejects.toMatchObject({
      kind: 'invalid_request',
      issues: [{ path: '/user_ids/1' }],
    });
});

it('an unstorable workspace name is not found, without querying the database', async () => {
  for (const attempt of [
    () => workspaces.get(caller, '\u0000'),
    () => workspaces.edit(caller, '\u0000', { name: 'X' }),
    () => workspaces.delete(caller, '\u0000'),
    () => workspaces.addMembers(caller, '\u0000', ['user_ada'], 'viewer'),
    () => workspaces.members(caller, '\u0000', { offset: 0, limit: 1 }),
  ])
    await expect(attempt()).rejects.toMatchObject({ kind: 'not_found' });
});

it.each([
  [{ slug: '01942a00-0000-7000-8000-00000000000a' }, '/slug'],
  [{ name: 'two\nlines' }, '/name'],
  [{ description: '\u0000' }, '/description'],
])('creating or editing a workspace rejects %j', async (changes, path) => {
  const error = { kind: 'invalid_request', issues: [{ path }] };
  const details = { name: 'Room', slug: 'room', description: null, ...changes };
  await expect(workspaces.create(caller, details)).rejects.toMatchObject(error);
  await expect(workspaces.edit(caller, 'room', changes)).rejects.toMatchObject(error);
});

it.each([
  ['an org:member', { ...caller, ownerRole: 'org:member' as const }],
  ['a read-only key', { ...caller, readOnly: true }],
])('%s cannot change workspaces', async (_, by) => {
  for (const attempt of [
    () => workspaces.create(by, { name: 'Room', slug: 'room', description: null }),
    () => workspaces.edit(by, 'room', { name: 'X' }),
    () => workspaces.delete(by, 'room'),
  ])
    await expect(attempt()).rejects.toMatchObject({ kind: 'forbidden' });
});
