import type {
  AccountState,
  AttemptLimits,
  AttemptVerdict,
  Person,
  Session,
  SignInAttempt,
  User,
  WorkspaceAccess,
} from '../core/accounts/account.ts';
import type { DeviceRequest, DeviceStatus } from '../core/accounts/device.ts';
import type { WorkspaceRole } from '../core/organization/workspace-role.ts';
import { type MemberRow, memberColumns, toMember } from './organization-rows.ts';

/**
 * Rows of accounts, sessions, identities and devices, and how they map to core values. Both engines
 * select the same columns, so the mapping exists once.
 */

/** Expects the user as `u`, the membership as `m` and the password as `p`. */
export const accountColumns = `${memberColumns}, m.organization_id, p.hash AS password_hash,
  EXISTS (
    SELECT 1 FROM memberships x WHERE x.user_id = m.user_id AND x.organization_id <> m.organization_id
  ) AS is_shared`;

export const sessionColumns =
  'id, user_id, organization_id, method, address, user_agent, created_at, last_used_at, expires_at';

export const identityColumns = 'issuer, subject, user_id, provider, created_at';

export const deviceColumns = `device_code_hash, user_code_hash, client_name, address, created_at, expires_at, status,
  organization_id, user_id, session_id`;

/** SQLite stores booleans as numbers. */
type Flag = boolean | 0 | 1;

export interface AccountRow extends MemberRow {
  readonly organization_id: string;
  readonly password_hash: string | null;
  readonly is_shared: Flag;
}

export interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly has_password: Flag;
}

export interface ListedSessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly organization_id: string;
  readonly method: string;
  readonly address: string;
  readonly user_agent: string;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

export interface FailureRow {
  readonly failed_at: string;
}

export interface DeviceRow {
  readonly device_code_hash: string;
  readonly user_code_hash: string;
  readonly client_name: string;
  readonly address: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly status: DeviceStatus;
  readonly organization_id: string | null;
  readonly user_id: string | null;
  readonly session_id: string | null;
}

export interface AccountPersonRow extends MemberRow {
  readonly last_active_at: string | null;
  readonly has_password: Flag;
  readonly is_provisioned: Flag;
  /** JSON arrays, or null for none. */
  readonly providers: string | null;
  readonly workspaces: string | null;
}

/** The default workspace, to which every member belongs. */
export type DefaultWorkspaceRow = Pick<WorkspaceAccess, 'id' | 'slug' | 'name'>;

export function toAccount(row: AccountRow): AccountState {
  return {
    organizationId: row.organization_id,
    member: toMember(row),
    passwordHash: row.password_hash,
    isShared: Boolean(row.is_shared),
  };
}

export function toUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    firstName: row.first_name,
    lastName: row.last_name,
    hasPassword: Boolean(row.has_password),
  };
}

export function toSession(row: ListedSessionRow): Session {
  return {
    id: row.id,
    userId: row.user_id,
    organizationId: row.organization_id,
    method: row.method,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  };
}

/** Most recently used first. */
export function toSessions(rows: readonly ListedSessionRow[]): readonly Session[] {
  return rows.map(toSession).toSorted((one, other) => (one.lastUsedAt < other.lastUsedAt ? 1 : -1));
}

export function toDevice(row: DeviceRow): DeviceRequest {
  const { organization_id: organizationId, user_id: userId, session_id: sessionId } = row;
  const isDecided = organizationId !== null && userId !== null && sessionId !== null;
  return {
    deviceCodeHash: row.device_code_hash,
    userCodeHash: row.user_code_hash,
    clientName: row.client_name,
    address: row.address,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    status: row.status,
    decidedBy: isDecided ? { organizationId, userId, sessionId } : null,
  };
}

export function toAccountPerson(row: AccountPersonRow, defaultWorkspace: DefaultWorkspaceRow): Person {
  const member = toMember(row);
  const roleFor = (role: WorkspaceRole) => (member.role === 'org:admin' ? 'admin' : role);
  const others = listOf<Omit<WorkspaceAccess, 'isDefault'>>(row.workspaces).map(
    ({ id, slug, name, role }) => ({ id, slug, name, isDefault: false, role: roleFor(role) }),
  );
  const { id, slug, name } = defaultWorkspace;
  return {
    ...member,
    lastActiveAt: row.last_active_at,
    hasPassword: Boolean(row.has_password),
    providers: [...new Set(listOf<string>(row.providers))].sort(),
    isProvisioned: Boolean(row.is_provisioned),
    workspaces: [
      { id, slug, name, isDefault: true, role: roleFor(member.workspaceRole) },
      ...others.sort((one, other) => (one.slug < other.slug ? -1 : 1)),
    ],
  };
}

function listOf<T>(json: string | null): T[] {
  return json === null ? [] : JSON.parse(json);
}

/** Whether the person has signed in or used a key before. False if they are not a member. */
export function isActiveRow(row: { readonly has_been_active: Flag } | undefined): boolean {
  return Boolean(row?.has_been_active);
}

/** Failures before this no longer count. */
export function windowStart({ at }: SignInAttempt, { windowMs }: AttemptLimits): string {
  return new Date(Date.parse(at) - windowMs).toISOString();
}

/** Takes the latest failures of the account and of the network, as many as block at most. */
export function judgeAttempt(
  account: readonly FailureRow[],
  network: readonly FailureRow[],
  { windowMs, accountMax, networkMax }: AttemptLimits,
): AttemptVerdict {
  const blocking = [account[accountMax - 1], network[networkMax - 1]].flatMap((row) =>
    row === undefined ? [] : [Date.parse(row.failed_at) + windowMs],
  );
  const isFirst = account.length === 0 || network.length === 0;
  const blocks = account.length === accountMax - 1 || network.length === networkMax - 1;
  return {
    blockedUntil: blocking.length === 0 ? undefined : new Date(Math.max(...blocking)).toISOString(),
    isNotable: isFirst || blocks,
  };
}

/** A person can be signed in in this many places. */
export const sessionsMax = 100;

/** How many outdated rows a write deletes along the way, so that none takes long. */
export const prunedMax = 100;
