import type { ApiKey, KeyKind, KeyRecord, ResolvedKey } from '../core/api-key.ts';
import type { AuditKind } from '../core/audit-kinds.ts';
import type { JoiningRule, KnownPerson, MemberChange, Person } from '../core/member-change.ts';
import { emailKey, type Member, type Role } from '../core/organization.ts';
import type { AuditEvent } from '../core/organization-event.ts';
import type { Workspace, WorkspaceMember } from '../core/workspace.ts';
import type { WorkspaceCandidate, WorkspaceMembersChange } from '../core/workspace-change.ts';

/** Both engines answer with rows of these shapes, so that what they mean is said once. */
export const keyColumns = `k.id, k.secret_hash, k.label, k.name, k.kind, k.read_only, k.owner_id, k.organization_id,
  k.workspace_id, k.disabled, k.expires_at, k.created_at`;

/** With the owner as `u`, the membership as `m`, the organization as `o`, and the membership of the workspace as `wm`. */
export const keyRecordColumns = `${keyColumns}, k.updated_at, k.last_used_at, u.email AS owner_email,
  (k.organization_id IS NULL OR (m.user_id IS NOT NULL AND (
    k.workspace_id IS NULL OR k.workspace_id = o.default_workspace_id OR wm.user_id IS NOT NULL
  ))) AS owner_belongs,
  (SELECT max(r.expires_at) FROM retired_secrets r WHERE r.key_id = k.id) AS retired_secret_expires_at`;

export const memberColumns = 'u.id, u.email, u.first_name, u.last_name, m.role';

/** With the organization as `o`. */
export const workspaceColumns = `w.id, w.organization_id, w.slug, w.name, w.description, w.created_by, w.created_at,
  w.updated_at, w.id = o.default_workspace_id AS is_default,
  CASE WHEN w.id = o.default_workspace_id THEN o.member_count ELSE w.member_count END AS member_count`;

/**
 * What a preset is called follows from its id; anything else may be gone. A deleted workspace keeps its name and gives up its
 * slug.
 */
export const auditColumns = `e.id, e.kind, e.workspace_id,
  (SELECT name FROM workspaces WHERE id = e.workspace_id) AS workspace_name,
  (SELECT slug FROM workspaces WHERE id = e.workspace_id AND deleted_at IS NULL) AS workspace_slug,
  coalesce(e.subject_id, CAST(e.preset_id AS text)) AS subject_id,
  coalesce(e.subject_name, (SELECT slug FROM presets WHERE id = e.preset_id)) AS subject_name,
  e.actor_id, (SELECT email FROM users WHERE id = e.actor_id) AS actor_email, e.key_label, e.before, e.after,
  e.created_at`;

/** As many active keys are counted, since it matters only whether there are none, one or more. */
export const activeKeysMax = 100;

/** SQLite has numbers for these. */
type Flag = boolean | 0 | 1;

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
}

export interface KeyRecordRow extends KeyRow {
  readonly updated_at: string | null;
  readonly last_used_at: string | null;
  readonly owner_email: string;
  readonly owner_belongs: Flag;
  readonly retired_secret_expires_at: string | null;
}

export interface ResolvedKeyRow extends KeyRow {
  readonly default_workspace_id: string | null;
  readonly owner_role: Role | null;
  /** A JSON list, or null for none. */
  readonly owner_workspace_ids: string | null;
  readonly retired_at: string | null;
}

export interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly role: Role | null;
}

export interface MemberRow extends PersonRow {
  readonly role: Role;
}

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
  readonly created_at: string;
}

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
    defaultWorkspaceId: row.default_workspace_id,
    ownerRole: row.owner_role,
    ownerWorkspaceIds: row.owner_workspace_ids === null ? [] : JSON.parse(row.owner_workspace_ids),
    retiredAt: row.retired_at,
  };
}

export function toKeyRecord(row: KeyRecordRow): KeyRecord {
  return {
    ...toKey(row),
    updatedAt: row.updated_at,
    lastUsedAt: row.last_used_at,
    retiredSecretExpiresAt: row.retired_secret_expires_at,
    ownerEmail: row.owner_email,
    ownerBelongs: Boolean(row.owner_belongs),
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
  };
}

export function toMember(row: MemberRow): Member {
  return { ...toPerson(row), role: row.role };
}

export function toPerson(row: PersonRow): KnownPerson {
  return { id: row.id, email: row.email, firstName: row.first_name, lastName: row.last_name, role: row.role };
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

/** A slug of a workspace that was deleted: free for others, and none that can be asked for. */
export function tombstoneSlug(workspaceId: string): string {
  return `~${workspaceId}`;
}

/** Those whom a change added or removed, as members of the workspace. */
export function changedMembers(
  workspace: Workspace,
  candidates: readonly WorkspaceCandidate[],
  { at, userIds }: WorkspaceMembersChange,
): readonly WorkspaceMember[] {
  const byId = new Map(candidates.map(({ userId, member }) => [userId, member]));
  return userIds.map((userId) => {
    const member = byId.get(userId);
    const { email = '', role = 'org:member' } = member ?? {};
    return { workspaceId: workspace.id, userId, email, role, createdAt: at };
  });
}

interface JoinDecision {
  readonly person: Person;
  readonly known: KnownPerson | undefined;
  readonly change: MemberChange | undefined;
}

/** What the rule makes of one after the other, and who is the last admin by then. */
export function decideJoins(
  people: readonly Person[],
  known: readonly KnownPerson[],
  admins: number,
  decide: JoiningRule,
): readonly JoinDecision[] {
  const byEmail = new Map(known.map((person) => [emailKey(person.email), person]));
  let adminsLeft = admins;
  return people.map((person) => {
    const current = byEmail.get(emailKey(person.email));
    const wasAdmin = current?.role === 'org:admin';
    const change = decide(person, current, wasAdmin && adminsLeft === 1);
    if (change !== undefined) adminsLeft += Number(change.next?.role === 'org:admin') - Number(wasAdmin);
    return { person, known: current, change };
  });
}

/** How somebody is after the change that was decided on; undefined for no member. */
export function memberAfter({ known, change }: JoinDecision): Member | undefined {
  if (change !== undefined) return change.next ?? undefined;
  return known === undefined || known.role === null ? undefined : { ...known, role: known.role };
}
