import { actorFrom } from './actor.ts';
import { type ApiKey, hashSecret, type KeyRecord, labelOf, newSecret } from './api-key.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import type { Clock } from './clock.ts';
import { PresetdError } from './errors.ts';
import { newId } from './identifiers.ts';
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
import { assertStorableText, assertValidField, assertValidName, isStorableText } from './request-issues.ts';
import type { KeyStore } from './storage.ts';
import { unknownWorkspace } from './workspace-access.ts';

export interface NewKey {
  readonly name: string;
  readonly kind: ApiKey['kind'];
  readonly readOnly: boolean;
  readonly expiresAt: string | null;
  /** Without one, whoever asks for the key owns it. */
  readonly ownerId: string | undefined;
  /** Of an API key; without one, it is the default workspace. */
  readonly workspaceId: string | undefined;
}

/** A key with its secret, which is told this once. */
export interface SecretKey {
  readonly key: KeyRecord;
  readonly secret: string;
}

export type Keys = ReturnType<typeof createKeys>;

/** Handing out keys and taking them back. */
export function createKeys(keys: KeyStore, clock: Clock, authenticator: Authenticator) {
  async function change(
    caller: Caller,
    reference: string,
    doing: string,
    rule: KeyRule,
    destinationId?: string,
  ): Promise<KeyRecord> {
    let manager = requireWriteAccess(caller, doing);
    if (!isStorableText(reference)) return unknownKey(reference);
    const actor = actorFrom(caller, clock, (present) => {
      manager = requireWriteAccess(present, doing);
    });
    let id: string | undefined;
    const decide = (current: KeyRecord, destination: KeyPlacement | undefined) => {
      assertMayChangeKeysOf(manager, current.ownerId);
      id = current.id;
      return rule(current, clock(), destination);
    };
    const work = keys.change(manager.organizationId, reference, actor, decide, destinationId);
    const changed = await authenticator.invalidateAfter(work, (key) => key.id === id);
    return changed === undefined ? unknownKey(reference) : asOf(clock(), changed);
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
      return found.map((key) => asOf(clock(), key));
    },
    async get(caller: Caller, reference: string): Promise<KeyRecord> {
      const { organizationId } = requireManagementKey(caller, 'Reading a key');
      const found = isStorableText(reference) ? await keys.get(organizationId, reference) : undefined;
      return found === undefined ? unknownKey(reference) : asOf(clock(), found);
    },
    async create(caller: Caller, wanted: NewKey): Promise<SecretKey> {
      const doing = 'Making a key';
      const manager = requireWriteAccess(caller, doing);
      const createdAt = clock();
      assertValidName('/name', wanted.name);
      assertFuture(wanted.expiresAt, createdAt);
      assertSensible(wanted);
      const { ownerId = manager.ownerId, kind, readOnly, name, expiresAt } = wanted;
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
          kind === 'management' ? null : (wanted.workspaceId?.toLowerCase() ?? manager.defaultWorkspaceId),
        disabled: false,
        expiresAt,
        createdAt,
      };
      const actor = actorFrom(caller, clock, (present) =>
        assertMayChangeKeysOf(requireWriteAccess(present, doing), ownerId),
      );
      return { key: await keys.create(key, actor, (site) => createKey(key, site)), secret };
    },
    async edit(caller: Caller, reference: string, wanted: KeyEdit): Promise<KeyRecord> {
      if (wanted.name !== undefined) assertValidName('/name', wanted.name);
      assertFuture(wanted.expiresAt ?? null, clock());
      const workspaceId = wanted.workspaceId?.toLowerCase();
      const rule = editKey({ ...wanted, workspaceId });
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

/** What was kept of a secret that was replaced says nothing once it has stopped to be good. */
function asOf(now: string, key: KeyRecord): KeyRecord {
  const { retiredSecretExpiresAt } = key;
  const isOver = retiredSecretExpiresAt !== null && retiredSecretExpiresAt <= now;
  return isOver ? { ...key, retiredSecretExpiresAt: null } : key;
}

function assertFuture(expiresAt: string | null, now: string): void {
  const isPast = expiresAt !== null && expiresAt <= now;
  assertValidField(
    '/expires_at',
    isPast ? 'must be in the future; to stop a key now, disable it' : undefined,
  );
}

function assertSensible({ kind, readOnly, workspaceId }: NewKey): void {
  assertValidField(
    '/workspace_id',
    kind === 'management' && workspaceId !== undefined
      ? 'must be left out: a management key belongs to no workspace'
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
  throw new PresetdError('not_found', `There is no key ${reference} that this key can reach.`);
}
