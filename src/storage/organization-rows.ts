import type { ApiKey, KeyKind, KeyRecord, ResolvedKey } from '../core/organization/api-key.ts';
import type { AuditKind } from '../core/organization/audit-kinds.ts';
import { type ResolvedSession, sessionLabel } from '../core/organization/caller.ts';
import type { KeyScope } from '../core/organization/key-scope.ts';
import {
  type ExistingUser,
  isMember,
  type MemberChange,
  type MemberInput,
  type MemberUpsertRule,
} from '../core/organization/member-change.ts';
import {
  type Member,
  normalizeEmail,
  type Organization,
  type Role,
} from '../core/organization/organization.ts';
import type { AuditEvent } from '../core/organization/organization-event.ts';
import type { OwnerAccess } from '../core/organization/owner-access.ts';
import type { Workspace, WorkspaceMember } from '../core/organization/workspace.ts';
import type { WorkspaceCandidate, WorkspaceMembersChange } from '../core/organization/workspace-change.ts';
import type { WorkspaceRole } from '../core/organization/workspace-role.ts';

/**
 * Rows of organizations, members, keys, workspaces and audit events, and how they map to core
 * values. Both engines select the same columns, so the mapping exists once.
 */
export const keyColumns = `k.id, k.secret_hash, k.label, k.name, k.kind, k.read_only, k.owner_id, k.organization_id,
  k.workspace_id, k.disabled, k.expires_at, k.created_at, k.scope, k.presets`;

/**
 * The person behind a key or session. Expects the organization as `o` and the membership as `m`;
 * `workspaceRoles` selects their roles in workspaces besides the default one as a JSON object.
 */
export const ownerColumns = (workspaceRoles: string) => `o.default_workspace_id, m.role AS owner_role,
  m.workspace_role AS default_role, m.deactivated_at IS NOT NULL AS is_owner_deactivated,
  CASE WHEN m.role = 'org:member' THEN (${workspaceRoles}) END AS workspace_roles`;

/** Expects the session as `s`. */
export const sessionColumns =
  's.id, s.token_hash, s.user_id, s.organization_id, s.method, s.created_at, s.last_used_at, s.expires_at';

/**
 * Expects the owner as `u`, the membership as `m`, the organization as `o` and the workspace
 * membership as `wm`.
 */
export const keyRecordColumns = `${keyColumns}, k.updated_at, k.last_used_at, u.email AS owner_email,
  (k.organization_id IS NULL OR (m.user_id IS NOT NULL AND (
    k.workspace_id IS NULL OR k.workspace_id = o.default_workspace_id OR wm.user_id IS NOT NULL
  ))) AS owner_belongs,
  (SELECT max(r.expires_at) FROM retired_secrets r WHERE r.key_id = k.id) AS retired_secret_expires_at`;

/** The columns of a membership that `memberColumns` needs. */
export const membershipColumns = 'role, workspace_role, deactivated_at';

/** Expects the user as `u` and the membership as `m`. */
export const memberColumns =
  'u.id, u.email, u.first_name, u.last_name, m.role, m.workspace_role, m.deactivated_at';

/**
 * Expects the workspace as `w` and the organization as `o`. Everyone in the organization is a
 * member of its default workspace, which therefore has no rows of its own.
 */
export const workspaceColumns = `w.id, w.organization_id, w.slug, w.name, w.description, w.created_by, w.created_at,
  w.updated_at, w.id = o.default_workspace_id AS is_default,
  CASE WHEN w.id = o.default_workspace_id THEN o.member_count ELSE w.member_count END AS member_count`;

/**
 * Expects the event as `e`. Presets are never deleted, so their name is looked up; other subjects
 * may be gone, so events store their name. A deleted workspace keeps its name but releases its
 * slug.
 */
export const auditColumns = `e.id, e.kind, e.workspace_id,
  (SELECT name FROM workspaces WHERE id = e.workspace_id) AS workspace_name,
  (SELECT slug FROM workspaces WHERE id = e.workspace_id AND deleted_at IS NULL) AS workspace_slug,
  coalesce(e.subject_id, CAST(e.preset_id AS text)) AS subject_id,
  coalesce(e.subject_name, (SELECT slug FROM presets WHERE id = e.preset_id)) AS subject_name,
  e.actor_id, (SELECT email FROM users WHERE id = e.actor_id) AS actor_email, e.key_label, e.before, e.after,
  e.created_at`;

/** Counting stops here: rules only distinguish none, one and more. */
export const activeKeysMax = 100;

/** SQLite stores booleans as numbers. */
type Flag = boolean | 0 | 1;

/** The columns that every query for keys selects. */
interface KeyRow {
  readonly id: string;
  readonly secret_hash: string;
  readonly label: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly read_only: Flag;
  readonly owner_id: string;
  readonly organization_id: string | null;
  readonly workspace_id: string | null;
  readonly disabled: Flag;
  readonly expires_at: string | null;
  readonly created_at: string;
  readonly scope: KeyScope;
  /** A JSON array, or null for all presets. */
  readonly presets: string | null;
}

/** A key as lists and details show it. */
export interface KeyRecordRow extends KeyRow {
  readonly updated_at: string | null;
  readonly last_used_at: string | null;
  readonly owner_email: string;
  readonly owner_belongs: Flag;
  readonly retired_secret_expires_at: string | null;
}

/** Columns of `ownerColumns`. */
interface OwnerRow {
  readonly default_workspace_id: string | null;
  readonly owner_role: Role | null;
  readonly default_role: WorkspaceRole | null;
  readonly is_owner_deactivated: Flag | null;
  /** A JSON object, or null for none. */
  readonly workspace_roles: string | null;
}

/** Columns of `sessionColumns`, and the person. */
export interface SessionRow extends OwnerRow {
  readonly id: string;
  readonly token_hash: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly method: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

/** A key as authentication needs it, with what its owner may access. */
export interface ResolvedKeyRow extends KeyRow, OwnerRow {
  /**
   * When the presented secret stops working, if it has been rotated out; null for the current one.
   */
  readonly retired_at: string | null;
  /** True if there is no membership. */
  readonly is_owner_new: Flag;
}

/** A user; the roles are null for someone who is not a member of the organization. */
export interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role | null;
  readonly workspace_role: WorkspaceRole | null;
  readonly deactivated_at: string | null;
}

export interface MemberRow extends PersonRow {
  readonly role: Role;
  readonly workspace_role: WorkspaceRole;
}

/** Columns of `workspaceColumns`. */
export interface WorkspaceRow {
  readonly id: string;
  readonly organization_id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string | null;
  readonly created_by: string | null;
  readonly created_at: string;
  readonly updated_at: string | null;
  readonly is_default: Flag;
  readonly member_count: number;
}

export interface WorkspaceMemberRow {
  readonly user_id: string;
  readonly email: string;
  readonly role: Role;
  readonly workspace_role: WorkspaceRole;
  readonly created_at: string;
}

/** Columns of `auditColumns`. */
export interface AuditRow {
  readonly id: string;
  readonly kind: AuditKind;
  readonly workspace_id: string | null;
  readonly workspace_name: string | null;
  readonly workspace_slug: string | null;
  readonly subject_id: string;
  readonly subject_name: string;
  readonly actor_id: string;
  readonly actor_email: string | null;
  readonly key_label: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly created_at: string;
}

export function toResolvedKey(row: ResolvedKeyRow): ResolvedKey {
  return {
    ...toKey(row),
    ...toOwnerAccess(row),
    secretExpiresAt: row.retired_at,
    isOwnerNew: row.owner_role !== null && Boolean(row.is_owner_new),
  };
}

export function toResolvedSession(row: SessionRow): ResolvedSession {
  return {
    kind: 'session',
    id: row.id,
    secretHash: row.token_hash,
    label: sessionLabel(row.id),
    ownerId: row.user_id,
    organizationId: row.organization_id,
    workspaceId: null,
    readOnly: false,
    scope: 'write',
    presets: null,
    method: row.method,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    ...toOwnerAccess(row),
  };
}

function toOwnerAccess(row: OwnerRow): Omit<OwnerAccess, 'ownerId' | 'organizationId'> {
  const { default_workspace_id: defaultWorkspaceId, default_role: defaultRole } = row;
  const isLimited = row.owner_role === 'org:member' && defaultWorkspaceId !== null && defaultRole !== null;
  return {
    defaultWorkspaceId,
    ownerRole: row.owner_role,
    isOwnerDeactivated: Boolean(row.is_owner_deactivated),
    workspaceRoles: {
      ...(isLimited && { [defaultWorkspaceId]: defaultRole }),
      ...(row.workspace_roles !== null && JSON.parse(row.workspace_roles)),
    },
  };
}

export function toKeyRecord(row: KeyRecordRow): KeyRecord {
  return {
    ...toKey(row),
    updatedAt: row.updated_at,
    lastUsedAt: row.last_used_at,
    retiredSecretExpiresAt: row.retired_secret_expires_at,
    ownerEmail: row.owner_email,
    ownerHasAccess: Boolean(row.owner_belongs),
  };
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    secretHash: row.secret_hash,
    label: row.label,
    name: row.name,
    kind: row.kind,
    readOnly: Boolean(row.read_only),
    ownerId: row.owner_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    disabled: Boolean(row.disabled),
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    scope: row.scope,
    presets: row.presets === null ? null : JSON.parse(row.presets),
  };
}

export function toMember(row: MemberRow): Member {
  return { ...toPerson(row), role: row.role, workspaceRole: row.workspace_role };
}

/** Undefined for someone who is not a member of the organization. */
export function toMemberIfAny(row: PersonRow): Member | undefined {
  const person = toPerson(row);
  return isMember(person) ? person : undefined;
}

export function toPerson(row: PersonRow): ExistingUser {
  return {
    id: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
    workspaceRole: row.workspace_role,
    deactivatedAt: row.deactivated_at,
  };
}

export function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    id: row.id,
    organizationId: row.organization_id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    createdBy: row.created_by,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    isDefault: Boolean(row.is_default),
    memberCount: row.member_count,
  };
}

export function toWorkspaceMember(workspaceId: string, row: WorkspaceMemberRow): WorkspaceMember {
  return {
    workspaceId,
    userId: row.user_id,
    email: row.email,
    role: row.role,
    workspaceRole: row.workspace_role,
    createdAt: row.created_at,
  };
}

export function toAuditEvent(row: AuditRow): AuditEvent {
  return {
    id: row.id,
    kind: row.kind,
    workspaceId: row.workspace_id,
    workspaceName: row.workspace_name,
    workspaceSlug: row.workspace_slug,
    subject: { id: row.subject_id, name: row.subject_name },
    actorId: row.actor_id,
    actorEmail: row.actor_email,
    keyLabel: row.key_label,
    before: row.before === null ? null : JSON.parse(row.before),
    after: row.after === null ? null : JSON.parse(row.after),
    createdAt: row.created_at,
  };
}

/**
 * The slug that a deleted workspace gets. It frees the old slug and cannot be requested: `~` is not
 * valid in a slug.
 */
export function tombstoneSlug(workspaceId: string): string {
  return `~${workspaceId}`;
}

/**
 * The users whom a change added, removed or gave a role, as members of the workspace. Those who were
 * removed have the role that they had.
 */
export function changedMembers(
  workspace: Workspace,
  candidates: readonly WorkspaceCandidate[],
  { at, userIds, role: roleAfter }: WorkspaceMembersChange,
): readonly WorkspaceMember[] {
  const byId = new Map(candidates.map((candidate) => [candidate.userId, candidate]));
  return userIds.flatMap((userId) => {
    const { member, workspaceRole: roleBefore } = byId.get(userId) ?? {};
    const workspaceRole = roleAfter ?? roleBefore;
    if (workspaceRole === undefined) return [];
    const { email = '', role = 'org:member' } = member ?? {};
    return [{ workspaceId: workspace.id, userId, email, role, workspaceRole, createdAt: at }];
  });
}

/** One person of a join: their state before it, and the change that the rule decided on, if any. */
interface JoinDecision {
  readonly person: MemberInput;
  readonly known: ExistingUser | undefined;
  readonly change: MemberChange | undefined;
}

/**
 * Applies the rule to each person in order, counting admins as it goes: an import that demotes
 * several admins must stop at the last one.
 */
export function decideJoins(
  people: readonly MemberInput[],
  known: readonly ExistingUser[],
  admins: number,
  decide: MemberUpsertRule,
): readonly JoinDecision[] {
  const byEmail = new Map(known.map((person) => [normalizeEmail(person.email), person]));
  let adminsLeft = admins;
  return people.map((person) => {
    const current = byEmail.get(normalizeEmail(person.email));
    const wasAdmin = isActiveAdmin(current);
    const change = decide(person, current, wasAdmin && adminsLeft === 1);
    if (change !== undefined) adminsLeft += Number(isActiveAdmin(change.next)) - Number(wasAdmin);
    return { person, known: current, change };
  });
}

/** Deactivated admins do not count towards the last one. */
export function isActiveAdmin(user: ExistingUser | null | undefined): boolean {
  return user?.role === 'org:admin' && user.deactivatedAt === null;
}

/** The member after the decided change; undefined for someone who is not a member. */
export function memberAfter({ known, change }: JoinDecision): Member | undefined {
  if (change !== undefined) return change.next ?? undefined;
  return isMember(known) ? known : undefined;
}

export interface OrganizationRow {
  readonly id: string;
  readonly name: string;
  readonly default_workspace_id: string;
}

export function toOrganization(row: OrganizationRow): Organization {
  return { id: row.id, name: row.name, defaultWorkspaceId: row.default_workspace_id };
}

/** The row of `firstOrganizationSql`, as both engines return it. */
export interface FirstOrganizationRow extends OrganizationRow {
  readonly user_id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly workspace_role: WorkspaceRole;
}

/** The oldest organization with its longest-standing active admin, for both engines. */
export const firstOrganizationSql = `SELECT o.id, o.name, o.default_workspace_id, u.id AS user_id, u.email, u.first_name, u.last_name,
  m.workspace_role
  FROM organizations o
  JOIN memberships m ON m.organization_id = o.id AND m.role = 'org:admin' AND m.deactivated_at IS NULL
  JOIN users u ON u.id = m.user_id
  ORDER BY o.created_at, o.id, m.joined_at, m.user_id LIMIT 1`;

export function toFirstOrganization(row: FirstOrganizationRow): {
  organization: Organization;
  admin: Member;
} {
  return {
    organization: toOrganization(row),
    admin: {
      id: row.user_id,
      email: row.email,
      firstName: row.first_name,
      lastName: row.last_name,
      role: 'org:admin',
      workspaceRole: row.workspace_role,
      deactivatedAt: null,
    },
  };
}
