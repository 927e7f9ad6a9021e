import type { EventValues } from '../event.ts';
import { type GroupMapping, type GroupRoles, rolesOfGroups } from './group-roles.ts';
import { editMember, isActiveAdmin } from './member-change.ts';
import type { Member } from './organization.ts';
import { type OrganizationEvent, organizationEvent } from './organization-event.ts';
import type { OrganizationEventKind } from './organization-event-kinds.ts';
import type { Workspace } from './workspace.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/** A workspace that the settings name, and the role of a person in it. */
export interface NamedWorkspace extends Pick<Workspace, 'id' | 'slug' | 'isDefault'> {
  /** Undefined if the person does not belong to it. */
  readonly role: WorkspaceRole | undefined;
}

export interface AccessChange {
  readonly at: string;
  readonly member: Member;
  /** Roles in workspaces other than the default one; undefined removes the person from it. */
  readonly workspaces: readonly { readonly id: string; readonly role: WorkspaceRole | undefined }[];
  readonly events: readonly OrganizationEvent[];
}

/**
 * Gives a member the roles that their groups decide; undefined if they have them already.
 * Workspaces that do not exist are ignored, and the last active org:admin stays one. Events name
 * the source of the groups, the id of a provider or `scim`: their actor may be the member, who did
 * not choose the role.
 */
export function applyGroupRoles(
  member: Member,
  workspaces: readonly NamedWorkspace[],
  roles: GroupRoles,
  source: string,
  isLastAdmin: boolean,
  at: string,
): AccessChange | undefined {
  const role = isLastAdmin ? undefined : roles.role?.role;
  const change = editMember({ role })(member, isLastAdmin, at);
  const steps = workspaces.flatMap((workspace) => {
    const { role: given, groups = [] } = roles.workspaces.get(workspace.slug) ?? {};
    const next = workspace.isDefault ? (given ?? 'viewer') : given;
    return next === workspace.role ? [] : [{ workspace, next, groups }];
  });
  if (change === undefined && steps.length === 0) return undefined;
  const ofDefault = steps.find(({ workspace }) => workspace.isDefault)?.next;
  return {
    at,
    member: { ...(change?.next ?? member), workspaceRole: ofDefault ?? member.workspaceRole },
    workspaces: steps
      .filter(({ workspace }) => !workspace.isDefault)
      .map(({ workspace: { id }, next }) => ({ id, role: next })),
    events: [
      ...(change?.events ?? []).map((event) => causedBy(source, roles.role?.groups ?? [], event)),
      ...steps.map(({ workspace, next, groups }) =>
        causedBy(source, groups, roleEvent(workspace, member, next)),
      ),
    ],
  };
}

/** A member of SCIM groups, by the names of the groups. */
interface GroupedMember {
  readonly member: Member;
  readonly groups: readonly string[];
}

/**
 * Gives members the roles of their groups one after the other, counting active admins as it goes: a
 * change that demotes several admins must stop at the last one. It is enough to count one admin
 * more than there are members.
 */
export function decideGroupAccess(
  members: readonly GroupedMember[],
  workspacesOf: (member: Member) => readonly NamedWorkspace[],
  admins: number,
  mappings: readonly GroupMapping[],
  at: string,
): readonly { readonly current: Member; readonly change: AccessChange }[] {
  let adminsLeft = admins;
  return members.flatMap(({ member: current, groups }) => {
    const wasAdmin = isActiveAdmin(current);
    const roles = rolesOfGroups(mappings, groups);
    const isLastAdmin = wasAdmin && adminsLeft === 1;
    const change = applyGroupRoles(current, workspacesOf(current), roles, 'scim', isLastAdmin, at);
    if (change === undefined) return [];
    adminsLeft += Number(isActiveAdmin(change.member)) - Number(wasAdmin);
    return [{ current, change }];
  });
}

function causedBy(provider: string, groups: readonly string[], event: OrganizationEvent): OrganizationEvent {
  const cause = { provider, groups: groups.length === 0 ? null : groups.join(', ') };
  return { ...event, after: { ...event.after, ...cause } };
}

function roleEvent(
  { id, slug, role }: NamedWorkspace,
  { id: userId, email }: Member,
  next: WorkspaceRole | undefined,
): OrganizationEvent {
  const kind: OrganizationEventKind =
    role === undefined
      ? 'workspace.member_added'
      : next === undefined
        ? 'workspace.member_removed'
        : 'workspace.member_role_changed';
  const values = (of: WorkspaceRole | undefined): EventValues | null =>
    of === undefined ? null : { user_id: userId, email, role: of };
  return organizationEvent(kind, id, { id, name: slug }, values(role), values(next));
}
