import { describe, expect, it } from 'vitest';
import { hashSecret, type KeyRecord, labelOf, newSecret, type ResolvedKey } from './api-key.ts';
import { createKey, deleteKey, disableKey, editKey, rotateKey } from './key-change.ts';
import type { Member } from './organization.ts';
import type { ManagementCaller } from './organization-access.ts';
import { assertMayChangeKeysOf } from './organization-access.ts';
import type { Workspace } from './workspace.ts';

const at = '2026-01-02T00:00:00.000Z';
const earlier = '2026-01-01T00:00:00.000Z';
const later = '2026-01-03T00:00:00.000Z';

const key: KeyRecord = {
  id: 'key-1',
  secretHash: 'hash',
  label: 'sk-pst-v1-ab1…9f2',
  name: 'Mine',
  kind: 'api',
  readOnly: false,
  ownerId: 'user_ada',
  organizationId: 'org',
  workspaceId: 'workspace',
  disabled: false,
  expiresAt: null,
  createdAt: earlier,
  updatedAt: null,
  lastUsedAt: null,
  retiredSecretExpiresAt: null,
  ownerEmail: 'ada@example.com',
  ownerHasAccess: true,
};

describe('editing a key', () => {
  it('changes what is given, leaves the rest, and tells of each difference', () => {
    const change = editKey({ name: 'Yours', disabled: undefined, expiresAt: later })(key, at);
    expect(change).toMatchObject({ at, next: { ...key, name: 'Yours', expiresAt: later, updatedAt: at } });
    expect(change?.events.map(({ kind, before, after }) => [kind, before, after])).toEqual([
      ['key.renamed', { name: 'Mine' }, { name: 'Yours' }],
      ['key.expiry_changed', { expires_at: null }, { expires_at: later }],
    ]);
    for (const event of change?.events ?? [])
      expect(event).toMatchObject({ workspaceId: 'workspace', subject: { id: 'key-1', name: key.label } });
  });

  it.each([
    [{}, key],
    [{ name: 'Mine', disabled: false, expiresAt: null }, key],
    [{ expiresAt: later }, { ...key, expiresAt: later }],
    [{ disabled: true }, { ...key, disabled: true, ownerHasAccess: false }],
  ])('to %o is nothing where it is so already', (wanted, current) => {
    expect(editKey(wanted)(current, at)).toBeUndefined();
  });

  it('takes an expiry away with null, and leaves it with undefined', () => {
    const expiring = { ...key, expiresAt: later };
    expect(editKey({ expiresAt: null })(expiring, at)?.next).toMatchObject({ expiresAt: null });
    expect(editKey({ name: 'X', expiresAt: undefined })(expiring, at)?.next).toMatchObject({
      expiresAt: later,
    });
  });

  const gone = { ...key, ownerHasAccess: false };

  it.each([
    ['enabled', { ...gone, disabled: true }, { disabled: false }],
    ['given a later expiry', { ...gone, expiresAt: earlier }, { expiresAt: later }],
    ['given a later expiry at the last moment', { ...gone, expiresAt: at }, { expiresAt: later }],
    ['given no expiry', { ...gone, expiresAt: earlier }, { expiresAt: null }],
    ['enabled while expired', { ...gone, disabled: true, expiresAt: earlier }, { disabled: false }],
    ['prolonged while disabled', { ...gone, disabled: true, expiresAt: earlier }, { expiresAt: null }],
  ])('whose owner is gone is refused when it is to be %s', (_, current, wanted) => {
    expect(() => editKey(wanted)(current, at)).toThrow(
      expect.objectContaining({ kind: 'conflict', message: expect.stringContaining('ada@example.com') }),
    );
    expect(editKey(wanted)({ ...current, ownerHasAccess: true }, at)).toBeDefined();
  });

  it.each([
    ['renamed', { ...gone, disabled: true }, { name: 'X' }],
    ['disabled', gone, { disabled: true }],
    ['given an expiry', gone, { expiresAt: later }],
    ['renamed when expired', { ...gone, expiresAt: earlier }, { name: 'X' }],
  ])('whose owner is gone can be %s', (_, current, wanted) => {
    expect(editKey(wanted)(current, at)?.next).toMatchObject(wanted);
  });

  it('can disable it once', () => {
    const change = disableKey(key, at);
    expect(change?.next).toEqual({ ...key, disabled: true, updatedAt: at });
    expect(change?.next && disableKey(change.next, later)).toBeUndefined();
  });
});

describe('moving a key', () => {
  const member: Member = {
    id: 'user_ada',
    email: 'ada@example.com',
    firstName: '',
    lastName: '',
    role: 'org:member',
  };
  const admin: Member = { ...member, role: 'org:admin' };
  const target: Workspace = {
    id: 'target',
    organizationId: 'org',
    slug: 'room',
    name: 'Room',
    description: null,
    createdBy: null,
    createdAt: earlier,
    updatedAt: null,
    isDefault: false,
    memberCount: 0,
  };
  const site = { owner: member, workspace: target, isWorkspaceMember: true };
  const move = editKey({ workspaceId: 'target' });
  const kinds = (change: ReturnType<typeof move>) => change?.events.map(({ kind }) => kind);

  it('changes its workspace alone, and records both workspaces', () => {
    const change = move(key, at, site);
    expect(change).toMatchObject({ at, next: { ...key, workspaceId: 'target', updatedAt: at } });
    expect(change?.addsOwnerToWorkspace).toBeUndefined();
    expect(change?.events).toMatchObject([
      {
        kind: 'key.moved',
        workspaceId: 'target',
        before: { workspace_id: 'workspace' },
        after: { workspace_id: 'target' },
      },
    ]);
  });

  it('to the default workspace needs no membership', () => {
    const toDefault = { ...site, workspace: { ...target, isDefault: true }, isWorkspaceMember: false };
    expect(kinds(move(key, at, toDefault))).toEqual(['key.moved']);
  });

  it('adds an org:admin who owns it to the workspace', () => {
    const change = move(key, at, { ...site, owner: admin, isWorkspaceMember: false });
    expect([change?.addsOwnerToWorkspace, kinds(change)]).toEqual([
      true,
      ['workspace.member_added', 'key.moved'],
    ]);
  });

  it('to where it is already does nothing', () => {
    expect(move({ ...key, workspaceId: 'target' }, at, site)).toBeUndefined();
  });

  it('lets the owner of a disabled key use it again where they belong', () => {
    const stranded = { ...key, disabled: true, ownerHasAccess: false };
    const change = editKey({ workspaceId: 'target', disabled: false })(stranded, at, site);
    expect(change?.next).toMatchObject({ disabled: false, workspaceId: 'target', ownerHasAccess: true });
  });

  const management: KeyRecord = { ...key, kind: 'management', workspaceId: null };

  it('does nothing to a management key that is told to stay in the default workspace', () => {
    const toDefault = { ...site, workspace: { ...target, isDefault: true } };
    expect(move(management, at, toDefault)).toBeUndefined();
  });

  it.each([
    ['of the management kind', management, site, 'invalid_request'],
    ['to an unknown workspace', key, { ...site, workspace: undefined }, 'not_found'],
    [
      'to a workspace that its owner does not belong to',
      key,
      { ...site, isWorkspaceMember: false },
      'invalid_request',
    ],
    ['of somebody who left', key, { ...site, owner: undefined }, 'invalid_request'],
  ])('%s is refused', (_, current, destination, kind) => {
    expect(() => move(current, at, destination)).toThrow(expect.objectContaining({ kind }));
  });
});

describe('rotating a key', () => {
  it.each([
    [0, null, at],
    [1, '2026-01-02T00:00:00.001Z', '2026-01-02T00:00:00.001Z'],
    [86_400_000, later, later],
  ])(
    'with a grace of %i ms keeps older secrets until %s',
    (graceMs, retiredSecretExpiresAt, oldSecretsExpireAt) => {
      const secret = newSecret();
      expect(rotateKey(secret, graceMs)(key, at)).toMatchObject({
        at,
        oldSecretsExpireAt,
        next: {
          ...key,
          secretHash: hashSecret(secret),
          label: labelOf(secret),
          updatedAt: at,
          retiredSecretExpiresAt,
        },
        events: [
          {
            kind: 'key.rotated',
            subject: { id: 'key-1', name: labelOf(secret) },
            before: { label: key.label },
            after: { label: labelOf(secret), previous_secret_expires_at: oldSecretsExpireAt },
          },
        ],
      });
    },
  );

  it('tells no secret', () => {
    const secret = newSecret();
    const change = rotateKey(secret, 0)(key, at);
    expect(JSON.stringify(change)).not.toContain(secret);
    expect(JSON.stringify(change?.events)).not.toContain(hashSecret(secret));
  });
});

it('deleting a key tells what it was', () => {
  expect(deleteKey(key, at)).toMatchObject({
    at,
    next: null,
    events: [
      {
        kind: 'key.deleted',
        before: {
          name: 'Mine',
          kind: 'api',
          read_only: false,
          creator_user_id: 'user_ada',
          expires_at: null,
        },
        after: null,
      },
    ],
  });
});

describe('making a key', () => {
  const member: Member = {
    id: 'user_ada',
    email: 'ada@example.com',
    firstName: '',
    lastName: '',
    role: 'org:member',
  };
  const workspace: Workspace = {
    id: 'workspace',
    organizationId: 'org',
    slug: 'room',
    name: 'Room',
    description: null,
    createdBy: null,
    createdAt: earlier,
    updatedAt: null,
    isDefault: false,
    memberCount: 0,
  };
  const inside = { owner: member, workspace, isWorkspaceMember: true };
  const kinds = ({ events }: ReturnType<typeof createKey>) => events.map(({ kind }) => kind);

  it.each([
    ['in a workspace of theirs', key, inside],
    [
      'in the default workspace',
      key,
      { ...inside, workspace: { ...workspace, isDefault: true }, isWorkspaceMember: false },
    ],
    [
      'in no workspace',
      { ...key, kind: 'management' as const, workspaceId: null },
      { ...inside, workspace: undefined, isWorkspaceMember: false },
    ],
  ])('for an org:member %s is told of and nothing more', (_, wanted, site) => {
    const creation = createKey(wanted, site);
    expect(creation.addsOwnerToWorkspace).toBe(false);
    expect(kinds(creation)).toEqual(['key.created']);
  });

  it('for an org:admin makes them join the workspace first', () => {
    const owner = { ...member, role: 'org:admin' } as const;
    const creation = createKey(key, { ...inside, owner, isWorkspaceMember: false });
    expect(creation.addsOwnerToWorkspace).toBe(true);
    expect(kinds(creation)).toEqual(['workspace.member_added', 'key.created']);
    const [added, created] = creation.events.map(({ id }) => id);
    expect((added ?? '') < (created ?? '')).toBe(true);
  });

  it.each([
    ['for a stranger', { ...inside, owner: undefined }, 'invalid_request'],
    ['for an org:member of another workspace', { ...inside, isWorkspaceMember: false }, 'invalid_request'],
    ['where there is no such workspace', { ...inside, workspace: undefined }, 'not_found'],
    [
      'for a stranger where there is no such workspace',
      { owner: undefined, workspace: undefined, isWorkspaceMember: false },
      'invalid_request',
    ],
  ])('%s is refused', (_, site, kind) => {
    expect(() => createKey(key, site)).toThrow(expect.objectContaining({ kind }));
  });
});

describe('a key of somebody else', () => {
  const manager = (ownerRole: ResolvedKey['ownerRole']): ManagementCaller => ({
    ...key,
    kind: 'management',
    workspaceId: null,
    organizationId: 'org',
    defaultWorkspaceId: 'workspace',
    ownerRole,
    ownerWorkspaceIds: [],
    secretExpiresAt: null,
  });

  it('is changed by an org:admin only', () => {
    assertMayChangeKeysOf(manager('org:admin'), 'user_eva');
    assertMayChangeKeysOf(manager('org:member'), 'user_ada');
    expect(() => assertMayChangeKeysOf(manager('org:member'), 'user_eva')).toThrow(
      expect.objectContaining({ kind: 'forbidden' }),
    );
  });
});
