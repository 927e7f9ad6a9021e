import { describe, expect, it } from 'vitest';
import { defaultContentLog } from '../content-log/content-log-settings.ts';
import type { Member } from './organization.ts';
import type { Workspace } from './workspace.ts';
import {
  addWorkspaceMembers,
  changeWorkspaceRole,
  deleteWorkspace,
  editWorkspace,
  removeWorkspaceMembers,
  type WorkspaceCandidate,
  workspaceCreated,
} from './workspace-change.ts';

const at = '2026-01-02T00:00:00.000Z';
const workspace: Workspace = {
  id: 'workspace',
  organizationId: 'org',
  slug: 'room',
  name: 'Room',
  description: null,
  createdBy: 'user_a',
  createdAt: at,
  updatedAt: null,
  isDefault: false,
  memberCount: 2,
  contentLog: defaultContentLog,
};
const defaultWorkspace = { ...workspace, isDefault: true };
const memberOf = (id: string): Member => ({
  id,
  email: `${id}@example.com`,
  firstName: '',
  lastName: '',
  role: 'org:member',
  workspaceRole: 'admin',
  deactivatedAt: null,
});
const candidate = (userId: string, details: Partial<WorkspaceCandidate> = {}): WorkspaceCandidate => ({
  userId,
  member: memberOf(userId),
  workspaceRole: undefined,
  activeKeys: 0,
  ...details,
});
const existingMember = (userId: string, activeKeys = 0) =>
  candidate(userId, { workspaceRole: 'editor', activeKeys });
const stranger = (userId: string) => candidate(userId, { member: undefined });
const invalid = (...issues: readonly object[]) =>
  expect.objectContaining({
    kind: 'invalid_request',
    ...(issues.length > 0 && { issues: issues.map((issue) => expect.objectContaining(issue)) }),
  });

describe('editWorkspace', () => {
  it('editing a workspace changes only the given fields, with one event per difference', () => {
    const change = editWorkspace({ slug: 'hall', description: 'Large' })(workspace, 9, at);
    expect(change).toMatchObject({
      at,
      next: { ...workspace, slug: 'hall', description: 'Large', updatedAt: at },
    });
    expect(change?.events.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['workspace.slug_changed', { slug: 'room' }, { slug: 'hall' }],
      ['workspace.described', { description: null }, { description: 'Large' }],
    ]);
    for (const event of change?.events ?? [])
      expect(event).toMatchObject({ workspaceId: 'workspace', subject: { id: 'workspace', name: 'room' } });
  });

  it('null removes the description of a workspace, undefined keeps it', () => {
    const described = { ...workspace, description: 'Large' };
    expect(editWorkspace({ description: null })(described, 0, at)?.next?.description).toBeNull();
    expect(editWorkspace({ description: undefined, name: 'X' })(described, 0, at)?.next?.description).toBe(
      'Large',
    );
  });

  it.each([{}, { name: 'Room' }, { slug: 'room', description: null }])(
    'editing a workspace to %o changes nothing if that is already the case',
    (changes) => {
      expect(editWorkspace(changes)(workspace, 0, at)).toBeUndefined();
    },
  );
});

describe('deleteWorkspace', () => {
  it('deleting a workspace records its last state', () => {
    expect(deleteWorkspace(workspace, 0, at)).toMatchObject({
      at,
      next: null,
      events: [{ kind: 'workspace.deleted', before: { slug: 'room', name: 'Room' }, after: null }],
    });
  });

  it.each([
    ['the default workspace', defaultWorkspace, 0, /default/],
    ['a workspace with an active key', workspace, 1, /an active key\. Disable or delete it/],
    ['a workspace with active keys', workspace, 2, /still has active keys\. Disable or delete them/],
  ])('%s cannot be deleted', (_, current, activeKeys, message) => {
    expect(() => deleteWorkspace(current, activeKeys, at)).toThrow(invalid());
    expect(() => deleteWorkspace(current, activeKeys, at)).toThrow(message);
  });
});

it('creating a workspace records it, then its creator if they are still a member', () => {
  const kinds = (creator: Member | undefined) => workspaceCreated(workspace, creator).map(({ kind }) => kind);
  expect(kinds(memberOf('user_a'))).toEqual(['workspace.created', 'workspace.member_added']);
  expect(kinds(undefined)).toEqual(['workspace.created']);
});

describe('addWorkspaceMembers', () => {
  it('users who are not in the workspace yet are added in order, each once', () => {
    const candidates = [
      candidate('user_c'),
      existingMember('user_a'),
      candidate('user_b'),
      candidate('user_c'),
    ];
    const change = addWorkspaceMembers('viewer')(workspace, candidates, at);
    expect(change).toMatchObject({ at, userIds: ['user_c', 'user_b'] });
    expect(change.events.map(({ kind, after }) => [kind, after])).toEqual([
      ['workspace.member_added', { user_id: 'user_c', email: 'user_c@example.com', role: 'viewer' }],
      ['workspace.member_added', { user_id: 'user_b', email: 'user_b@example.com', role: 'viewer' }],
    ]);
  });

  it('nobody is added to the default workspace, to which everyone belongs', () => {
    expect(addWorkspaceMembers('viewer')(defaultWorkspace, [existingMember('user_a')], at)).toEqual({
      at,
      userIds: [],
      role: 'viewer',
      events: [],
    });
  });

  it('every user who cannot be added is reported, and nobody is added', () => {
    const candidates = [stranger('user_x'), candidate('user_a'), stranger('user_y')];
    for (const target of [workspace, defaultWorkspace])
      expect(() => addWorkspaceMembers('viewer')(target, candidates, at)).toThrow(
        invalid({ path: '/user_ids/0' }, { path: '/user_ids/2' }),
      );
  });
});

describe('changeWorkspaceRole', () => {
  it('the role of a member changes, with an event', () => {
    const change = changeWorkspaceRole('admin')(workspace, [existingMember('user_a')], at);
    expect(change).toMatchObject({ at, userIds: ['user_a'], role: 'admin' });
    expect(change.events.map(({ kind, before, after }) => [kind, before?.role, after?.role])).toEqual([
      ['workspace.member_role_changed', 'editor', 'admin'],
    ]);
  });

  it('a role that the member already has causes no event', () => {
    expect(changeWorkspaceRole('editor')(workspace, [existingMember('user_a')], at).events).toEqual([]);
  });

  it.each([
    ['someone outside the organization', stranger('user_x'), 'not_found'],
    ['someone outside the workspace', candidate('user_a'), 'not_found'],
    [
      'an org:admin, who is an admin of every workspace',
      candidate('user_a', { workspaceRole: 'admin', member: { ...memberOf('user_a'), role: 'org:admin' } }),
      'conflict',
    ],
  ])('the role of %s cannot be changed', (_, who, kind) => {
    expect(() => changeWorkspaceRole('viewer')(workspace, [who], at)).toThrow(
      expect.objectContaining({ kind }),
    );
  });
});

describe('removeWorkspaceMembers', () => {
  it('workspace members are removed in order, each once, including users who left the organization', () => {
    const formerMember = { ...existingMember('user_x'), member: undefined };
    const candidates = [existingMember('user_b'), stranger('user_y'), formerMember, existingMember('user_b')];
    const change = removeWorkspaceMembers(workspace, candidates, at);
    expect(change).toMatchObject({ at, userIds: ['user_b', 'user_x'], role: null });
    expect(change.events.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['workspace.member_removed', { user_id: 'user_b', email: 'user_b@example.com' }, null],
      ['workspace.member_removed', { user_id: 'user_x', email: null }, null],
    ]);
  });

  it('every user with active keys in the workspace is reported, and nobody is removed', () => {
    const candidates = [existingMember('user_a', 1), existingMember('user_b'), existingMember('user_c', 2)];
    expect(() => removeWorkspaceMembers(workspace, candidates, at)).toThrow(
      invalid(
        { path: '/user_ids/0', message: expect.stringContaining('an active key') },
        { path: '/user_ids/2', message: expect.stringContaining('active keys') },
      ),
    );
  });

  it('members cannot be removed from the default workspace', () => {
    expect(() => removeWorkspaceMembers(defaultWorkspace, [existingMember('user_a')], at)).toThrow(invalid());
  });
});
