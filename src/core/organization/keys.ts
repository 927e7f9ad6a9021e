import type { Clock } from '../clock.ts';
import { PresetdError, raise } from '../errors.ts';
import type { Page } from '../page.ts';
import { isSlug, slugRule } from '../preset-slug.ts';
import {
  assertNoIssues,
  assertStorableText,
  assertValidName,
  invalidField,
  isStorableText,
} from '../request-issues.ts';
import { actorFrom } from './actor.ts';
import { type ApiKey, type KeyRecord, keyWithSecret, newSecret } from './api-key.ts';
import { may } from './assert-may.ts';
import type { Authenticator } from './authenticate.ts';
import type { Caller } from './caller.ts';
import {
  createKey,
  deleteKey,
  editKey,
  type KeyEdit,
  type KeyPlacement,
  type KeyRule,
  type keyDetails,
  loosensLimit,
  missingPresetIssues,
  rotateKey,
} from './key-change.ts';
import {
  isAdmin,
  type ManagementCaller,
  requireManagement,
  requireWriteAccess,
  requireWriteAccessUntilStored,
} from './organization-access.ts';
import type { KeyStore } from './organization-storage.ts';
import type { WorkspaceAddress } from './workspace.ts';
import { unknownWorkspace } from './workspace-access.ts';

/** Without a detail, the key has what `keyWithSecret` gives it. */
export interface NewKey
  extends Pick<ApiKey, 'kind' | 'readOnly'>,
    Partial<Pick<ApiKey, 'scope' | 'limitNanos' | 'limitReset' | keyof typeof keyDetails>> {
  readonly name: string;
  /** Defaults to the owner of the calling key. */
  readonly ownerId?: string | undefined;
  /** The workspace of an API key. Defaults to the default workspace. */
  readonly workspaceId?: string | undefined;
}

/** A key with its secret, which is returned only once. */
export interface SecretKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

export type Keys = ReturnType<typeof createKeys>;

/**
 * Manages keys. Reading needs a management key or a session, changing one with write access. People
 * manage their own keys; an admin of a workspace also sees, disables and deletes the API keys in
 * it; an org:admin manages all. A key is found by id, label or the hash of its secret. Every change
 * drops the key from the authenticator's cache.
 */
export function createKeys(
  keys: KeyStore,
  presets: { state(address: WorkspaceAddress & { readonly slug: string }): Promise<unknown> },
  clock: Clock,
  authenticator: Authenticator,
) {
  async function change(
    caller: Caller,
    reference: string,
    action: string,
    rule: KeyRule,
    { destinationId, isStop = false }: { destinationId?: string | undefined; isStop?: boolean } = {},
  ): Promise<KeyRecord> {
    const { organizationId, actor, current: changing } = requireWriteAccessUntilStored(caller, clock, action);
    if (!isStorableText(reference)) throw unknownKey(reference);
    let id: string | undefined;
    const decide = (current: KeyRecord, destination: KeyPlacement | undefined) => {
      if (!isVisible(changing(), current)) throw unknownKey(reference);
      assertMayChange(changing(), current, isStop);
      id = current.id;
      const decided = rule(current, clock(), destination);
      if (decided?.next) assertMayChangeLimit(changing(), current, decided.next);
      return decided;
    };
    const write = keys.change(organizationId, reference, actor, decide, destinationId);
    const changed = await authenticator.invalidateAfter(write, (key) => key.id === id);
    return changed === undefined ? raise(unknownKey(reference)) : withoutExpiredGrace(clock(), changed);
  }

  /** The names of a key that no preset of the workspace has, archived or not. */
  async function missingPresets(
    { organizationId, presets: names }: Pick<ApiKey, 'organizationId' | 'presets'>,
    workspaceId: string | null,
  ): Promise<ReadonlySet<string>> {
    const missing = new Set<string>();
    if (organizationId === null || workspaceId === null) return missing;
    for (const slug of names ?? [])
      if ((await presets.state({ organizationId, workspaceId, slug })) === undefined) missing.add(slug);
    return missing;
  }

  /** The presets that a key would be limited to and could not reach after an edit. */
  async function presetsMissingAfter(caller: Caller, reference: string, { workspaceId, presets }: KeyEdit) {
    const { organizationId } = requireWriteAccess(caller, 'Changing a key');
    if ((workspaceId === undefined && !presets) || !isStorableText(reference)) return new Set<string>();
    const key = await keys.get(organizationId, reference);
    if (key === undefined) return new Set<string>();
    const names = presets === undefined ? key.presets : presets;
    return missingPresets({ organizationId, presets: names }, workspaceId ?? key.workspaceId);
  }

  return {
    async list(
      caller: Caller,
      { workspaceId, isMine, includeDisabled, page }: KeyListRequest,
    ): Promise<readonly KeyRecord[]> {
      const { organizationId, ownerId, defaultWorkspaceId } = requireManagement(caller, 'Listing keys');
      const requested = workspaceId?.toLowerCase() ?? (isMine ? undefined : defaultWorkspaceId);
      const seesAll = !isMine && requested !== undefined && seesKeysOf(caller, requested);
      const filter = {
        organizationId,
        workspaceId: requested,
        ...(!seesAll && { ownerId }),
        ...(!isAdmin(caller) && { managementOwnerId: ownerId }),
      };
      const found = await keys.list(filter, includeDisabled, page);
      if (found === undefined) throw unknownWorkspace(requested ?? null);
      return found.map((key) => withoutExpiredGrace(clock(), key));
    },
    async get(caller: Caller, reference: string): Promise<KeyRecord> {
      const { organizationId } = requireManagement(caller, 'Reading a key');
      const found = isStorableText(reference) ? await keys.get(organizationId, reference) : undefined;
      return found === undefined || !isVisible(caller, found)
        ? raise(unknownKey(reference))
        : withoutExpiredGrace(clock(), found);
    },
    async create(caller: Caller, details: NewKey): Promise<SecretKey> {
      const action = 'Creating a key';
      const managementCaller = requireWriteAccess(caller, action);
      const createdAt = clock();
      assertValidName('/name', details.name);
      assertFuture(details.expiresAt ?? null, createdAt);
      assertConsistent(details);
      const { ownerId = managementCaller.ownerId, workspaceId, ...others } = details;
      assertMayCreateFor(managementCaller, ownerId);
      assertStorableText('/creator_user_id', ownerId);
      const secret = newSecret();
      const key = keyWithSecret(secret, {
        ...others,
        ownerId,
        organizationId: managementCaller.organizationId,
        workspaceId:
          others.kind === 'management'
            ? null
            : (workspaceId?.toLowerCase() ?? managementCaller.defaultWorkspaceId),
        createdAt,
      });
      const actor = actorFrom(caller, clock, (current) =>
        assertMayCreateFor(requireWriteAccess(current, action), ownerId),
      );
      const missing = await missingPresets(key, key.workspaceId);
      const unique = { ...key, presets: key.presets && [...new Set(key.presets)] };
      const created = await keys.create(unique, actor, (placement) => {
        const creation = createKey(unique, placement);
        // After the access checks: callers must not learn which presets a foreign workspace has.
        assertNoIssues(missingPresetIssues(key.presets ?? [], missing));
        return creation;
      });
      return { key: created, secret };
    },
    async edit(caller: Caller, reference: string, changes: KeyEdit): Promise<KeyRecord> {
      if (changes.name !== undefined) assertValidName('/name', changes.name);
      assertFuture(changes.expiresAt ?? null, clock());
      assertSlugs(changes.presets ?? []);
      const workspaceId = changes.workspaceId?.toLowerCase();
      const edit = { ...changes, workspaceId };
      const rule = editKey(edit, await presetsMissingAfter(caller, reference, edit));
      const { disabled, ...others } = changes;
      const isStop = disabled === true && Object.values(others).every((value) => value === undefined);
      return change(caller, reference, 'Changing a key', rule, { destinationId: workspaceId, isStop });
    },
    async rotate(caller: Caller, reference: string, graceMs: number): Promise<SecretKey> {
      const secret = newSecret();
      const rule = rotateKey(secret, graceMs);
      return { key: await change(caller, reference, 'Rotating a key', rule), secret };
    },
    async delete(caller: Caller, reference: string): Promise<void> {
      await change(caller, reference, 'Deleting a key', deleteKey, { isStop: true });
    },
  };
}

interface KeyListRequest {
  readonly workspaceId?: string;
  /** Only keys of the caller, of all workspaces unless one is named. */
  readonly isMine: boolean;
  readonly includeDisabled: boolean;
  readonly page: Page;
}

function isVisible(caller: Caller, { ownerId, workspaceId }: KeyRecord): boolean {
  return ownerId === caller.ownerId || seesKeysOf(caller, workspaceId);
}

/** Whether the caller sees the keys of others in a workspace; null for management keys. */
function seesKeysOf(caller: Caller, workspaceId: string | null): boolean {
  if (workspaceId === null || isAdmin(caller)) return isAdmin(caller);
  // A read-only key cannot administer, but it reads what its owner sees.
  return may({ ...caller, readOnly: false } as Caller, workspaceId, 'administer');
}

/**
 * An admin of a workspace only stops the keys of others in it: a key acts as its owner, who would
 * not know that it works again, longer or elsewhere.
 */
function assertMayChange(caller: ManagementCaller, { ownerId }: KeyRecord, isStop: boolean): void {
  if (isStop || isAdmin(caller) || ownerId === caller.ownerId) return;
  throw onlyAdmins(caller, ' An admin of the workspace can only disable or delete them.');
}

/** A limit that the owner of a key can raise would limit nobody. */
function assertMayChangeLimit(caller: ManagementCaller, current: KeyRecord, next: KeyRecord): void {
  if (isAdmin(caller) || !loosensLimit(current, next)) return;
  throw new PresetdError(
    'forbidden',
    `Only an org:admin can raise or remove the spending limit of a key, or make it reset more often; ${subjectOf(caller)} an org:member.`,
  );
}

function assertMayCreateFor(caller: ManagementCaller, ownerId: string): void {
  if (!isAdmin(caller) && ownerId !== caller.ownerId) throw onlyAdmins(caller);
}

function onlyAdmins(caller: ManagementCaller, exception = ''): PresetdError {
  return new PresetdError(
    'forbidden',
    `Only an org:admin can manage other members' keys; ${subjectOf(caller)} an org:member.${exception}`,
  );
}

function subjectOf({ kind, label }: ManagementCaller): string {
  return kind === 'session' ? 'you are' : `the owner of ${label} is`;
}

/** Hides the grace period of a rotated secret once it is over. Stores can keep it longer. */
function withoutExpiredGrace(now: string, key: KeyRecord): KeyRecord {
  const { retiredSecretExpiresAt } = key;
  const isExpired = retiredSecretExpiresAt !== null && retiredSecretExpiresAt <= now;
  return isExpired ? { ...key, retiredSecretExpiresAt: null } : key;
}

function assertFuture(expiresAt: string | null, now: string): void {
  if (expiresAt !== null && expiresAt <= now)
    throw invalidField('/expires_at', 'must be in the future; to revoke a key now, disable it');
}

/** Rejects combinations of fields that are each valid. */
function assertConsistent({ kind, readOnly, scope = 'write', presets = null, workspaceId }: NewKey): void {
  const isManagement = kind === 'management';
  if (isManagement && (scope !== 'write' || presets !== null))
    throw invalidField(
      scope === 'write' ? '/presets' : '/scope',
      'must be omitted for a management key; it can only be read_only',
    );
  assertSlugs(presets ?? []);
  if (isManagement && workspaceId !== undefined)
    throw invalidField('/workspace_id', 'must be omitted: a management key belongs to no workspace');
  if (!isManagement && readOnly)
    throw invalidField('/read_only', 'must be false for an API key; only management keys can be read-only');
}

function assertSlugs(presets: readonly string[]): void {
  assertNoIssues(
    presets.flatMap((name, index) =>
      isSlug(name) ? [] : [{ path: `/presets/${index}`, message: slugRule }],
    ),
  );
}

function unknownKey(reference: string): PresetdError {
  return new PresetdError('not_found', `There is no key ${reference} that you can access.`);
}
