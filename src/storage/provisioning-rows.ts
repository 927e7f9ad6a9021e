import {
  type AccessChange,
  applyGroupRoles,
  type NamedWorkspace,
} from '../core/organization/group-access.ts';
import { type GroupMapping, rolesOfGroups } from '../core/organization/group-roles.ts';
import type { ExistingUser } from '../core/organization/member-change.ts';
import type { Member } from '../core/organization/organization.ts';
import type { WorkspaceRole } from '../core/organization/workspace-role.ts';
import type { GroupMember, ProvisionedGroup } from '../core/provisioning/provisioned-group.ts';
import type { ProvisionedUser } from '../core/provisioning/provisioned-user.ts';
import { isActiveAdmin, type MemberRow, memberColumns, toMember } from './organization-rows.ts';

/**
 * Rows of provisioned users and groups, and how they map to core values. Both engines select the
 * same columns.
 */

/** Expects the user as `u`, the membership as `m` and the provisioned user as `s`. */
export const userColumns = `${memberColumns}, s.user_name, s.external_id, s.attributes, s.created_at, s.updated_at`;

/** Expects the group as `g`. */
export const groupColumns = 'g.id, g.display_name, g.external_id, g.created_at, g.updated_at';

export interface UserRow extends MemberRow {
  readonly user_name: string;
  readonly external_id: string | null;
  /** A JSON object. */
  readonly attributes: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** A JSON array of groups. */
  readonly groups: string;
}

export interface GroupRow {
  readonly id: string;
  readonly display_name: string;
  readonly external_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface GroupMemberRow {
  readonly group_id: string;
  readonly user_id: string;
  readonly email: string;
}

export function toUser(row: UserRow): ProvisionedUser {
  return {
    member: toMember(row),
    userName: row.user_name,
    externalId: row.external_id,
    attributes: JSON.parse(row.attributes),
    groups: JSON.parse(row.groups),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function toGroupMember({ user_id, email }: GroupMemberRow): GroupMember {
  return { id: user_id, email };
}

/** The groups with their members, which are ordered by group and user. */
export function toGroups(
  rows: readonly GroupRow[],
  members: readonly GroupMemberRow[],
): readonly ProvisionedGroup[] {
  const byGroup = Map.groupBy(members, ({ group_id }) => group_id);
  return rows.map((row) => ({
    id: row.id,
    displayName: row.display_name,
    externalId: row.external_id,
    members: (byGroup.get(row.id) ?? []).map(toGroupMember),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

/** A member with the names of their groups and their roles in the workspaces of the settings. */
export interface AccessRow extends MemberRow {
  /** A JSON array of names. */
  readonly group_names: string;
}

export interface NamedWorkspaceRow {
  readonly id: string;
  readonly slug: string;
  readonly is_default: boolean | 0 | 1;
}

export interface WorkspaceRoleRow {
  readonly workspace_id: string;
  readonly user_id: string;
  readonly role: WorkspaceRole;
}

/** Everything that the roles of people depend on. */
export interface AccessState {
  readonly members: readonly AccessRow[];
  readonly workspaces: readonly NamedWorkspaceRow[];
  readonly roles: readonly WorkspaceRoleRow[];
  /** Active admins, counted up to one more than there are members here. */
  readonly admins: number;
}

/**
 * Decides on the roles of people one after the other, counting admins as it goes: a change that
 * demotes several admins must stop at the last one.
 */
export function decideAccess(
  { members, workspaces, roles, admins }: AccessState,
  mappings: readonly GroupMapping[],
  at: string,
): readonly { readonly current: Member; readonly change: AccessChange }[] {
  const roleOf = new Map(roles.map((row) => [`${row.workspace_id} ${row.user_id}`, row.role]));
  let adminsLeft = admins;
  return members.flatMap((row) => {
    const current = toMember(row);
    const named = workspaces.map(
      ({ id, slug, is_default }): NamedWorkspace => ({
        id,
        slug,
        isDefault: Boolean(is_default),
        role: is_default ? current.workspaceRole : roleOf.get(`${id} ${current.id}`),
      }),
    );
    const wasAdmin = isActiveAdmin(current);
    const granted = rolesOfGroups(mappings, JSON.parse(row.group_names));
    const change = applyGroupRoles(current, named, granted, 'scim', wasAdmin && adminsLeft === 1, at);
    if (change === undefined) return [];
    adminsLeft += Number(isActiveAdmin(change.member)) - Number(wasAdmin);
    return [{ current, change }];
  });
}

/** The workspaces that the settings name, with the roles of one person; undefined for a new one. */
export function toNamedWorkspaces(
  rows: readonly NamedWorkspaceRow[],
  roles: readonly WorkspaceRoleRow[],
  person: ExistingUser | undefined,
): readonly NamedWorkspace[] {
  const roleOf = new Map(roles.map(({ workspace_id, role }) => [workspace_id, role]));
  return rows.map(({ id, slug, is_default }) => ({
    id,
    slug,
    isDefault: Boolean(is_default),
    role: is_default ? (person?.workspaceRole ?? undefined) : roleOf.get(id),
  }));
}

/** The slugs of all workspaces that the settings name. */
export function namedSlugs(mappings: readonly GroupMapping[]): readonly string[] {
  return [...new Set(mappings.flatMap(({ workspaces }) => Object.keys(workspaces)))];
}
