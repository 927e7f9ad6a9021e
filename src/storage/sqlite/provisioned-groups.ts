import type { DatabaseSync } from 'node:sqlite';
import { nameKey } from '../../core/name.ts';
import type { AccessChange } from '../../core/organization/group-access.ts';
import type { GroupMapping } from '../../core/organization/group-roles.ts';
import type { ExistingUser } from '../../core/organization/member-change.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import {
  affectedUsers,
  changeGroup,
  type GroupMember,
  groupTaken,
  type ProvisionedGroup,
} from '../../core/provisioning/provisioned-group.ts';
import type { GroupLookup, ProvisioningStore } from '../../core/provisioning/provisioning-storage.ts';
import { memberColumns } from '../organization-rows.ts';
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
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization } from './change-organization.ts';
import { isUniqueViolation, read } from './errors.ts';
import { prepareMemberReads, prepareMemberStore } from './members.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const listGroupsSql = statement(
  'list-scim-groups',
  `SELECT ${groupColumns} FROM scim_groups g
  WHERE organization_id = ?1 ORDER BY created_at, id LIMIT ?2 OFFSET ?3`,
);

const findBy = (column: string) =>
  `SELECT ${groupColumns} FROM scim_groups g WHERE organization_id = ?1 AND ${column} = ?2`;

const findGroupSql: Readonly<Record<GroupLookup['by'], string>> = {
  id: statement('find-scim-group-by-id', findBy('id')),
  displayName: statement('find-scim-group-by-name', findBy('display_name_key')),
  externalId: statement('find-scim-group-by-external-id', findBy('external_id')),
};

const groupMembersSql = statement(
  'scim-group-members',
  `SELECT gm.group_id, gm.user_id, u.email
  FROM json_each(?1) wanted
  CROSS JOIN scim_group_members gm ON gm.group_id = wanted.value
  CROSS JOIN users u ON u.id = gm.user_id
  ORDER BY gm.group_id, gm.user_id`,
);

const groupMembersAmongSql = statement(
  'scim-group-members-among',
  `SELECT gm.group_id, gm.user_id, u.email
  FROM json_each(?2) wanted
  CROSS JOIN scim_group_members gm ON gm.group_id = ?1 AND gm.user_id = wanted.value
  CROSS JOIN users u ON u.id = gm.user_id
  ORDER BY gm.user_id`,
);

/** The provisioned users among these ids. */
const usersSql = statement(
  'scim-users-by-ids',
  `SELECT '' AS group_id, s.user_id, u.email
  FROM json_each(?2) wanted
  CROSS JOIN scim_users s ON s.organization_id = ?1 AND s.user_id = wanted.value
  CROSS JOIN users u ON u.id = s.user_id`,
);

type GroupStore = Pick<ProvisioningStore, 'listGroups' | 'findGroups' | 'changeGroup'>;

export function sqliteProvisionedGroups(database: DatabaseSync, queue: WriteQueue): GroupStore {
  const count = database.prepare('SELECT count(*) AS groups FROM scim_groups WHERE organization_id = ?');
  const list = database.prepare(listGroupsSql);
  const find = {
    id: database.prepare(findGroupSql.id),
    displayName: database.prepare(findGroupSql.displayName),
    externalId: database.prepare(findGroupSql.externalId),
  };
  const membersOf = database.prepare(groupMembersSql);
  const membersAmong = database.prepare(groupMembersAmongSql);
  const usersOf = database.prepare(usersSql);
  const store = prepareGroupStore(database);
  const remove = database.prepare('DELETE FROM scim_groups WHERE id = ?');
  const applyRoles = prepareApplyRoles(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);

  const withMembersIf = (rows: unknown, withMembers: boolean) => {
    const groups = rows as readonly GroupRow[];
    const ids = JSON.stringify(groups.map(({ id }) => id));
    return toGroups(groups, withMembers ? (membersOf.all(ids) as unknown as GroupMemberRow[]) : []);
  };
  const findUsers = (organizationId: string, ids: readonly string[]): ReadonlyMap<string, GroupMember> => {
    const rows = usersOf.all(organizationId, JSON.stringify(ids)) as unknown as GroupMemberRow[];
    return new Map(rows.map((row) => [row.user_id, toGroupMember(row)]));
  };

  return {
    async listGroups(organizationId, { offset, limit }, withMembers) {
      return read(() => ({
        groups: withMembersIf(list.all(organizationId, limit, offset), withMembers),
        totalCount: Number(count.get(organizationId)?.groups),
      }));
    },
    async findGroups(organizationId, { by, value }, withMembers) {
      const key = by === 'displayName' ? nameKey(value) : value;
      return read(() => withMembersIf(find[by].all(organizationId, key), withMembers));
    },
    changeGroup: (organizationId, id, actor, at, describe, mappings, among) =>
      changeOrganization(actor, () => {
        const found = find.id.all(organizationId, id);
        const [current] =
          among === undefined
            ? withMembersIf(found, true)
            : toGroups(
                found as unknown as GroupRow[],
                membersAmong.all(id, JSON.stringify(among)) as unknown as GroupMemberRow[],
              );
        const input = describe(current);
        if (input === undefined) return current && { group: current, affectedIds: [] };
        const users = findUsers(organizationId, input?.memberIds ?? []);
        const change = changeGroup(current, input, users, id, at);
        if (change === undefined) return current && { group: current, affectedIds: [] };
        if (change.next === null) remove.run(id);
        else store(organizationId, current, change.next);
        writeEvents(organizationId, actor, at, change.events);
        const affectedIds = affectedUsers(current, change.next, mappings);
        applyRoles(organizationId, actor, affectedIds, mappings, at);
        const group = change.next ?? current;
        return group && { group, affectedIds };
      }),
  };
}

/** Prepares the statements that store a group with its members inside an open transaction. */
function prepareGroupStore(
  database: DatabaseSync,
): (organizationId: string, current: ProvisionedGroup | undefined, next: ProvisionedGroup) => void {
  const upsert = database.prepare(
    `INSERT INTO scim_groups (
       id, organization_id, display_name, display_name_key, external_id, created_at, updated_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name,
       display_name_key = excluded.display_name_key, external_id = excluded.external_id,
       updated_at = excluded.updated_at`,
  );
  const add = database.prepare(
    'INSERT INTO scim_group_members (group_id, user_id, organization_id) VALUES (?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM scim_group_members WHERE group_id = ? AND user_id = ?');
  return (organizationId, current, next) => {
    const { id, displayName, externalId, createdAt, updatedAt } = next;
    const values = [displayName, nameKey(displayName), externalId, createdAt, updatedAt];
    try {
      upsert.run(id, organizationId, ...values);
    } catch (error) {
      throw isUniqueViolation(error) ? groupTaken() : error;
    }
    const before = new Set(current?.members.map((member) => member.id));
    const after = new Set(next.members.map((member) => member.id));
    for (const userId of after.difference(before)) add.run(id, userId, organizationId);
    for (const userId of before.difference(after)) remove.run(id, userId);
  };
}

/** Members by id, with the names of their groups. */
const accessSql = statement(
  'scim-access',
  `SELECT ${memberColumns}, (
    SELECT json_group_array(g.display_name)
    FROM scim_group_members gm CROSS JOIN scim_groups g ON g.id = gm.group_id
    WHERE gm.organization_id = ?1 AND gm.user_id = m.user_id
  ) AS group_names
  FROM json_each(?2) wanted
  CROSS JOIN memberships m ON m.organization_id = ?1 AND m.user_id = wanted.value
  CROSS JOIN users u ON u.id = m.user_id`,
);

export const namedWorkspacesSql = statement(
  'named-workspaces',
  `SELECT w.id, w.slug, w.id = o.default_workspace_id AS is_default
  FROM json_each(?2) wanted
  CROSS JOIN workspaces w ON w.organization_id = ?1 AND w.slug = wanted.value AND w.deleted_at IS NULL
  CROSS JOIN organizations o ON o.id = ?1`,
);

export const workspaceRolesSql = statement(
  'workspace-roles',
  `SELECT wm.workspace_id, wm.user_id, wm.role
  FROM json_each(?1) workspace CROSS JOIN json_each(?2) person
  CROSS JOIN workspace_members wm ON wm.workspace_id = workspace.value AND wm.user_id = person.value`,
);

/** Prepares giving people the roles of their groups inside an open transaction. */
function prepareApplyRoles(
  database: DatabaseSync,
): (
  organizationId: string,
  actor: Author,
  userIds: readonly string[],
  mappings: readonly GroupMapping[],
  at: string,
) => void {
  const access = database.prepare(accessSql);
  const named = database.prepare(namedWorkspacesSql);
  const rolesIn = database.prepare(workspaceRolesSql);
  const members = prepareMemberReads(database);
  const store = prepareAccessStore(database);
  const writeEvents = prepareWriteEvents(database);
  return (organizationId, actor, userIds, mappings, at) => {
    if (userIds.length === 0) return;
    const ids = JSON.stringify(userIds);
    const slugs = JSON.stringify(namedSlugs(mappings));
    const workspaces = named.all(organizationId, slugs) as unknown as NamedWorkspaceRow[];
    const workspaceIds = JSON.stringify(workspaces.map(({ id }) => id));
    const state = {
      members: access.all(organizationId, ids) as unknown as AccessRow[],
      workspaces,
      roles: rolesIn.all(workspaceIds, ids) as unknown as WorkspaceRoleRow[],
      admins: members.countAdmins(organizationId, userIds.length + 1),
    };
    for (const { current, change } of decideAccess(state, mappings, at)) {
      store(organizationId, current, change);
      writeEvents(organizationId, actor, at, change.events);
    }
  };
}

/** Prepares the statements that store the roles of a member inside an open transaction. */
export function prepareAccessStore(
  database: DatabaseSync,
): (organizationId: string, current: ExistingUser | undefined, change: Omit<AccessChange, 'events'>) => void {
  const store = prepareMemberStore(database);
  const setRole = database.prepare(
    `INSERT INTO workspace_members (workspace_id, user_id, role, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
  );
  const removeFromWorkspace = database.prepare(
    'DELETE FROM workspace_members WHERE workspace_id = ? AND user_id = ?',
  );
  return (organizationId, current, { member, workspaces, at }) => {
    store(organizationId, current, member, at);
    for (const { id, role } of workspaces) {
      if (role === undefined) removeFromWorkspace.run(id, member.id);
      else setRole.run(id, member.id, role, at);
    }
  };
}
