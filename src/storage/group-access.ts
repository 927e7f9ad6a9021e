import type { Author } from '../core/event.ts';
import {
  type AccessChange,
  decideGroupAccess,
  type NamedWorkspace,
} from '../core/organization/group-access.ts';
import { type GroupMapping, rolesOfGroups } from '../core/organization/group-roles.ts';
import type { ExistingUser } from '../core/organization/member-change.ts';
import type { Member } from '../core/organization/organization.ts';
import type { WorkspaceMember } from '../core/organization/workspace.ts';
import { writeEvents } from './audit.ts';
import type { Query } from './database.ts';
import { memberColumns } from './member-columns.ts';
import { countAdmins, storeMembers } from './members.ts';
import { fields, flag, json, select } from './select.ts';
import { removeWorkspaceMembers, workspaceMemberTypes } from './workspaces.ts';
import { insertInto } from './write-rows.ts';

/** Gives members the roles of their SCIM groups, in a transaction that locks the organization. */
export async function applyGroups(
  query: Query,
  organizationId: string,
  actor: Author,
  userIds: readonly string[],
  mappings: readonly GroupMapping[],
  at: string,
): Promise<void> {
  if (userIds.length === 0) return;
  const slugs = [...rolesOfGroups(mappings, []).workspaces.keys()];
  const workspacesOf = await namedWorkspaces(query, organizationId, slugs, userIds);
  const members = await query(groupedMembers, [organizationId, userIds]);
  const admins = await countAdmins(query, organizationId, userIds.length + 1);
  const decided = decideGroupAccess(members, workspacesOf, admins, mappings, at);
  const stored = decided.map(({ current, change }) => ({ at, current, next: change.member }));
  await storeMembers(query, organizationId, stored);
  const changes = decided.map(({ change }) => change);
  await storeWorkspaceRoles(query, changes, at);
  const events = changes.flatMap((change) => change.events);
  await writeEvents(query, organizationId, actor, at, events);
}

/** The workspaces that settings name, with the role of any of these users; none for a new one. */
export async function namedWorkspaces(
  query: Query,
  organizationId: string,
  slugs: readonly string[],
  userIds: readonly string[],
): Promise<(user: ExistingUser | undefined) => readonly NamedWorkspace[]> {
  const workspaces = await query(findNamed, [organizationId, slugs]);
  const ids = workspaces.map(({ id }) => id);
  const roles = await query(findRoles, [ids, userIds]);
  const roleOf = new Map(roles.map((each) => [`${each.workspaceId} ${each.userId}`, each.workspaceRole]));
  return (user) =>
    workspaces.map((workspace) => ({
      ...workspace,
      role: workspace.isDefault
        ? (user?.workspaceRole ?? undefined)
        : roleOf.get(`${workspace.id} ${user?.id}`),
    }));
}

export async function storeWorkspaceRoles(
  query: Query,
  changes: readonly Pick<AccessChange, 'member' | 'workspaces'>[],
  at: string,
): Promise<void> {
  const roles = changes.flatMap(({ member, workspaces }) =>
    workspaces.map(({ id, role }) => ({ workspaceId: id, userId: member.id, role, createdAt: at })),
  );
  const given = roles.filter(({ role }) => role !== undefined);
  const left = roles.filter(({ role }) => role === undefined);
  await setRoles(query, given);
  await removeWorkspaceMembers(query, left);
}

/** Members by id, with the names of their groups. */
const groupedMembers = select<{ readonly member: Member; readonly groups: readonly string[] }>(
  'scim-access',
  {
    member: memberColumns,
    groups: json(
      ({ arrayOf }) => `(
        SELECT ${arrayOf('g.display_name', 'g.display_name')}
        FROM scim_group_members gm CROSS JOIN scim_groups g
        WHERE gm.organization_id = $1 AND gm.user_id = wanted.value AND g.id = gm.group_id
      )`,
    ),
  },
  ({ values, joinOne }) => `FROM ${values('$2', 'text')} wanted
    ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = wanted.value')}
    ${joinOne('users u', 'u.id = wanted.value')}
    ORDER BY wanted.ordinal`,
);

const findNamed = select<Omit<NamedWorkspace, 'role'>>(
  'named-workspaces',
  { ...fields('w', 'id', 'slug'), isDefault: flag('w.id = o.default_workspace_id') },
  ({ values, joinOne }) => `FROM ${values('$2', 'text')} wanted
    ${joinOne('workspaces w', 'w.organization_id = $1 AND w.slug = wanted.value AND w.deleted_at IS NULL')}
    ${joinOne('organizations o', 'o.id = w.organization_id')}
    ORDER BY wanted.ordinal`,
);

const findRoles = select<Pick<WorkspaceMember, 'workspaceId' | 'userId' | 'workspaceRole'>>(
  'workspace-roles',
  { ...fields('wm', 'workspaceId', 'userId'), workspaceRole: 'wm.role' },
  ({ values, joinOne }) => `FROM ${values('$1', 'uuid')} workspace CROSS JOIN ${values('$2', 'text')} person
    ${joinOne('workspace_members wm', 'wm.workspace_id = workspace.value AND wm.user_id = person.value')}`,
);

const setRoles = insertInto(
  'set-workspace-roles',
  'workspace_members',
  workspaceMemberTypes,
  'ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role',
);
