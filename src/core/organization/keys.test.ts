import { describe, expect, it } from 'vitest';
import { recordOfKey, resolvedKey, sampleKey } from '../../../test/support/sample-key.ts';
import type { KeyRecord } from './api-key.ts';
import type { Authenticator } from './authenticate.ts';
import type { Caller } from './caller.ts';
import { createKeys, type NewKey } from './keys.ts';
import type { KeyStore } from './organization-storage.ts';

const now = '2026-01-02T00:00:00.000Z';
const before = '2026-01-01T23:59:59.999Z';
const after = '2026-01-02T00:00:00.001Z';
const key = recordOfKey(
  sampleKey({ id: '01942a00-0000-7000-8000-00000000000a', kind: 'management', workspaceId: null }),
);
const admin: Caller = resolvedKey(key);
const member: Caller = { ...admin, ownerRole: 'org:member', workspaceRoles: { workspace: 'editor' } };

/** Key management over a store that contains only this key. */
function keysOver(stored: KeyRecord) {
  const keys: KeyStore = {
    find: () => expect.fail(),
    get: async () => stored,
    list: async () => [stored],
    create: async (made) => ({ ...stored, ...made }),
    change: async (_organizationId, _reference, _author, decide) => decide(stored, undefined)?.next ?? stored,
    recordLastUses: () => expect.fail(),
    recordFirstUse: () => expect.fail(),
  };
  const authenticator: Authenticator = {
    authenticate: () => expect.fail(),
    authenticateSession: () => expect.fail(),
    reauthenticate: () => expect.fail(),
    invalidateAfter: (work) => work,
  };
  return createKeys(keys, { state: () => expect.fail() }, () => now, authenticator);
}

describe('the grace period of a rotated secret', () => {
  it.each([
    [null, null],
    [before, null],
    [now, null],
    [after, after],
  ])('a grace period until %s is reported as %s', async (retiredSecretExpiresAt, reported) => {
    const keys = keysOver({ ...key, retiredSecretExpiresAt });
    const page = { offset: 0, limit: 10 };
    const expected = { retiredSecretExpiresAt: reported };
    expect(await keys.get(admin, key.id)).toMatchObject(expected);
    expect(await keys.list(admin, { isMine: false, includeDisabled: true, page })).toMatchObject([expected]);
    expect(await keys.edit(admin, key.id, { name: 'Other' })).toMatchObject(expected);
  });
});

describe('a new key', () => {
  const details: NewKey = {
    name: 'New',
    kind: 'api',
    readOnly: false,
    scope: 'write',
    presets: null,
    expiresAt: null,
    ownerId: undefined,
    workspaceId: undefined,
  };

  it('a new key belongs to the caller and the default workspace by default', async () => {
    const made = await keysOver(key)
      .create(member, details)
      .then(({ key: { ownerId, workspaceId } }) => ({
        ownerId,
        workspaceId,
      }));
    expect(made).toEqual({ ownerId: 'user_ada', workspaceId: 'workspace' });
    const id = '01942A00-0000-7000-8000-00000000000A';
    const other = await keysOver(key).create(admin, { ...details, ownerId: 'user_bob', workspaceId: id });
    expect(other.key).toMatchObject({ ownerId: 'user_bob', workspaceId: id.toLowerCase() });
  });

  it.each([
    ['that has expired', { expiresAt: now }, '/expires_at'],
    ['of kind management with a workspace', { kind: 'management', workspaceId: 'x' }, '/workspace_id'],
    ['of kind api that is read-only', { readOnly: true }, '/read_only'],
    ['of kind management with a scope', { kind: 'management', scope: 'call' }, '/scope'],
    ['of kind management with presets', { kind: 'management', presets: ['a'] }, '/presets'],
    ['with a name that no preset can have', { presets: ['a', 'b c'] }, '/presets/1'],
    ['with a two-line name', { name: 'a\nb' }, '/name'],
    ['with an unstorable owner id', { ownerId: 'a\u0000' }, '/creator_user_id'],
  ] as const)('a new key %s is rejected', async (_, changes, path) => {
    await expect(keysOver(key).create(admin, { ...details, ...changes })).rejects.toMatchObject({
      kind: 'invalid_request',
      issues: [{ path }],
    });
  });

  it('only an org:admin can create a key for someone else', async () => {
    await expect(keysOver(key).create(member, { ...details, ownerId: 'user_bob' })).rejects.toMatchObject({
      kind: 'forbidden',
    });
  });
});

it.each(['edit', 'rotate', 'delete'] as const)(
  'an org:member cannot %s the key of someone else',
  async (action) => {
    const keys = keysOver({ ...key, ownerId: 'user_bob' });
    const attempts = {
      edit: () => keys.edit(member, key.id, { name: 'X' }),
      rotate: () => keys.rotate(member, key.id, 0),
      delete: () => keys.delete(member, key.id),
    };
    await expect(attempts[action]()).rejects.toMatchObject({ kind: 'not_found' });
  },
);

describe('the limit of a key', () => {
  const limited = { ...key, limitNanos: 20, limitReset: 'weekly' } as const;
  const looser = [{ limitNanos: 21 }, { limitNanos: null }, { limitReset: 'daily' }] as const;

  it('an org:member can limit their own keys and lower a limit', async () => {
    expect(await keysOver(key).edit(member, key.id, { limitNanos: 9 })).toMatchObject({ limitNanos: 9 });
    for (const changes of [{ limitNanos: 0 }, { limitReset: 'monthly' }, { limitReset: null }] as const)
      expect(await keysOver(limited).edit(member, key.id, changes)).toMatchObject(changes);
    expect(await keysOver(limited).edit(member, key.id, { name: 'X' })).toMatchObject({ limitNanos: 20 });
  });

  it.each(looser)('only an org:admin can change it to %o', async (changes) => {
    expect(await keysOver(limited).edit(admin, key.id, changes)).toMatchObject(changes);
    await expect(keysOver(limited).edit(member, key.id, changes)).rejects.toMatchObject({
      kind: 'forbidden',
      message: `Only an org:admin can raise or remove the spending limit of a key, or make it reset more often; the owner of ${key.label} is an org:member.`,
    });
  });
});
