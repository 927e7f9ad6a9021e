import { nameKey } from '../../core/name.ts';
import type { GroupMapping } from '../../core/organization/group-roles.ts';
import { isUuid } from '../../core/organization/workspace.ts';
import type { WorkspaceRole } from '../../core/organization/workspace-role.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import {
  affectedUsers,
  changeGroup,
  type GroupMember,
  groupTaken,
  type ProvisionedGroup,
} from '../../core/provisioning/provisioned-group.ts';
import type { GroupLookup, ProvisioningStore } from '../../core/provisioning/provisioning-storage.ts';
import { memberColumns, membershipColumns } from '../organization-rows.ts';
import {
  type AccessRow,
  decideAccess,
  type GroupMemberRow,
  type GroupRow,
  groupColumns,
  type NamedWorkspaceRow,
  namedSlugs,
  toGroupMember,
  toGroups,
  type WorkspaceRoleRow,
} from '../provisioning-rows.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { isUniqueViolation } from './errors.ts';
import { countAdmins, storeMembers } from './members.ts';
import { type Statement, statement } from './statement.ts';

const listGroupsStatement = statement(
  'list-scim-groups',
  `SELECT ${groupColumns} FROM scim_groups g
    WHERE organization_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3`,
);

const findBy = (column: string) =>
  `SELECT ${groupColumns} FROM scim_groups g WHERE organization_id = $1 AND ${column} = $2`;

const findGroupStatements: Readonly<Record<GroupLookup['by'], Statement>> = {
  id: statement('find-scim-group-by-id', findBy('id')),
  displayName: statement('find-scim-group-by-name', findBy('display_name_key')),
  externalId: statement('find-scim-group-by-external-id', findBy('external_id')),
};

const groupMembersStatement = statement(
  'scim-group-members',
  `SELECT gm.group_id, gm.user_id, u.email
    FROM unnest($1::uuid[]) AS wanted (id)
    CROSS JOIN LATERAL (SELECT * FROM scim_group_members WHERE group_id = wanted.id OFFSET 0) gm
    CROSS JOIN LATERAL (SELECT email FROM users WHERE id = gm.user_id LIMIT 1) u
    ORDER BY gm.group_id, gm.user_id`,
);

const groupMembersAmong = statement(
  'scim-group-members-among',
  `SELECT gm.group_id, gm.user_id, u.email
    FROM unnest($2::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT * FROM scim_group_members WHERE group_id = $1 AND user_id = wanted.id LIMIT 1
    ) gm
    CROSS JOIN LATERAL (SELECT email FROM users WHERE id = gm.user_id LIMIT 1) u
    ORDER BY gm.user_id`,
);

/** The provisioned users among these ids. */
const usersStatement = statement(
  'scim-users-by-ids',
  `SELECT '' AS group_id, s.user_id, u.email
    FROM unnest($2::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT user_id FROM scim_users WHERE organization_id = $1 AND user_id = wanted.id LIMIT 1
    ) s
    CROSS JOIN LATERAL (SELECT email FROM users WHERE id = s.user_id LIMIT 1) u`,
);

const countGroups = statement(
  'count-scim-groups',
  'SELECT count(*) AS groups FROM scim_groups WHERE organization_id = $1',
);

type GroupStore = Pick<ProvisioningStore, 'listGroups' | 'findGroups' | 'changeGroup'>;

export function postgresProvisionedGroups(connection: PostgresConnection): GroupStore {
  const query = connection.query.bind(connection);
  return {
    async listGroups(organizationId, { offset, limit }, withMembers) {
      const rows = await query<GroupRow>(listGroupsStatement, [organizationId, limit, offset]);
      const [counted] = await query<{ groups: number }>(countGroups, [organizationId]);
      return { groups: await withMembersIf(query, rows, withMembers), totalCount: counted?.groups ?? 0 };
    },
    findGroups: (organizationId, lookup, withMembers) =>
      findGroups(query, organizationId, lookup, withMembers),
    changeGroup: (organizationId, id, actor, at, describe, mappings, among) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const [current] = await findGroups(query, organizationId, { by: 'id', value: id }, among ?? true);
        const input = describe(current);
        if (input === undefined) return current && { group: current, affectedIds: [] };
        const users = await findUsers(query, organizationId, input?.memberIds ?? []);
        const change = changeGroup(current, input, users, id, at);
        if (change === undefined) return current && { group: current, affectedIds: [] };
        if (change.next === null) await query(deleteGroup, [id]);
        else await storeGroup(query, organizationId, current, change.next);
        await writeEvents(query, organizationId, actor, at, change.events);
        const affectedIds = affectedUsers(current, change.next, mappings);
        await applyRoles(query, organizationId, actor, affectedIds, mappings, at);
        const group = change.next ?? current;
        return group && { group, affectedIds };
      }),
  };
}

async function findGroups(
  query: Query,
  organizationId: string,
  { by, value }: GroupLookup,
  withMembers: boolean | readonly string[],
): Promise<readonly ProvisionedGroup[]> {
  // PostgreSQL would reject the comparison.
  if (by === 'id' && !isUuid(value)) return [];
  const key = by === 'displayName' ? nameKey(value) : value;
  const rows = await query<GroupRow>(findGroupStatements[by], [organizationId, key]);
  return withMembersIf(query, rows, withMembers);
}

/** With no members, all of them, or those among a list of ids. */
async function withMembersIf(
  query: Query,
  rows: readonly GroupRow[],
  withMembers: boolean | readonly string[],
): Promise<readonly ProvisionedGroup[]> {
  const [first] = rows;
  if (withMembers === false || first === undefined) return toGroups(rows, []);
  if (withMembers !== true)
    return toGroups(rows, await query<GroupMemberRow>(groupMembersAmong, [first.id, withMembers]));
  return toGroups(rows, await query<GroupMemberRow>(groupMembersStatement, [rows.map(({ id }) => id)]));
}

async function findUsers(
  query: Query,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, GroupMember>> {
  const rows = ids.length === 0 ? [] : await query<GroupMemberRow>(usersStatement, [organizationId, ids]);
  return new Map(rows.map((row) => [row.user_id, toGroupMember(row)]));
}

async function storeGroup(
  query: Query,
  organizationId: string,
  current: ProvisionedGroup | undefined,
  next: ProvisionedGroup,
): Promise<void> {
  const { id, displayName, externalId, createdAt, updatedAt } = next;
  const values = [displayName, nameKey(displayName), externalId, createdAt, updatedAt];
  try {
    await query(upsertGroup, [id, organizationId, ...values]);
  } catch (error) {
    throw isUniqueViolation(error) ? groupTaken() : error;
  }
  const before = new Set(current?.members.map((member) => member.id));
  const after = new Set(next.members.map((member) => member.id));
  await query(addGroupMembers, [id, organizationId, [...after.difference(before)]]);
  await query(removeGroupMembers, [id, [...before.difference(after)]]);
}

/** Gives people the roles of their groups. */
async function applyRoles(
  query: Query,
  organizationId: string,
  actor: Author,
  userIds: readonly string[],
  mappings: readonly GroupMapping[],
  at: string,
): Promise<void> {
  if (userIds.length === 0) return;
  const workspaces = await query<NamedWorkspaceRow>(namedWorkspacesStatement, [
    organizationId,
    namedSlugs(mappings),
  ]);
  const workspaceIds = workspaces.map(({ id }) => id);
  const state = {
    members: await query<AccessRow>(accessStatement, [organizationId, userIds]),
    workspaces,
    roles: await query<WorkspaceRoleRow>(workspaceRolesStatement, [workspaceIds, userIds]),
    admins: await countAdmins(query, organizationId, userIds.length + 1),
  };
  const decided = decideAccess(state, mappings, at);
  await storeMembers(
    query,
    organizationId,
    decided.map(({ current, change }) => ({ at, current, next: change.member })),
  );
  const roles = decided.flatMap(({ change: { member, workspaces } }) =>
    workspaces.map(({ id, role }) => ({ id, userId: member.id, role })),
  );
  await storeWorkspaceRoles(query, roles, at);
  await writeEvents(
    query,
    organizationId,
    actor,
    at,
    decided.flatMap(({ change }) => change.events),
  );
}

interface StoredRole {
  readonly id: string;
  readonly userId: string;
  readonly role: WorkspaceRole | undefined;
}

export async function storeWorkspaceRoles(
  query: Query,
  roles: readonly StoredRole[],
  at: string,
): Promise<void> {
  const given = roles.filter(({ role }) => role !== undefined);
  const left = roles.filter(({ role }) => role === undefined);
  const keysOf = (some: readonly StoredRole[]) => [
    some.map(({ id }) => id),
    some.map(({ userId }) => userId),
  ];
  if (given.length > 0) await query(setWorkspaceRoles, [...keysOf(given), given.map(({ role }) => role), at]);
  if (left.length > 0) await query(removeFromWorkspaces, keysOf(left));
}

const deleteGroup = statement('delete-scim-group', 'DELETE FROM scim_groups WHERE id = $1');

const upsertGroup = statement(
  'upsert-scim-group',
  `INSERT INTO scim_groups (
     id, organization_id, display_name, display_name_key, external_id, created_at, updated_at
   ) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name,
     display_name_key = excluded.display_name_key, external_id = excluded.external_id,
     updated_at = excluded.updated_at`,
);

const addGroupMembers = statement(
  'add-scim-group-members',
  `INSERT INTO scim_group_members (group_id, organization_id, user_id) SELECT $1, $2, unnest($3::text[])`,
);

const removeGroupMembers = statement(
  'remove-scim-group-members',
  'DELETE FROM scim_group_members WHERE group_id = $1 AND user_id = ANY ($2::text[])',
);

/** Members by id, with the names of their groups. */
const accessStatement = statement(
  'scim-access',
  `SELECT ${memberColumns}, (
      SELECT coalesce(json_agg(g.display_name), '[]')::text
      FROM (
        SELECT group_id FROM scim_group_members WHERE organization_id = $1 AND user_id = wanted.id
      ) gm
      CROSS JOIN LATERAL (SELECT display_name FROM scim_groups WHERE id = gm.group_id LIMIT 1) g
    ) AS group_names
    FROM unnest($2::text[]) AS wanted (id)
    CROSS JOIN LATERAL (
      SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = wanted.id LIMIT 1
    ) m
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = wanted.id LIMIT 1) u`,
);

export const namedWorkspacesStatement = statement(
  'named-workspaces',
  `SELECT w.id, w.slug, w.id = o.default_workspace_id AS is_default
    FROM unnest($2::text[]) AS wanted (slug)
    CROSS JOIN LATERAL (
      SELECT id, slug FROM workspaces
      WHERE organization_id = $1 AND slug = wanted.slug AND deleted_at IS NULL LIMIT 1
    ) w
    CROSS JOIN LATERAL (SELECT default_workspace_id FROM organizations WHERE id = $1 LIMIT 1) o`,
);

export const workspaceRolesStatement = statement(
  'workspace-roles',
  `SELECT wm.workspace_id, wm.user_id, wm.role
    FROM unnest($1::uuid[]) AS workspace (id)
    CROSS JOIN unnest($2::text[]) AS person (id)
    CROSS JOIN LATERAL (
      SELECT * FROM workspace_members WHERE workspace_id = workspace.id AND user_id = person.id LIMIT 1
    ) wm`,
);

const setWorkspaceRoles = statement(
  'set-workspace-roles',
  `INSERT INTO workspace_members (workspace_id, user_id, role, created_at)
   SELECT r.workspace_id, r.user_id, r.role, $4
   FROM unnest($1::uuid[], $2::text[], $3::text[]) AS r (workspace_id, user_id, role)
   ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
);

const removeFromWorkspaces = statement(
  'leave-named-workspaces',
  `DELETE FROM workspace_members wm USING unnest($1::uuid[], $2::text[]) AS l (workspace_id, user_id)
   WHERE wm.workspace_id = l.workspace_id AND wm.user_id = l.user_id`,
);
