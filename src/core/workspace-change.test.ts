import { describe, expect, it } from 'vitest';
import type { Member } from './organization.ts';
import type { Workspace } from './workspace.ts';
import {
  addWorkspaceMembers,
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
};
const inDefault = { ...workspace, isDefault: true };
const memberOf = (id: string): Member => ({
  id,
  email: `${id}@example.com`,
  firstName: '',
  lastName: '',
  role: 'org:member',
});
const candidate = (userId: string, details: Partial<WorkspaceCandidate> = {}): WorkspaceCandidate => ({
  userId,
  member: memberOf(userId),
  isWorkspaceMember: false,
  activeKeys: 0,
  ...details,
});
const inside = (userId: string, activeKeys = 0) => candidate(userId, { isWorkspaceMember: true, activeKeys });
const stranger = (userId: string) => candidate(userId, { member: undefined });
const invalid = (...issues: readonly object[]) =>
  expect.objectContaining({
    kind: 'invalid_request',
    ...(issues.length > 0 && { issues: issues.map((issue) => expect.objectContaining(issue)) }),
  });

describe('editing a workspace', () => {
  it('changes what is given, leaves the rest, and tells of each difference', () => {
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

  it('takes a description away with null, and leaves it with undefined', () => {
    const described = { ...workspace, description: 'Large' };
    expect(editWorkspace({ description: null })(described, 0, at)?.next?.description).toBeNull();
    expect(editWorkspace({ description: undefined, name: 'X' })(described, 0, at)?.next?.description).toBe(
      'Large',
    );
  });

  it.each([{}, { name: 'Room' }, { slug: 'room', description: null }])(
    'to %o is nothing where it is so already',
    (wanted) => {
      expect(editWorkspace(wanted)(workspace, 0, at)).toBeUndefined();
    },
  );
});

describe('deleting a workspace', () => {
  it('tells what it was', () => {
    expect(deleteWorkspace(workspace, 0, at)).toMatchObject({
      at,
      next: null,
      events: [{ kind: 'workspace.deleted', before: { slug: 'room', name: 'Room' }, after: null }],
    });
  });

  it.each([
    ['the default one', inDefault, 0, /default/],
    ['one with an active key', workspace, 1, /an active key\. Disable or delete it/],
    ['one with active keys', workspace, 2, /still has active keys\. Disable or delete them/],
  ])('is refused for %s', (_, current, activeKeys, message) => {
    expect(() => deleteWorkspace(current, activeKeys, at)).toThrow(invalid());
    expect(() => deleteWorkspace(current, activeKeys, at)).toThrow(message);
  });
});

it('making a workspace tells of it and then of its creator, if they are there', () => {
  const kinds = (creator: Member | undefined) => workspaceCreated(workspace, creator).map(({ kind }) => kind);
  expect(kinds(memberOf('user_a'))).toEqual(['workspace.created', 'workspace.member_added']);
  expect(kinds(undefined)).toEqual(['workspace.created']);
});

describe('adding members to a workspace', () => {
  it('adds those who are not in it, in order, each once', () => {
    const candidates = [candidate('user_c'), inside('user_a'), candidate('user_b'), candidate('user_c')];
    const change = addWorkspaceMembers(workspace, candidates, at);
    expect(change).toMatchObject({ at, userIds: ['user_c', 'user_b'] });
    expect(change.events.map(({ kind, after }) => [kind, after])).toEqual([
      ['workspace.member_added', { user_id: 'user_c', email: 'user_c@example.com' }],
      ['workspace.member_added', { user_id: 'user_b', email: 'user_b@example.com' }],
    ]);
  });

  it('adds nobody to the default one, where everybody is', () => {
    expect(addWorkspaceMembers(inDefault, [candidate('user_a')], at)).toEqual({
      at,
      userIds: [],
      events: [],
    });
  });

  it('names everybody who cannot be added, and then adds nobody', () => {
    const candidates = [stranger('user_x'), candidate('user_a'), stranger('user_y')];
    for (const place of [workspace, inDefault])
      expect(() => addWorkspaceMembers(place, candidates, at)).toThrow(
        invalid({ path: '/user_ids/0' }, { path: '/user_ids/2' }),
      );
  });
});

describe('removing members from a workspace', () => {
  it('removes those who are in it, in order, each once, also somebody who left', () => {
    const gone = { ...inside('user_x'), member: undefined };
    const candidates = [inside('user_b'), stranger('user_y'), gone, inside('user_b')];
    const change = removeWorkspaceMembers(workspace, candidates, at);
    expect(change).toMatchObject({ at, userIds: ['user_b', 'user_x'] });
    expect(change.events.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['workspace.member_removed', { user_id: 'user_b', email: 'user_b@example.com' }, null],
      ['workspace.member_removed', { user_id: 'user_x', email: null }, null],
    ]);
  });

  it('names everybody who has active keys there, and then removes nobody', () => {
    const candidates = [inside('user_a', 1), inside('user_b'), inside('user_c', 2)];
    expect(() => removeWorkspaceMembers(workspace, candidates, at)).toThrow(
      invalid(
        { path: '/user_ids/0', message: expect.stringContaining('an active key') },
        { path: '/user_ids/2', message: expect.stringContaining('active keys') },
      ),
    );
  });

  it('is refused for the default one', () => {
    expect(() => removeWorkspaceMembers(inDefault, [inside('user_a')], at)).toThrow(invalid());
  });
});
