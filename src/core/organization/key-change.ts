import { type Issue, PresetdError } from '../errors.ts';
import { type Details, type DetailsEdit, detailChanges, detailValues, type EventValues } from '../event.ts';
import { definedFields } from '../json/defined-fields.ts';
import { toDollars } from '../ledger/price.ts';
import { assertNoIssues, invalidField } from '../request-issues.ts';
import { type ApiKey, hashSecret, type KeyRecord, labelOf } from './api-key.ts';
import { resetsMoreOften } from './limit-reset.ts';
import type { Member } from './organization.ts';
import {
  changeEvents,
  type EventSubject,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from './organization-event.ts';
import type { OrganizationEventKind } from './organization-event-kinds.ts';
import type { Workspace } from './workspace.ts';
import { unknownWorkspace } from './workspace-access.ts';
import { memberAddedTo } from './workspace-change.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/** The owner and workspace of a key that is to be created or moved. */
export interface KeyPlacement {
  /** Undefined if the owner is not a member of the organization. */
  readonly owner: Member | undefined;
  /** Undefined for a management key, and if the organization has no such workspace. */
  readonly workspace: Workspace | undefined;
  /** The owner's role in the workspace; undefined if they are not a member of it. */
  readonly workspaceRole: WorkspaceRole | undefined;
}

export interface KeyCreation {
  /** Whether the store also adds the owner to the workspace. */
  readonly addsOwnerToWorkspace: boolean;
  readonly events: readonly OrganizationEvent[];
}

export interface KeyChange extends OrganizationChange<KeyRecord> {
  /** Set with a new secret: when the previous secrets stop working. */
  readonly oldSecretsExpireAt?: string;
  /** Whether the store also adds the owner to the workspace that the key moves to. */
  readonly addsOwnerToWorkspace?: boolean;
}

/**
 * Pure rules: each takes a key and returns the change to store, or undefined if nothing changes.
 * `destination` is the placement for an edit that names a workspace.
 */
export type KeyRule = (current: KeyRecord, at: string, destination?: KeyPlacement) => KeyChange | undefined;

/** Details that a key is created with, and that can change later. */
export const keyDetails = {
  name: 'key.renamed',
  expiresAt: 'key.expiry_changed',
  presets: 'key.presets_changed',
} as const satisfies Details<ApiKey, OrganizationEventKind>;

export interface KeyEdit extends DetailsEdit<ApiKey, typeof keyDetails> {
  readonly limitNanos?: ApiKey['limitNanos'] | undefined;
  readonly limitReset?: ApiKey['limitReset'] | undefined;
  readonly disabled?: boolean | undefined;
  /** Moves the key to this workspace. */
  readonly workspaceId?: string | undefined;
}

/**
 * Changes name, state, expiry, limit, presets and workspace. Throws `conflict` if it reactivates a
 * former member's key. `missingPresets` are those that the key would be limited to, and that the
 * workspace it would be in does not have.
 */
export function editKey(
  { workspaceId, presets, ...changes }: KeyEdit,
  missingPresets: ReadonlySet<string> = new Set(),
): KeyRule {
  return (current, at, destination) => {
    const lost = presets === undefined ? [...missingPresets] : [];
    const move = workspaceId === undefined ? undefined : moveKey(current, workspaceId, destination, lost);
    const moved: KeyRecord = { ...current, ...move?.moved };
    const allowedPresets =
      presets === undefined ? current.presets : restrictTo(moved, presets, missingPresets);
    const next: KeyRecord = {
      ...moved,
      ...definedFields(changes),
      presets: allowedPresets,
      updatedAt: at,
    };
    if (!next.ownerHasAccess && reactivates(current, next, at))
      throw new PresetdError(
        'conflict',
        `The key ${current.label} belongs to ${current.ownerEmail}, who no longer has access. Add them to the ${current.workspaceId === null ? 'organization' : 'organization and the workspace'} before reactivating it.`,
      );
    const events = changeEvents(
      [
        ...detailChanges(keyDetails, current, next),
        ['key.limit_changed', limitValues(current), limitValues(next)],
        [
          next.disabled ? 'key.disabled' : 'key.enabled',
          { disabled: current.disabled },
          { disabled: next.disabled },
        ],
        ['key.moved', { workspace_id: current.workspaceId }, { workspace_id: next.workspaceId }],
      ],
      // A move belongs to the destination workspace, where people look for the key.
      (kind, before, after) => keyEvent(kind, kind === 'key.moved' ? next : current, before, after),
    );
    if (events.length === 0) return undefined;
    if (move?.memberAdded === undefined) return { at, next, events };
    return { at, next, addsOwnerToWorkspace: true, events: [move.memberAdded, ...events] };
  };
}

/** The names to store, each once. */
function restrictTo(
  { workspaceId, ownerHasAccess, ownerEmail }: KeyRecord,
  presets: readonly string[] | null,
  missing: ReadonlySet<string>,
): readonly string[] | null {
  if (presets === null) return null;
  if (workspaceId === null)
    throw invalidField('/presets', 'must be omitted for a management key; it can only be read_only');
  // Otherwise its owner could learn which presets a workspace has that they cannot read any more.
  if (!ownerHasAccess)
    throw invalidField('/presets', `cannot change: ${ownerEmail}, who owns the key, no longer has access`);
  assertNoIssues(missingPresetIssues(presets, missing));
  return [...new Set(presets)];
}

/** A name that no preset has is most likely misspelled, and the key would be useless. */
export function missingPresetIssues(
  presets: readonly string[],
  missing: ReadonlySet<string>,
): readonly Issue[] {
  return presets.flatMap((name, index) => {
    const message = `is ${name}, which is neither the slug nor an alias of a preset in the workspace`;
    return missing.has(name) ? [{ path: `/presets/${index}`, message }] : [];
  });
}

interface KeyMove {
  readonly moved: Pick<KeyRecord, 'workspaceId' | 'ownerHasAccess'>;
  /** Set if the owner has to be added to the workspace. */
  readonly memberAdded: OrganizationEvent | undefined;
}

/**
 * Returns undefined if the key is already in the workspace. Management keys have no workspace but
 * are listed in the default one, so moving one there changes nothing.
 */
function moveKey(
  current: KeyRecord,
  workspaceId: string,
  placement: KeyPlacement | undefined,
  missingPresets: readonly string[],
): KeyMove | undefined {
  const { owner, workspace } = placement ?? {};
  if (placement === undefined || workspace === undefined) throw unknownWorkspace(workspaceId);
  if (workspace.id === current.workspaceId) return undefined;
  if (current.workspaceId === null) {
    if (workspace.isDefault) return undefined;
    throw invalidField('/workspace_id', 'must be omitted: a management key belongs to no workspace');
  }
  if (owner === undefined)
    throw invalidField(
      '/workspace_id',
      `cannot change: ${current.ownerEmail}, who owns the key, has left the organization`,
    );
  const error = invalidField(
    '/workspace_id',
    `must be a workspace of the key's owner; add ${owner.email} to ${workspace.slug} first`,
  );
  const mustAdd = mustAddOwner(owner, placement, error);
  // After the access checks: callers must not learn which presets a foreign workspace has.
  if (missingPresets.length > 0)
    throw invalidField(
      '/workspace_id',
      `must be a workspace with all presets that the key is limited to; ${workspace.slug} does not have ${missingPresets.join(', ')}`,
    );
  return {
    moved: { workspaceId: workspace.id, ownerHasAccess: true },
    memberAdded: mustAdd ? memberAddedTo(workspace, owner, 'admin') : undefined,
  };
}

/**
 * Whether the owner must be added to the workspace along with the key. Admins can access every
 * workspace, so they are added on demand. For other members, throws `notAMember` unless an admin
 * has added them before.
 */
function mustAddOwner({ role }: Member, { workspaceRole }: KeyPlacement, notAMember: PresetdError): boolean {
  if (workspaceRole !== undefined) return false;
  if (role === 'org:admin') return true;
  throw notAMember;
}

/**
 * Whether the change makes an unusable key usable: by enabling it, or by extending an expired one.
 */
function reactivates(current: KeyRecord, next: KeyRecord, at: string): boolean {
  const isExpired = ({ expiresAt }: KeyRecord) => expiresAt !== null && expiresAt <= at;
  return (current.disabled && !next.disabled) || (isExpired(current) && !isExpired(next));
}

/** Whether more can be spent with the key than before, if it had a limit at all. */
export function loosensLimit(before: ApiKey, after: ApiKey): boolean {
  if (before.limitNanos === null) return false;
  if (after.limitNanos === null || after.limitNanos > before.limitNanos) return true;
  return resetsMoreOften(after.limitReset, before.limitReset);
}

/** Gives the key a new secret. Previous secrets keep working for `graceMs`; 0 ends them at once. */
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
  events: [keyEvent('key.deleted', current, auditValues(current), null)],
});

/** Applied to every key of a member who is removed from the organization. */
export const disableKey = editKey({ disabled: true });

/** Checks that the key may be created, and returns what the store must do besides storing it. */
export function createKey(key: ApiKey, placement: KeyPlacement): KeyCreation {
  const { owner, workspace } = placement;
  if (owner === undefined)
    throw invalidField(
      '/creator_user_id',
      `is ${key.ownerId}, which is not the id of a member of the organization`,
    );
  // Created lazily: ids order the events, and this one must come after `memberAddedTo`.
  const created = () => keyEvent('key.created', key, null, auditValues(key));
  if (key.workspaceId === null) return { addsOwnerToWorkspace: false, events: [created()] };
  if (workspace === undefined) throw unknownWorkspace(key.workspaceId);
  const error = invalidField(
    '/creator_user_id',
    `is ${owner.email}, who does not belong to the workspace ${workspace.slug}; add them to it first`,
  );
  assertWithinRole(key, owner, placement.workspaceRole);
  if (!mustAddOwner(owner, placement, error)) return { addsOwnerToWorkspace: false, events: [created()] };
  return { addsOwnerToWorkspace: true, events: [memberAddedTo(workspace, owner, 'admin'), created()] };
}

/** A key never exceeds its owner, so a larger scope would only promise what it cannot do. */
function assertWithinRole({ scope }: ApiKey, owner: Member, role: WorkspaceRole | undefined): void {
  if (scope !== 'write' || owner.role === 'org:admin' || role !== 'viewer') return;
  const message = `must be call or read, because ${owner.email} is a viewer of the workspace`;
  throw invalidField('/scope', message);
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

function auditValues(key: ApiKey): EventValues {
  const { kind, readOnly, scope, ownerId } = key;
  return {
    ...detailValues(keyDetails, key),
    ...limitValues(key),
    kind,
    read_only: readOnly,
    ...(kind === 'api' && { scope }),
    creator_user_id: ownerId,
  };
}

/** In dollars, like everywhere in the API. */
function limitValues({ limitNanos, limitReset }: ApiKey): EventValues {
  return { limit: limitNanos === null ? null : toDollars(limitNanos), limit_reset: limitReset };
}
