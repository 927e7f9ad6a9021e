import { expect, it } from 'vitest';
import { applyGroupRoles, type NamedWorkspace } from './group-access.ts';
import type { GroupRoles } from './group-roles.ts';
import type { Member, Role } from './organization.ts';
import type { WorkspaceRole } from './workspace-role.ts';

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
  role: Role | undefined,
  workspaces: [slug: string, role: WorkspaceRole | undefined, ...groups: string[]][],
): GroupRoles => ({
  role: role && { role, groups: ['staff'] },
  workspaces: new Map(workspaces.map(([slug, role, ...groups]) => [slug, { role, groups }])),
});

it('roles that the member already has change nothing', () => {
  const same = roles('org:member', [
    ['default', 'editor'],
    ['shop', 'viewer'],
    ['lab', undefined],
  ]);
  expect(applyGroupRoles(member, [home, shop, lab], same, 'okta', false, at)).toBeUndefined();
  expect(applyGroupRoles(member, [], roles(undefined, []), 'okta', false, at)).toBeUndefined();
});

it('roles are given, changed and removed, with an event for each that names the groups', () => {
  const others = roles('org:admin', [
    ['default', undefined],
    ['shop', undefined],
    ['lab', 'admin', 'lab-leads', 'science'],
    ['missing', 'admin'],
  ]);
  const change = applyGroupRoles(member, [home, shop, lab], others, 'okta', false, at);
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
    {
      kind: 'member.role_changed',
      before: { role: 'org:member' },
      after: { role: 'org:admin', provider: 'okta', groups: 'staff' },
    },
    {
      kind: 'workspace.member_role_changed',
      workspaceId: 'w0',
      before: { ...about, role: 'editor' },
      after: { ...about, role: 'viewer', provider: 'okta', groups: null },
    },
    {
      kind: 'workspace.member_removed',
      before: { ...about, role: 'viewer' },
      after: { provider: 'okta', groups: null },
    },
    {
      kind: 'workspace.member_added',
      before: null,
      after: { ...about, role: 'admin', provider: 'okta', groups: 'lab-leads, science' },
    },
  ]);
});

it('the last org:admin is never demoted, and their other roles change', () => {
  const admin: Member = { ...member, role: 'org:admin' };
  expect(applyGroupRoles(admin, [], roles('org:member', []), 'okta', true, at)).toBeUndefined();
  const change = applyGroupRoles(admin, [lab], roles('org:member', [['lab', 'viewer']]), 'okta', true, at);
  expect(change).toMatchObject({ member: admin, workspaces: [{ id: 'w2', role: 'viewer' }] });
});
