import { describe, expect, it } from 'vitest';
import { recordOfKey, sampleKey } from '../../../test/support/sample-key.ts';
import { defaultContentLog } from '../content-log/content-log-settings.ts';
import { hashSecret, type KeyRecord, labelOf, newSecret } from './api-key.ts';
import { createKey, deleteKey, disableKey, editKey, loosensLimit, rotateKey } from './key-change.ts';
import type { Member } from './organization.ts';
import type { Workspace } from './workspace.ts';

const at = '2026-01-02T00:00:00.000Z';
const earlier = '2026-01-01T00:00:00.000Z';
const later = '2026-01-03T00:00:00.000Z';

const key = recordOfKey(sampleKey());

it.each([
  ['lowering it', { limitNanos: 1 }, false],
  ['raising it', { limitNanos: 3 }, true],
  ['removing it', { limitNanos: null }, true],
  ['removing and resetting it', { limitNanos: null, limitReset: null }, true],
  ['never resetting it', { limitReset: null }, false],
  ['resetting it every month', { limitReset: 'monthly' }, false],
  ['resetting it every day', { limitReset: 'daily' }, true],
  ['lowering it and resetting it every day', { limitNanos: 1, limitReset: 'daily' }, true],
  ['changing nothing', {}, false],
] as const)('whether more can be spent with a weekly limit after %s', (_, changes, expected) => {
  const limited = { ...key, limitNanos: 2, limitReset: 'weekly' } as const;
  expect(loosensLimit(limited, { ...limited, ...changes })).toBe(expected);
});

it('a limit that never resets is stricter than every other, and no limit is the loosest', () => {
  for (const limitReset of ['daily', 'weekly', 'monthly'] as const) {
    const limited = { ...key, limitNanos: 2, limitReset: null };
    expect(loosensLimit(limited, { ...limited, limitReset })).toBe(true);
    expect(loosensLimit(key, { ...limited, limitReset })).toBe(false);
    expect(loosensLimit(key, { ...key, limitReset })).toBe(false);
  }
});

describe('editKey', () => {
  it('editing a key changes only the given fields, with one event per difference', () => {
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
  ])('editing a key to %o changes nothing if that is already the case', (wanted, current) => {
    expect(editKey(wanted)(current, at)).toBeUndefined();
  });

  it('the presets of an API key can be replaced, removed and kept', () => {
    const limited = { ...key, presets: ['bot'] };
    const change = editKey({ presets: ['faq', 'bot', 'faq'] })(limited, at);
    expect(change?.next).toMatchObject({ presets: ['faq', 'bot'] });
    expect(change?.events).toMatchObject([
      { kind: 'key.presets_changed', before: { presets: 'bot' }, after: { presets: 'faq, bot' } },
    ]);
    expect(editKey({ presets: null })(limited, at)?.next).toMatchObject({ presets: null });
    expect(editKey({ name: 'X' })(limited, at)?.next).toMatchObject({ presets: ['bot'] });
    expect(editKey({ presets: ['bot'] })(limited, at)).toBeUndefined();
  });

  it('a limit and its reset change together, with one event in dollars', () => {
    const limited = { ...key, limitNanos: 20_000_000_000 };
    const change = editKey({ limitNanos: 12_500_000_000, limitReset: 'daily' })(limited, at);
    expect(change?.next).toMatchObject({ limitNanos: 12_500_000_000, limitReset: 'daily' });
    expect(change?.events).toMatchObject([
      {
        kind: 'key.limit_changed',
        before: { limit: 20, limit_reset: null },
        after: { limit: 12.5, limit_reset: 'daily' },
      },
    ]);
    expect(editKey({ limitNanos: null })(limited, at)?.next).toMatchObject({ limitNanos: null });
    expect(editKey({ limitNanos: 20_000_000_000, limitReset: null })(limited, at)).toBeUndefined();
    for (const rule of [editKey({ name: 'X' }), disableKey, rotateKey('s', 0)])
      expect(rule(limited, at)?.next).toMatchObject({ limitNanos: 20_000_000_000 });
  });

  it.each([
    ['a management key', { ...key, kind: 'management' as const, workspaceId: null }, 'must be omitted'],
    ['a key whose owner has left', { ...key, ownerHasAccess: false }, 'no longer has access'],
    ['a key, to a preset that does not exist', key, 'is gone, which is neither the slug nor an alias'],
  ])('%s cannot be limited to presets', (_, current, message) => {
    expect(() => editKey({ presets: ['gone'] }, new Set(['gone']))(current, at)).toThrow(message);
  });

  it('null removes the expiry of a key, undefined keeps it', () => {
    const expiring = { ...key, expiresAt: later };
    expect(editKey({ expiresAt: null })(expiring, at)?.next).toMatchObject({ expiresAt: null });
    expect(editKey({ name: 'X', expiresAt: undefined })(expiring, at)?.next).toMatchObject({
      expiresAt: later,
    });
  });

  const orphaned = { ...key, ownerHasAccess: false };

  it.each([
    ['enabled', { ...orphaned, disabled: true }, { disabled: false }],
    ['given a later expiry', { ...orphaned, expiresAt: earlier }, { expiresAt: later }],
    ['given a later expiry at the last moment', { ...orphaned, expiresAt: at }, { expiresAt: later }],
    ['given no expiry', { ...orphaned, expiresAt: earlier }, { expiresAt: null }],
    ['enabled while expired', { ...orphaned, disabled: true, expiresAt: earlier }, { disabled: false }],
    ['extended while disabled', { ...orphaned, disabled: true, expiresAt: earlier }, { expiresAt: null }],
  ])('a key of a former member cannot be %s', (_, current, wanted) => {
    expect(() => editKey(wanted)(current, at)).toThrow(
      expect.objectContaining({ kind: 'conflict', message: expect.stringContaining('ada@example.com') }),
    );
    expect(editKey(wanted)({ ...current, ownerHasAccess: true }, at)).toBeDefined();
  });

  it.each([
    ['renamed', { ...orphaned, disabled: true }, { name: 'X' }],
    ['disabled', orphaned, { disabled: true }],
    ['given an expiry', orphaned, { expiresAt: later }],
    ['renamed when expired', { ...orphaned, expiresAt: earlier }, { name: 'X' }],
  ])('a key of a former member can be %s', (_, current, wanted) => {
    expect(editKey(wanted)(current, at)?.next).toMatchObject(wanted);
  });

  it('disabling a disabled key changes nothing', () => {
    const change = disableKey(key, at);
    expect(change?.next).toEqual({ ...key, disabled: true, updatedAt: at });
    expect(change?.next && disableKey(change.next, later)).toBeUndefined();
  });
});

describe('moving a key with editKey', () => {
  const member: Member = {
    id: 'user_ada',
    email: 'ada@example.com',
    firstName: '',
    lastName: '',
    role: 'org:member',
    workspaceRole: 'admin',
    deactivatedAt: null,
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
    contentLog: defaultContentLog,
  };
  const placement = { owner: member, workspace: target, workspaceRole: 'editor' as const };
  const move = editKey({ workspaceId: 'target' });
  const kinds = (change: ReturnType<typeof move>) => change?.events.map(({ kind }) => kind);

  it('a move changes only the workspace, and records both workspaces', () => {
    const change = move(key, at, placement);
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

  it('a move to the default workspace needs no membership', () => {
    const toDefault = { ...placement, workspace: { ...target, isDefault: true } };
    expect(kinds(move(key, at, toDefault))).toEqual(['key.moved']);
  });

  it('a move adds an owning org:admin to the workspace', () => {
    const change = move(key, at, { ...placement, owner: admin, workspaceRole: undefined });
    expect([change?.addsOwnerToWorkspace, kinds(change)]).toEqual([
      true,
      ['workspace.member_added', 'key.moved'],
    ]);
  });

  it('a move to the current workspace changes nothing', () => {
    expect(move({ ...key, workspaceId: 'target' }, at, placement)).toBeUndefined();
  });

  it('a move to a workspace of the owner lets a disabled key be enabled again', () => {
    const stranded = { ...key, disabled: true, ownerHasAccess: false };
    const change = editKey({ workspaceId: 'target', disabled: false })(stranded, at, placement);
    expect(change?.next).toMatchObject({ disabled: false, workspaceId: 'target', ownerHasAccess: true });
  });

  const management: KeyRecord = { ...key, kind: 'management', workspaceId: null };

  it('moving a management key to the default workspace changes nothing', () => {
    const toDefault = { ...placement, workspace: { ...target, isDefault: true } };
    expect(move(management, at, toDefault)).toBeUndefined();
  });

  it.each([
    ['moving a management key', management, placement, 'invalid_request'],
    ['moving to an unknown workspace', key, { ...placement, workspace: undefined }, 'not_found'],
    [
      'moving to a workspace that the owner does not belong to',
      key,
      { ...placement, workspaceRole: undefined },
      'invalid_request',
    ],
    ['moving a key of a former member', key, { ...placement, owner: undefined }, 'invalid_request'],
  ])('%s is rejected', (_, current, destination, kind) => {
    expect(() => move(current, at, destination)).toThrow(expect.objectContaining({ kind }));
  });
});

describe('rotateKey', () => {
  it.each([
    [0, null, at],
    [1, '2026-01-02T00:00:00.001Z', '2026-01-02T00:00:00.001Z'],
    [86_400_000, later, later],
  ])(
    'a rotation with a grace period of %i ms keeps previous secrets until %s',
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

  it('neither a rotation nor its events contain the secret', () => {
    const secret = newSecret();
    const change = rotateKey(secret, 0)(key, at);
    expect(JSON.stringify(change)).not.toContain(secret);
    expect(JSON.stringify(change?.events)).not.toContain(hashSecret(secret));
  });
});

it('deleting a key records its last state', () => {
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

describe('createKey', () => {
  const member: Member = {
    id: 'user_ada',
    email: 'ada@example.com',
    firstName: '',
    lastName: '',
    role: 'org:member',
    workspaceRole: 'admin',
    deactivatedAt: null,
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
    contentLog: defaultContentLog,
  };
  const placement = { owner: member, workspace, workspaceRole: 'editor' as const };
  const kinds = ({ events }: ReturnType<typeof createKey>) => events.map(({ kind }) => kind);

  it.each([
    ['in a workspace of theirs', key, placement],
    ['in the default workspace', key, { ...placement, workspace: { ...workspace, isDefault: true } }],
    [
      'in no workspace',
      { ...key, kind: 'management' as const, workspaceId: null },
      { ...placement, workspace: undefined, workspaceRole: undefined },
    ],
  ])('a key for an org:member %s only records key.created', (_, newKey, placement) => {
    const creation = createKey(newKey, placement);
    expect(creation.addsOwnerToWorkspace).toBe(false);
    expect(kinds(creation)).toEqual(['key.created']);
  });

  it('a key for an org:admin adds them to the workspace first', () => {
    const owner = { ...member, role: 'org:admin' } as const;
    const creation = createKey(key, { ...placement, owner, workspaceRole: undefined });
    expect(creation.addsOwnerToWorkspace).toBe(true);
    expect(kinds(creation)).toEqual(['workspace.member_added', 'key.created']);
    const [added, created] = creation.events.map(({ id }) => id);
    expect((added ?? '') < (created ?? '')).toBe(true);
  });

  it.each([
    ['org:member', 'viewer', 'write', false],
    ['org:member', 'viewer', 'read', true],
    ['org:member', 'viewer', 'call', true],
    ['org:member', 'editor', 'write', true],
    ['org:admin', 'viewer', 'write', true],
  ] as const)('an %s who is a %s can get a key with the scope %s: %s', (role, workspaceRole, scope, can) => {
    const create = () =>
      createKey({ ...key, scope }, { ...placement, owner: { ...member, role }, workspaceRole });
    if (can) expect(kinds(create())).toEqual(['key.created']);
    else
      expect(create).toThrow(
        expect.objectContaining({
          issues: [{ path: '/scope', message: expect.stringContaining('must be call or read') }],
        }),
      );
  });

  it.each([
    ['a key for a non-member', { ...placement, owner: undefined }, 'invalid_request'],
    [
      'a key for an org:member of another workspace',
      { ...placement, workspaceRole: undefined },
      'invalid_request',
    ],
    ['a key in an unknown workspace', { ...placement, workspace: undefined }, 'not_found'],
    [
      'a key for a non-member in an unknown workspace',
      { owner: undefined, workspace: undefined, workspaceRole: undefined },
      'invalid_request',
    ],
  ])('%s is rejected', (_, placement, kind) => {
    expect(() => createKey(key, placement)).toThrow(expect.objectContaining({ kind }));
  });
});
