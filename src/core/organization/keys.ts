import type { Clock } from '../clock.ts';
import { PresetdError } from '../errors.ts';
import { newId } from '../identifiers.ts';
import { assertStorableText, assertValidField, assertValidName, isStorableText } from '../request-issues.ts';
import type { KeyStore } from '../storage.ts';
import { type ApiKey, type Caller, hashSecret, type KeyRecord, labelOf, newSecret } from './api-key.ts';
import { type Authenticator, actorFrom } from './authenticate.ts';
import {
  createKey,
  deleteKey,
  editKey,
  type KeyEdit,
  type KeyPlacement,
  type KeyRule,
  rotateKey,
} from './key-change.ts';
import type { Page } from './organization.ts';
import { assertMayChangeKeysOf, requireManagementKey, requireWriteAccess } from './organization-access.ts';
import { unknownWorkspace } from './workspace-access.ts';

export interface NewKey {
  readonly name: string;
  readonly kind: ApiKey['kind'];
  readonly readOnly: boolean;
  readonly expiresAt: string | null;
  /** Defaults to the owner of the calling key. */
  readonly ownerId: string | undefined;
  /** The workspace of an API key. Defaults to the default workspace. */
  readonly workspaceId: string | undefined;
}

/** A key with its secret, which is returned only once. */
export interface SecretKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

export type Keys = ReturnType<typeof createKeys>;

/**
 * Manages keys. Reading needs a management key, changing one with write access; admins can manage
 * all keys, other members only their own. A key is found by id, label or the hash of its secret.
 * Every change drops the key from the authenticator's cache.
 */
export function createKeys(keys: KeyStore, clock: Clock, authenticator: Authenticator) {
  async function change(
    caller: Caller,
    reference: string,
    action: string,
    rule: KeyRule,
    destinationId?: string,
  ): Promise<KeyRecord> {
    // Assigned again inside the transaction, with the caller's current role.
    let manager = requireWriteAccess(caller, action);
    if (!isStorableText(reference)) return unknownKey(reference);
    const actor = actorFrom(caller, clock, (current) => {
      manager = requireWriteAccess(current, action);
    });
    let id: string | undefined;
    const decide = (current: KeyRecord, destination: KeyPlacement | undefined) => {
      assertMayChangeKeysOf(manager, current.ownerId);
      id = current.id;
      return rule(current, clock(), destination);
    };
    const write = keys.change(manager.organizationId, reference, actor, decide, destinationId);
    const changed = await authenticator.invalidateAfter(write, (key) => key.id === id);
    return changed === undefined ? unknownKey(reference) : withoutExpiredGrace(clock(), changed);
  }

  return {
    async list(
      caller: Caller,
      { workspaceId, includeDisabled, page }: { workspaceId?: string; includeDisabled: boolean; page: Page },
    ): Promise<readonly KeyRecord[]> {
      const { organizationId, defaultWorkspaceId } = requireManagementKey(caller, 'Listing keys');
      const workspace = { organizationId, workspaceId: workspaceId?.toLowerCase() ?? defaultWorkspaceId };
      const found = await keys.list(workspace, includeDisabled, page);
      if (found === undefined) throw unknownWorkspace(workspace.workspaceId);
      return found.map((key) => withoutExpiredGrace(clock(), key));
    },
    async get(caller: Caller, reference: string): Promise<KeyRecord> {
      const { organizationId } = requireManagementKey(caller, 'Reading a key');
      const found = isStorableText(reference) ? await keys.get(organizationId, reference) : undefined;
      return found === undefined ? unknownKey(reference) : withoutExpiredGrace(clock(), found);
    },
    async create(caller: Caller, details: NewKey): Promise<SecretKey> {
      const action = 'Creating a key';
      const manager = requireWriteAccess(caller, action);
      const createdAt = clock();
      assertValidName('/name', details.name);
      assertFuture(details.expiresAt, createdAt);
      assertConsistent(details);
      const { ownerId = manager.ownerId, kind, readOnly, name, expiresAt } = details;
      assertMayChangeKeysOf(manager, ownerId);
      assertStorableText('/creator_user_id', ownerId);
      const secret = newSecret();
      const key: ApiKey = {
        id: newId(),
        secretHash: hashSecret(secret),
        label: labelOf(secret),
        name,
        kind,
        readOnly,
        ownerId,
        organizationId: manager.organizationId,
        workspaceId:
          kind === 'management' ? null : (details.workspaceId?.toLowerCase() ?? manager.defaultWorkspaceId),
        disabled: false,
        expiresAt,
        createdAt,
      };
      const actor = actorFrom(caller, clock, (current) =>
        assertMayChangeKeysOf(requireWriteAccess(current, action), ownerId),
      );
      return { key: await keys.create(key, actor, (placement) => createKey(key, placement)), secret };
    },
    async edit(caller: Caller, reference: string, changes: KeyEdit): Promise<KeyRecord> {
      if (changes.name !== undefined) assertValidName('/name', changes.name);
      assertFuture(changes.expiresAt ?? null, clock());
      const workspaceId = changes.workspaceId?.toLowerCase();
      const rule = editKey({ ...changes, workspaceId });
      return change(caller, reference, 'Changing a key', rule, workspaceId);
    },
    async rotate(caller: Caller, reference: string, graceMs: number): Promise<SecretKey> {
      const secret = newSecret();
      const rule = rotateKey(secret, graceMs);
      return { key: await change(caller, reference, 'Rotating a key', rule), secret };
    },
    async delete(caller: Caller, reference: string): Promise<void> {
      await change(caller, reference, 'Deleting a key', deleteKey);
    },
  };
}

/** Hides the grace period of a rotated secret once it is over. Stores can keep it longer. */
function withoutExpiredGrace(now: string, key: KeyRecord): KeyRecord {
  const { retiredSecretExpiresAt } = key;
  const isExpired = retiredSecretExpiresAt !== null && retiredSecretExpiresAt <= now;
  return isExpired ? { ...key, retiredSecretExpiresAt: null } : key;
}

function assertFuture(expiresAt: string | null, now: string): void {
  const isPast = expiresAt !== null && expiresAt <= now;
  assertValidField(
    '/expires_at',
    isPast ? 'must be in the future; to revoke a key now, disable it' : undefined,
  );
}

/** Rejects combinations of fields that are each valid. */
function assertConsistent({ kind, readOnly, workspaceId }: NewKey): void {
  assertValidField(
    '/workspace_id',
    kind === 'management' && workspaceId !== undefined
      ? 'must be omitted: a management key belongs to no workspace'
      : undefined,
  );
  assertValidField(
    '/read_only',
    kind === 'api' && readOnly
      ? 'must be false for an API key; only management keys can be read-only'
      : undefined,
  );
}

function unknownKey(reference: string): never {
  throw new PresetdError('not_found', `There is no key ${reference} that this key can access.`);
}
