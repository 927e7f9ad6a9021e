import { type ApiKey, type KeyRecord, keyWithSecret } from '../../src/core/organization/api-key.ts';
import type { ResolvedKey } from '../../src/core/organization/caller.ts';

const secret = `sk-pst-v1-${'ab1'.padEnd(61, '0')}9f2`;

/** An API key of Ada's with all rights, which is the same each time. */
export function sampleKey(details: Partial<ApiKey> = {}): ApiKey {
  return keyWithSecret(secret, {
    id: 'key-1',
    name: 'Mine',
    kind: 'api',
    ownerId: 'user_ada',
    organizationId: 'org',
    workspaceId: 'workspace',
    createdAt: '2026-01-01T00:00:00.000Z',
    ...details,
  });
}

/** The record of a key that was never changed or used, of an owner who belongs to its workspace. */
export function recordOfKey(key: ApiKey, ownerEmail = 'ada@example.com'): KeyRecord {
  const never = { updatedAt: null, lastUsedAt: null, retiredSecretExpiresAt: null };
  return { ...key, ...never, ownerEmail, ownerHasAccess: true };
}

/** The key of an org:admin, as authentication resolves it. */
export function resolvedKey(key: ApiKey, access: Partial<ResolvedKey> = {}): ResolvedKey {
  return {
    ...key,
    defaultWorkspaceId: 'workspace',
    ownerRole: 'org:admin',
    isOwnerDeactivated: false,
    workspaceRoles: {},
    secretExpiresAt: null,
    isOwnerNew: false,
    contentLog: null,
    ...access,
  };
}
