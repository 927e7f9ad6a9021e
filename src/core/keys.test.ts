import { describe, expect, it } from 'vitest';
import type { KeyRecord } from './api-key.ts';
import type { Authenticator, Caller } from './authenticate.ts';
import { createKeys, type NewKey } from './keys.ts';
import type { KeyStore } from './storage.ts';

const now = '2026-01-02T00:00:00.000Z';
const before = '2026-01-01T23:59:59.999Z';
const after = '2026-01-02T00:00:00.001Z';
const key: KeyRecord = {
  id: '01942a00-0000-7000-8000-00000000000a',
  secretHash: 'hash',
  label: 'sk-pst-v1-ab1…9f2',
  name: 'Mine',
  kind: 'management',
  readOnly: false,
  ownerId: 'user_ada',
  organizationId: 'org',
  workspaceId: null,
  disabled: false,
  expiresAt: null,
  createdAt: before,
  updatedAt: null,
  lastUsedAt: null,
  retiredSecretExpiresAt: null,
  ownerEmail: 'ada@example.com',
  ownerHasAccess: true,
};
const admin: Caller = {
  ...key,
  defaultWorkspaceId: 'workspace',
  ownerRole: 'org:admin',
  ownerWorkspaceIds: [],
  secretExpiresAt: null,
};
const member: Caller = { ...admin, ownerRole: 'org:member' };

/** A manager over a store with this key alone. */
function managing(stored: KeyRecord) {
  const keys: KeyStore = {
    find: () => expect.fail(),
    get: async () => stored,
    list: async () => [stored],
    create: async (made) => ({ ...stored, ...made }),
    change: async (_organizationId, _reference, _author, decide) => decide(stored, undefined)?.next ?? stored,
    recordLastUses: () => expect.fail(),
  };
  const authenticator: Authenticator = { authenticate: () => expect.fail(), invalidateAfter: (work) => work };
  return createKeys(keys, () => now, authenticator);
}

describe('a secret that was replaced', () => {
  it.each([
    [null, null],
    [before, null],
    [now, null],
    [after, after],
  ])('until %s is told of as long as it is good: %s', async (retiredSecretExpiresAt, told) => {
    const manager = managing({ ...key, retiredSecretExpiresAt });
    const page = { offset: 0, limit: 10 };
    const expected = { retiredSecretExpiresAt: told };
    expect(await manager.get(admin, key.id)).toMatchObject(expected);
    expect(await manager.list(admin, { includeDisabled: true, page })).toMatchObject([expected]);
    expect(await manager.edit(admin, key.id, { name: 'Other' })).toMatchObject(expected);
  });
});

describe('a new key', () => {
  const wanted: NewKey = {
    name: 'New',
    kind: 'api',
    readOnly: false,
    expiresAt: null,
    ownerId: undefined,
    workspaceId: undefined,
  };

  it('is that of the caller, in the default workspace, unless told otherwise', async () => {
    const made = await managing(key)
      .create(member, wanted)
      .then(({ key: { ownerId, workspaceId } }) => ({
        ownerId,
        workspaceId,
      }));
    expect(made).toEqual({ ownerId: 'user_ada', workspaceId: 'workspace' });
    const id = '01942A00-0000-7000-8000-00000000000A';
    const other = await managing(key).create(admin, { ...wanted, ownerId: 'user_bob', workspaceId: id });
    expect(other.key).toMatchObject({ ownerId: 'user_bob', workspaceId: id.toLowerCase() });
  });

  it.each([
    ['that is expired', { expiresAt: now }, '/expires_at'],
    ['of management in a workspace', { kind: 'management', workspaceId: 'x' }, '/workspace_id'],
    ['for the API that only reads', { readOnly: true }, '/read_only'],
    ['of two lines', { name: 'a\nb' }, '/name'],
    ['of somebody who cannot be called so', { ownerId: 'a\u0000' }, '/creator_user_id'],
  ] as const)('%s is refused', async (_, changes, path) => {
    await expect(managing(key).create(admin, { ...wanted, ...changes })).rejects.toMatchObject({
      kind: 'invalid_request',
      issues: [{ path }],
    });
  });

  it('for somebody else is made by an org:admin only', async () => {
    await expect(managing(key).create(member, { ...wanted, ownerId: 'user_bob' })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});

it.each(['edit', 'rotate', 'delete'] as const)(
  "somebody else's key is not for an org:member: %s",
  async (way) => {
    const manager = managing({ ...key, ownerId: 'user_bob' });
    const attempts = {
      edit: () => manager.edit(member, key.id, { name: 'X' }),
      rotate: () => manager.rotate(member, key.id, 0),
      delete: () => manager.delete(member, key.id),
    };
    await expect(attempts[way]()).rejects.toMatchObject({ kind: 'forbidden' });
  },
);
