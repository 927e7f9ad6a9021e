import { isUuid } from '../core/organization/workspace.ts';
import {
  affectedUsers,
  changeGroup,
  type GroupMember,
  groupTaken,
  type ProvisionedGroup,
} from '../core/provisioning/provisioned-group.ts';
import type { GroupLookup, ProvisioningStore } from '../core/provisioning/provisioning-storage.ts';
import { nameKey } from '../core/text/name.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import { type Database, type Query, unlessTaken } from './database.ts';
import { applyGroups } from './group-access.ts';
import { type Columns, fields, select } from './select.ts';
import { type Statement, statement } from './statement.ts';
import { insertInto, typed } from './write-rows.ts';

type GroupWithoutMembers = Omit<ProvisionedGroup, 'members'>;

/** A member of the group with this id. */
interface MemberOfGroup extends GroupMember {
  readonly groupId: string;
}

const selectGroups = (name: string, rest: string) =>
  select<GroupWithoutMembers>(
    name,
    fields('g', 'id', 'displayName', 'externalId', 'createdAt', 'updatedAt'),
    `FROM scim_groups g WHERE g.organization_id = $1 ${rest}`,
  );

const listGroups = selectGroups('list-scim-groups', 'ORDER BY g.created_at, g.id LIMIT $2 OFFSET $3');

const findGroup: Readonly<Record<GroupLookup['by'], Statement<GroupWithoutMembers>>> = {
  id: selectGroups('find-scim-group-by-id', 'AND g.id = $2'),
  displayName: selectGroups('find-scim-group-by-name', 'AND g.display_name_key = $2'),
  externalId: selectGroups('find-scim-group-by-external-id', 'AND g.external_id = $2'),
};

const memberColumns: Columns<MemberOfGroup> = { ...fields('u', 'id', 'email'), groupId: 'gm.group_id' };

const groupMembers = select(
  'scim-group-members',
  memberColumns,
  ({ isIn }) => `FROM scim_group_members gm JOIN users u ON u.id = gm.user_id
    WHERE ${isIn('gm.group_id', '$1', 'uuid')} ORDER BY gm.group_id, gm.user_id`,
);

const groupMembersAmong = select(
  'scim-group-members-among',
  memberColumns,
  ({ values, joinOne }) => `FROM ${values('$2', 'text')} wanted
    ${joinOne('scim_group_members gm', 'gm.group_id = $1 AND gm.user_id = wanted.value')}
    ${joinOne('users u', 'u.id = wanted.value')}
    ORDER BY u.id`,
);

/** The provisioned users among these ids. */
const usersByIds = statement<GroupMember>(
  'scim-users-by-ids',
  ({ values, joinOne }) => `SELECT u.id, u.email FROM ${values('$2', 'text')} wanted
    ${joinOne('scim_users s', 's.organization_id = $1 AND s.user_id = wanted.value')}
    ${joinOne('users u', 'u.id = wanted.value')}`,
);

const countGroups = statement<{ readonly groups: number }>(
  'count-scim-groups',
  'SELECT count(*) AS groups FROM scim_groups WHERE organization_id = $1',
);

type GroupStore = Pick<ProvisioningStore, 'listGroups' | 'findGroups' | 'changeGroup'>;

export function provisionedGroupStore(database: Database): GroupStore {
  const { query } = database;
  return {
    async listGroups(organizationId, { offset, limit }, withMembers) {
      const rows = await query(listGroups, [organizationId, limit, offset]);
      const [counted] = await query(countGroups, [organizationId]);
      return { groups: await withMembersIf(query, rows, withMembers), totalCount: counted?.groups ?? 0 };
    },
    findGroups: (organizationId, lookup, withMembers) =>
      findGroups(query, organizationId, lookup, withMembers),
    changeGroup: (organizationId, id, actor, at, describe, mappings, among) =>
      changeOrganization(database, organizationId, actor, async (query) => {
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
        await applyGroups(query, organizationId, actor, affectedIds, mappings, at);
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
  return withMembersIf(query, await query(findGroup[by], [organizationId, key]), withMembers);
}

/** With no members, all of them, or those among a list of ids if there is one group. */
async function withMembersIf(
  query: Query,
  groups: readonly GroupWithoutMembers[],
  withMembers: boolean | readonly string[],
): Promise<readonly ProvisionedGroup[]> {
  const [first] = groups;
  if (withMembers === false || first === undefined) return groups.map((group) => ({ ...group, members: [] }));
  const members =
    withMembers === true
      ? await query(groupMembers, [groups.map(({ id }) => id)])
      : await query(groupMembersAmong, [first.id, withMembers]);
  const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
  return groups.map((group) => ({
    ...group,
    members: (byGroup.get(group.id) ?? []).map(({ id, email }) => ({ id, email })),
  }));
}

async function findUsers(
  query: Query,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, GroupMember>> {
  const users = ids.length === 0 ? [] : await query(usersByIds, [organizationId, ids]);
  return new Map(users.map((user) => [user.id, user]));
}

async function storeGroup(
  query: Query,
  organizationId: string,
  current: ProvisionedGroup | undefined,
  next: ProvisionedGroup,
): Promise<void> {
  const { id, displayName } = next;
  const row = { ...next, organizationId, displayNameKey: nameKey(displayName) };
  await unlessTaken(upsertGroups(query, [row]), groupTaken);
  const before = new Set(current?.members.map((member) => member.id));
  const after = new Set(next.members.map((member) => member.id));
  const added = [...after.difference(before)].map((userId) => ({ groupId: id, organizationId, userId }));
  await addMembers(query, added);
  await query(removeMembers, [id, [...before.difference(after)]]);
}

const deleteGroup = statement('delete-scim-group', 'DELETE FROM scim_groups WHERE id = $1');

const upsertGroups = insertInto(
  'upsert-scim-group',
  'scim_groups',
  {
    ...typed('uuid', 'id', 'organizationId'),
    ...typed('text', 'displayName', 'displayNameKey', 'externalId'),
    ...typed('timestamptz', 'createdAt', 'updatedAt'),
  },
  `ON CONFLICT (id) DO UPDATE SET display_name = excluded.display_name,
     display_name_key = excluded.display_name_key, external_id = excluded.external_id,
     updated_at = excluded.updated_at`,
);

const addMembers = insertInto('add-scim-group-members', 'scim_group_members', {
  groupId: 'uuid',
  organizationId: 'uuid',
  userId: 'text',
});

const removeMembers = statement(
  'remove-scim-group-members',
  ({ isIn }) => `DELETE FROM scim_group_members WHERE group_id = $1 AND ${isIn('user_id', '$2', 'text')}`,
);
