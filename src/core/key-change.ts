import { type ApiKey, hashSecret, type KeyRecord, labelOf } from './api-key.ts';
import type { OrganizationEventKind } from './audit-kinds.ts';
import { PresetdError } from './errors.ts';
import type { Member } from './organization.ts';
import {
  changeEvents,
  type EventSubject,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from './organization-event.ts';
import type { EventValues } from './preset-event.ts';
import { invalidBody } from './request-issues.ts';
import type { Workspace } from './workspace.ts';
import { unknownWorkspace } from './workspace-access.ts';
import { memberAddedTo } from './workspace-change.ts';

/** Where a key is to be made or moved to, as the rule finds it. */
export interface KeyPlacement {
  /** Undefined when they are no member of the organization. */
  readonly owner: Member | undefined;
  /** Undefined for a key without a workspace, and when the organization has no such workspace. */
  readonly workspace: Workspace | undefined;
  /** Whether the owner was added to the workspace. */
  readonly isWorkspaceMember: boolean;
}

export interface KeyCreation {
  /** Whether the owner is to be added to the workspace. */
  readonly addsOwnerToWorkspace: boolean;
  readonly events: readonly OrganizationEvent[];
}

export interface KeyChange extends OrganizationChange<KeyRecord> {
  /** With a new secret: when the older ones stop to be good. */
  readonly oldSecretsExpireAt?: string;
  /** Whether the owner is added to the workspace that the key moves to. */
  readonly addsOwnerToWorkspace?: boolean;
}

/** The destination is given where the key may have to move. */
export type KeyRule = (current: KeyRecord, at: string, destination?: KeyPlacement) => KeyChange | undefined;

export interface KeyEdit {
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly expiresAt?: string | null | undefined;
  /** Moves the key to this workspace. */
  readonly workspaceId?: string | undefined;
}

/** The rules below look at one key and answer what becomes of it; undefined when there is nothing to change. */
export function editKey({ workspaceId, ...wanted }: KeyEdit): KeyRule {
  return (current, at, destination) => {
    const move = workspaceId === undefined ? undefined : moveKey(current, workspaceId, destination);
    const next: KeyRecord = { ...current, ...move?.moved, ...defined(wanted), updatedAt: at };
    if (!next.ownerHasAccess && comesBack(current, next, at))
      throw new PresetdError(
        'conflict',
        `The key ${current.label} belongs to ${current.ownerEmail}, who is not there any more. Add them to the ${current.workspaceId === null ? 'organization' : 'organization and the workspace'} before making it good again.`,
      );
    const events = changeEvents(
      [
        ['key.renamed', { name: current.name }, { name: next.name }],
        [
          next.disabled ? 'key.disabled' : 'key.enabled',
          { disabled: current.disabled },
          { disabled: next.disabled },
        ],
        ['key.expiry_changed', { expires_at: current.expiresAt }, { expires_at: next.expiresAt }],
        ['key.moved', { workspace_id: current.workspaceId }, { workspace_id: next.workspaceId }],
      ],
      // A move is an event of the workspace that the key comes to, which is where people look for it.
      (kind, before, after) => keyEvent(kind, kind === 'key.moved' ? next : current, before, after),
    );
    if (events.length === 0) return undefined;
    if (move?.joined === undefined) return { at, next, events };
    return { at, next, addsOwnerToWorkspace: true, events: [move.joined, ...events] };
  };
}

interface KeyMove {
  readonly moved: Pick<KeyRecord, 'workspaceId' | 'ownerHasAccess'>;
  /** Where the owner has to be added to the workspace. */
  readonly joined: OrganizationEvent | undefined;
}

/** Undefined when the key is there already. Management keys, which have no workspace, are listed in the default one. */
function moveKey(
  current: KeyRecord,
  workspaceId: string,
  site: KeyPlacement | undefined,
): KeyMove | undefined {
  const { owner, workspace } = site ?? {};
  if (site === undefined || workspace === undefined) throw unknownWorkspace(workspaceId);
  if (workspace.id === current.workspaceId) return undefined;
  if (current.workspaceId === null) {
    if (workspace.isDefault) return undefined;
    throw invalidDestination('must be left out: a management key belongs to no workspace');
  }
  if (owner === undefined)
    throw invalidDestination(
      `cannot change: ${current.ownerEmail}, who owns the key, has left the organization`,
    );
  const refusal = invalidDestination(
    `must be a workspace of the key's owner; add ${owner.email} to ${workspace.slug} first`,
  );
  return {
    moved: { workspaceId: workspace.id, ownerHasAccess: true },
    joined: mustJoin(owner, site, refusal) ? memberAddedTo(workspace, owner) : undefined,
  };
}

/** Admins may work in every workspace, so they are added to it; others must have been added before. */
function mustJoin(
  { role }: Member,
  { workspace, isWorkspaceMember }: KeyPlacement,
  refusal: PresetdError,
): boolean {
  if (workspace?.isDefault || isWorkspaceMember) return false;
  if (role === 'org:admin') return true;
  throw refusal;
}

/** An owner who is gone must not return by a later expiry either. */
function comesBack(current: KeyRecord, next: KeyRecord, at: string): boolean {
  const isExpired = ({ expiresAt }: KeyRecord) => expiresAt !== null && expiresAt <= at;
  return (current.disabled && !next.disabled) || (isExpired(current) && !isExpired(next));
}

export function rotateKey(secret: string, graceMs: number): KeyRule {
  return (current, at) => {
    const oldSecretsExpireAt = new Date(Date.parse(at) + graceMs).toISOString();
    const retiredSecretExpiresAt = graceMs === 0 ? null : oldSecretsExpireAt;
    const next: KeyRecord = {
      ...current,
      secretHash: hashSecret(secret),
      label: labelOf(secret),
      updatedAt: at,
      retiredSecretExpiresAt,
    };
    const event = keyEvent(
      'key.rotated',
      next,
      { label: current.label },
      { label: next.label, previous_secret_expires_at: oldSecretsExpireAt },
    );
    return { at, next, oldSecretsExpireAt, events: [event] };
  };
}

export const deleteKey = (current: KeyRecord, at: string): KeyChange => ({
  at,
  next: null,
  events: [keyEvent('key.deleted', current, factsOf(current), null)],
});

/** Who leaves takes along nothing that works. */
export const disableKey = editKey({ disabled: true });

/** What must be so for a key to be made, and what else happens then. */
export function createKey(key: ApiKey, site: KeyPlacement): KeyCreation {
  const { owner, workspace } = site;
  if (owner === undefined) throw notAMember(key.ownerId);
  // Made when its turn comes: events are told in the order of their ids.
  const created = () => keyEvent('key.created', key, null, factsOf(key));
  if (key.workspaceId === null) return { addsOwnerToWorkspace: false, events: [created()] };
  if (workspace === undefined) throw unknownWorkspace(key.workspaceId);
  const refusal = invalidOwner(
    `is ${owner.email}, who does not belong to the workspace ${workspace.slug}; add them to it first`,
  );
  if (!mustJoin(owner, site, refusal)) return { addsOwnerToWorkspace: false, events: [created()] };
  return { addsOwnerToWorkspace: true, events: [memberAddedTo(workspace, owner), created()] };
}

function notAMember(ownerId: string): PresetdError {
  return invalidOwner(`is ${ownerId}, which is not the id of a member of the organization`);
}

function invalidOwner(message: string): PresetdError {
  return invalidBody([{ path: '/creator_user_id', message }]);
}

function invalidDestination(message: string): PresetdError {
  return invalidBody([{ path: '/workspace_id', message }]);
}

function keyEvent(
  kind: OrganizationEventKind,
  key: ApiKey,
  before: EventValues | null,
  after: EventValues | null,
): OrganizationEvent {
  return organizationEvent(kind, key.workspaceId, subjectOf(key), before, after);
}

function subjectOf({ id, label }: ApiKey): EventSubject {
  return { id, name: label };
}

function factsOf({ name, kind, readOnly, ownerId, expiresAt }: ApiKey): EventValues {
  return { name, kind, read_only: readOnly, creator_user_id: ownerId, expires_at: expiresAt };
}

function defined<T extends object>(values: T): Partial<{ [Name in keyof T]: Exclude<T[Name], undefined> }> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<{
    [Name in keyof T]: Exclude<T[Name], undefined>;
  }>;
}
