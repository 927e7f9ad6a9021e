import { describe, expect, it } from 'vitest';
import { adminCaller } from '../../../test/support/callers.ts';
import type { ResolvedKey } from '../organization/caller.ts';
import { auditKinds } from './audit-kinds.ts';
import type { AuditFilter, AuditStore } from './audit-storage.ts';
import { type AuditQuery, readAudit } from './read-audit.ts';

const caller: ResolvedKey = { ...adminCaller, readOnly: true };
const id = '01942a00-0000-7000-8000-00000000000a';
const moment = '2026-01-02T03:04:05.678Z';

/** Reads an empty log and returns the filters that the store got. */
async function filtersFor(query: Partial<AuditQuery>, by = caller): Promise<readonly AuditFilter[]> {
  const filters: AuditFilter[] = [];
  const audit: AuditStore = {
    async list(_, filter) {
      filters.push(filter);
      return [];
    },
    findActor: async (actor) => (actor === 'ada@example.com' ? 'user_ada' : undefined),
    findWorkspace: async (_, workspace) => (workspace === 'search' ? 'workspace-id' : undefined),
    findPreset: async (workspaceId, slug) =>
      workspaceId === 'workspace-id' && slug === 'ranking' ? 'preset-id' : undefined,
  };
  expect(await readAudit(audit, by, { limit: 5, ...query })).toEqual({ events: [], nextCursor: null });
  return filters;
}

describe('the cursor of an audit query', () => {
  it('a cursor continues after the last event of the previous page', async () => {
    const [filter] = await filtersFor({ cursor: `${moment}_${id.toUpperCase()}` });
    expect(filter?.after).toEqual({ createdAt: moment, id });
  });

  it.each([
    '',
    '_',
    moment,
    id,
    `${moment}_`,
    `_${id}`,
    `${moment}_${id}_`,
    `${moment}_${id} `,
    `${moment}_x${id}`,
    `2026-01-02T03:04:05Z_${id}`,
    `2026-01-02T03:04:05.678+00:00_${id}`,
    `2026-02-30T03:04:05.678Z_${id}`,
    `2026-13-01T03:04:05.678Z_${id}`,
    `2026-01-02T24:00:00.000Z_${id}`,
    `0000-01-02T03:04:05.678Z_${id}`,
    `-00001-01-02T03:04:05.678Z_${id}`,
    `+12026-01-02T03:04:05.678Z_${id}`,
    `not a time_${id}`,
    `${moment}_' OR 1=1 --`,
  ])('the cursor %j is rejected', async (cursor) => {
    await expect(filtersFor({ cursor })).rejects.toMatchObject({
      kind: 'invalid_request',
      issues: [{ path: '/cursor' }],
    });
  });
});

describe('the kind of an audit query', () => {
  it.each(auditKinds)('the kind %s filters by itself', async (kind) => {
    expect((await filtersFor({ kind })).map((filter) => filter.kinds)).toEqual([[kind]]);
  });

  const groups = ['preset', 'key', 'workspace', 'member', 'group', 'account', 'usage'];

  it.each(groups)('the group %s stands for the kinds that begin with its name', async (group) => {
    const [filter] = await filtersFor({ kind: group });
    expect(filter?.kinds).toEqual(auditKinds.filter((kind) => kind.startsWith(`${group}.`)));
  });

  it('every kind is listed once and belongs to a group', () => {
    expect(new Set(auditKinds).size).toBe(auditKinds.length);
    expect(new Set(auditKinds.map((kind) => kind.split('.')[0]))).toEqual(new Set(groups));
  });

  it.each(['', '.', 'key.', 'keys', 'key.creat', 'KEY', 'created', 'toString'])(
    'the kind %j is rejected',
    async (kind) => {
      await expect(filtersFor({ kind })).rejects.toMatchObject({
        kind: 'invalid_request',
        issues: [{ path: '/kind' }],
      });
    },
  );
});

describe('the actor of an audit query', () => {
  it('an actor is looked up, and an unknown actor has no events', async () => {
    expect(await filtersFor({ actor: 'ada@example.com' })).toMatchObject([{ actorId: 'user_ada' }]);
    expect(await filtersFor({ actor: 'eva@example.com' })).toEqual([]);
    expect(await filtersFor({ actor: 'ada\u0000' })).toEqual([]);
    expect(await filtersFor({})).toMatchObject([{ actorId: undefined }]);
  });
});

describe('the workspace of an audit query', () => {
  it('a workspace is found by id or slug, and a preset within it', async () => {
    expect(await filtersFor({ workspace: 'search' })).toMatchObject([{ workspaceId: 'workspace-id' }]);
    const [filter] = await filtersFor({ workspace: 'search', preset: 'ranking' });
    expect(filter).toMatchObject({ presetId: 'preset-id' });
  });

  it.each([{ workspace: 'nobodys' }, { workspace: '' }, { workspace: 'search\u0000' }])(
    'an unknown workspace is not found: %j',
    async (query) => {
      await expect(filtersFor(query)).rejects.toMatchObject({ kind: 'not_found' });
    },
  );
});

describe('the preset of an audit query', () => {
  it('a preset that the workspace does not have is not found', async () => {
    await expect(filtersFor({ workspace: 'search', preset: 'nobodys' })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it.each([
    { preset: 'ranking' },
    { preset: '', workspace: 'search' },
    { preset: '..', workspace: 'search' },
    { preset: 'a\u0000', workspace: 'search' },
    { preset: 'x'.repeat(129), workspace: 'search' },
  ])('a preset without a workspace or with an invalid slug is rejected: %j', async (query) => {
    await expect(filtersFor(query)).rejects.toMatchObject({
      kind: 'invalid_request',
      issues: [{ path: '/preset' }],
    });
  });
});

it.each([
  ['an API key', { ...caller, kind: 'api' as const }, 'unauthenticated'],
  ['a personal key', { ...caller, organizationId: null, defaultWorkspaceId: null }, 'not_found'],
])('%s cannot read the audit log', async (_, by, kind) => {
  await expect(filtersFor({}, by)).rejects.toMatchObject({ kind });
});
