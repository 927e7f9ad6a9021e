import { expect, it } from 'vitest';
import { applyGroupRoles, type NamedWorkspace } from './group-access.ts';
import type { GroupRoles } from './group-roles.ts';
import type { Member } from './organization.ts';

const at = '2026-01-02T00:00:00.000Z';
const member: Member = {
  id: 'user_ada',
  email: 'ada@example.com',
  firstName: '',
  lastName: '',
  role: 'org:member',
  workspaceRole: 'editor',
  deactivatedAt: null,
};
const home: NamedWorkspace = { id: 'w0', slug: 'default', isDefault: true, role: 'editor' };
const shop: NamedWorkspace = { id: 'w1', slug: 'shop', isDefault: false, role: 'viewer' };
const lab: NamedWorkspace = { id: 'w2', slug: 'lab', isDefault: false, role: undefined };
const roles = (
  role: GroupRoles['role'],
  workspaces: [string, 'viewer' | 'editor' | 'admin' | undefined][],
) => ({
  role,
  workspaces: new Map(workspaces),
});

it('roles that the member has already change nothing', () => {
  const same = roles('org:member', [
    ['default', 'editor'],
    ['shop', 'viewer'],
    ['lab', undefined],
  ]);
  expect(applyGroupRoles(member, [home, shop, lab], same, false, at)).toBeUndefined();
  expect(applyGroupRoles(member, [], roles(undefined, []), false, at)).toBeUndefined();
});

it('roles are given, changed and taken, with an event for each', () => {
  const others = roles('org:admin', [
    ['default', undefined],
    ['shop', undefined],
    ['lab', 'admin'],
    ['missing', 'admin'],
  ]);
  const change = applyGroupRoles(member, [home, shop, lab], others, false, at);
  expect(change).toMatchObject({
    at,
    member: { ...member, role: 'org:admin', workspaceRole: 'viewer' },
    workspaces: [
      { id: 'w1', role: undefined },
      { id: 'w2', role: 'admin' },
    ],
  });
  const about = { user_id: 'user_ada', email: 'ada@example.com' };
  expect(change?.events).toMatchObject([
    { kind: 'member.role_changed', after: { role: 'org:admin' } },
    {
      kind: 'workspace.member_role_changed',
      workspaceId: 'w0',
      before: { ...about, role: 'editor' },
      after: { ...about, role: 'viewer' },
    },
    { kind: 'workspace.member_removed', before: { ...about, role: 'viewer' }, after: null },
    { kind: 'workspace.member_added', before: null, after: { ...about, role: 'admin' } },
  ]);
});

it('the last org:admin stays one, and their other roles change', () => {
  const admin: Member = { ...member, role: 'org:admin' };
  expect(applyGroupRoles(admin, [], roles('org:member', []), true, at)).toBeUndefined();
  const change = applyGroupRoles(admin, [lab], roles('org:member', [['lab', 'viewer']]), true, at);
  expect(change).toMatchObject({ member: admin, workspaces: [{ id: 'w2', role: 'viewer' }] });
});
