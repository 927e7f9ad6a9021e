import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subjectOfKey } from '../../src/core/budgets/key-limit.ts';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret } from '../../src/core/organization/api-key.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { strictestEngine } from '../support/engines.ts';
import { addOrganization, makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import {
  apiKey,
  managementKey,
  startServerOn,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../support/server.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';
import { addKey, withStorage } from '../support/storage-access.ts';

const billing = {
  limit: null,
  limit_remaining: null,
  limit_reset: null,
  include_byok_in_limit: false,
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const secretForm = /^sk-pst-v1-[0-9a-f]{64}$/;
const labelForm = /^sk-pst-v1-[0-9a-f]{3}…[0-9a-f]{3}$/;

/** Invalid times. */
const badTimes = [
  '2026-02-30T00:00:00Z',
  '2030-01-01T23:59:60Z',
  '2030-01-01T24:00:00Z',
  '2030-13-01T00:00:00Z',
  '2030-01-01T00:00:00',
  '2030-01-01T00:00:00+25:00',
  '2030-01-01',
  '2030-01-01 00:00:00Z',
  '+12030-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  'tomorrow',
  '',
  '2030-01-01T00:00:00Z\0',
];

const badLimits: readonly [string, object][] = [
  ['/limit', { limit: '10' }],
  ['/limit', { limit: -0.01 }],
  ['/limit', { limit: 9_000_000.01 }],
  ['/limit', { limit: 0.000_000_000_5 }],
  ['/limit', { limit: 0.1 + 0.2 }],
  ['/limit_reset', { limit_reset: 'yearly' }],
  ['/limit_reset', { limit_reset: '' }],
  ['/limit_reset', { limit: 1, limit_reset: 'DAILY' }],
];

describe('keys', () => {
  let server: TestServer;
  let second: TestServer;
  let adminId: string;
  let adminEmail: string;
  let defaultWorkspace: string;
  beforeAll(async () => {
    server = await startTestServer(strictestEngine);
    second = await startServerOn(server.database);
    const { data } = (await server.get('/api/v1/organization/members')).body;
    [{ id: adminId, email: adminEmail }] = data;
    defaultWorkspace = (await server.get('/api/v1/workspaces/default')).body.data.id;
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  const send = (method: string, path: string, body?: unknown, key: string | null = managementKey) =>
    server.send(method, `/api/v1${path}`, body, { key });
  const current = (secret: string, on = server) => on.get('/api/v1/key', { key: secret });
  const keyAt = async (reference: string) => (await send('GET', `/keys/${reference}`)).body.data;
  const patch = (id: string, body: unknown) => send('PATCH', `/keys/${id}`, body);
  const issuePaths = ({ body }: TestResponse): readonly string[] =>
    (body.error.metadata?.issues ?? []).map(({ path }: { path: string }) => path);
  const state = async () => [
    (await send('GET', '/keys?include_disabled=true')).text.replaceAll(/"last_used_at":[^,]+/g, ''),
    (await send('GET', '/audit?limit=1')).text,
  ];

  describe('creating keys', () => {
    it('a new key has all fields, empty billing, and its secret only once', async () => {
      const response = await send('POST', '/keys', { name: 'CI' });
      expect(response.status).toBe(201);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.body).toEqual({
        data: {
          hash: expect.stringMatching(uuid),
          label: expect.stringMatching(labelForm),
          name: 'CI',
          kind: 'api',
          read_only: false,
          scope: 'write',
          presets: null,
          disabled: false,
          ...billing,
          created_at: expect.stringMatching(time),
          updated_at: null,
          expires_at: null,
          last_used_at: null,
          previous_secret_expires_at: null,
          creator_user_id: adminId,
          creator_email: adminEmail,
          external_user: null,
          workspace_id: defaultWorkspace,
        },
        key: expect.stringMatching(secretForm),
      });
      const { data, key } = response.body;
      expect(data.label).toBe(`${key.slice(0, 13)}…${key.slice(-3)}`);
      expect(data.hash).not.toBe(hashSecret(key));
      expect((await send('GET', `/keys/${data.hash}`)).body).toEqual({ data });
      expect((await send('GET', '/keys')).body.data[0]).toEqual(data);
    });

    it('GET /key returns the key of the request', async () => {
      const workspace = await makeWorkspace(server, 'current');
      for (const slug of ['one', 'two'])
        await send('POST', `/presets/${slug}/responses?workspace_id=${workspace}`, { model: 'm' });
      const made = await makeKey(server, {
        name: 'Current',
        workspace_id: workspace.toUpperCase(),
        scope: 'call',
        presets: ['one', 'two', 'one'],
        expires_at: '2040-01-01T00:00:00+02:00',
      });
      const response = await current(made.secret);
      expect([response.status, response.body]).toEqual([
        200,
        {
          data: {
            hash: made.id,
            label: made.label,
            name: 'Current',
            kind: 'api',
            read_only: false,
            scope: 'call',
            presets: ['one', 'two'],
            is_management_key: false,
            is_provisioning_key: false,
            is_free_tier: false,
            ...billing,
            budgets: [],
            effective_budget: null,
            expires_at: '2039-12-31T22:00:00.000Z',
            creator_user_id: adminId,
            workspace_id: workspace,
            organization_id: expect.stringMatching(uuid),
            allowed_data_regions: ['global'],
            free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
            rate_limit: { requests: -1, interval: '1m', note: 'No limit.' },
          },
        },
      ]);
      expect((await current(managementKey)).body.data).toMatchObject({
        kind: 'management',
        scope: 'write',
        presets: null,
        is_management_key: true,
        is_provisioning_key: true,
        workspace_id: null,
        organization_id: response.body.data.organization_id,
      });
      const personal = await addKey(server.database, { organizationId: null });
      expect((await current(personal)).body.data).toMatchObject({
        organization_id: null,
        workspace_id: null,
        is_management_key: true,
      });
    });

    it.each([
      [{}, { kind: 'api', read_only: false }],
      [
        { kind: 'api', read_only: false },
        { kind: 'api', read_only: false },
      ],
      [{ kind: 'management' }, { kind: 'management', read_only: false }],
      [
        { kind: 'management', read_only: true },
        { kind: 'management', read_only: true },
      ],
      [{ kind: 'read_only' }, { kind: 'management', read_only: true }],
      [{ expires_at: null, creator_user_id: null }, { expires_at: null }],
      [{ expires_at: '2040-02-29T12:00:00.123456789Z' }, { expires_at: '2040-02-29T12:00:00.123Z' }],
      [{ limit: null, limit_reset: null, include_byok_in_limit: false, external: null }, { limit: null }],
      [{ limit: 20 }, { limit: 20, limit_remaining: 20, limit_reset: null }],
      [
        { limit: 0, limit_reset: 'daily' },
        { limit: 0, limit_remaining: 0, limit_reset: 'daily' },
      ],
      [{ limit: 0.000_000_001, limit_reset: 'weekly' }, { limit_remaining: 0.000_000_001 }],
      [{ limit: 8_999_999.99 }, { limit: 8_999_999.99, limit_remaining: 8_999_999.99 }],
      [{ limit_reset: 'monthly' }, { limit: null, limit_remaining: null, limit_reset: 'monthly' }],
      [{ name: '鍵 "🔑" <b>\'; DROP TABLE api_keys; --' }, {}],
      [{ name: '🔑'.repeat(200) }, {}],
    ])('a key created with %j has %j', async (fields, expected) => {
      const { status, body } = await send('POST', '/keys', { name: 'A key', ...fields });
      expect([status, body.data]).toMatchObject([201, { ...('name' in fields && fields), ...expected }]);
      expect(body.data.workspace_id).toBe(defaultWorkspace);
      expect((await current(body.key)).status).toBe(200);
    });

    it.each([
      ['/name', { name: undefined }],
      ['/name', { name: '' }],
      ['/name', { name: '  ' }],
      ['/name', { name: 'x'.repeat(201) }],
      ['/name', { name: 'two\nlines' }],
      ['/name', { name: 'tab\t' }],
      ['/name', { name: 'nul\0' }],
      ['/name', { name: 'del\x7f' }],
      ['/name', { name: 'half \ud83d' }],
      ['/name', { name: 1 }],
      ['/name', { name: null }],
      ['/kind', { kind: 'admin' }],
      ['/kind', { kind: null }],
      ['/read_only', { read_only: true }],
      ['/read_only', { kind: 'api', read_only: true }],
      ['/read_only', { kind: 'management', read_only: 'yes' }],
      ...badLimits,
      ['/include_byok_in_limit', { include_byok_in_limit: true }],
      ['/external', { external: { id: 'x' } }],
      ['/external', { external: false }],
      ['/expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
      ['/expires_at', { expires_at: 1_900_000_000 }],
      ...badTimes.map((expires_at): [string, object] => ['/expires_at', { expires_at }]),
      ['/creator_user_id', { creator_user_id: '' }],
      ['/creator_user_id', { creator_user_id: 'user_none' }],
      ['/creator_user_id', { creator_user_id: 'x'.repeat(10_000) }],
      ['/creator_user_id', { creator_user_id: 'nul\0' }],
      ['/creator_user_id', { creator_user_id: 'half \ud83d' }],
      ['/workspace_id', { workspace_id: 'default' }],
      ['/workspace_id', { workspace_id: null }],
      ['/workspace_id', { kind: 'management', workspace_id: newId() }],
      ['/workspace_id', { kind: 'read_only', workspace_id: newId() }],
      ['/disabled', { disabled: false }],
      ['/hash', { hash: newId() }],
      ['/key', { key: 'sk-pst-v1-chosen' }],
      ['/__proto__', JSON.parse('{"__proto__":{"kind":"management"}}')],
    ])('rejects a new key that is invalid at %s: %j', async (path, fields) => {
      const before = await state();
      const body = JSON.stringify({ name: 'A key', ...fields });
      // A spread does not copy __proto__.
      const sent = path === '/__proto__' ? '{"name":"A key","__proto__":{"kind":"management"}}' : body;
      const response = await send('POST', '/keys', sent);
      expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
      expect(response.body.error.message).toContain(path);
      expect(await state()).toEqual(before);
    });

    it.each([
      [{ limit: 9_000_000.01 }, '/limit must be at most 9000000.'],
      [{ limit: 0.1 + 0.2 }, '/limit must have at most 9 decimals.'],
      [{ limit: -1 }, '/limit must be at least 0.'],
      [{ limit_reset: 'yearly' }, '/limit_reset must be "daily", "weekly", "monthly" or null.'],
      [{ include_byok_in_limit: true }, 'is not supported: presetd has no BYOK usage. Omit it.'],
    ])('explains what is wrong with the limit %j', async (body, message) => {
      for (const response of [
        await send('POST', '/keys', { name: 'x', ...body }),
        await patch(newId(), body),
      ])
        expect([response.status, response.body.error.message]).toEqual([
          400,
          expect.stringContaining(message),
        ]);
    });

    it('the owner of a key is given by id, not by email address', async () => {
      const id = await makeMember(server, 'owner@example.com');
      const made = await makeKey(server, { creator_user_id: id });
      expect(await keyAt(made.id)).toMatchObject({
        creator_user_id: id,
        creator_email: 'owner@example.com',
      });
      for (const kind of ['api', 'management']) {
        const body = { name: 'x', kind, creator_user_id: 'owner@example.com' };
        const response = await send('POST', '/keys', body);
        expect([response.status, issuePaths(response)]).toEqual([400, ['/creator_user_id']]);
      }
    });

    it('an org:member must belong to the workspace of a key; an org:admin is added to it', async () => {
      const workspace = await makeWorkspace(server, 'joining');
      const members = async () =>
        (await send('GET', `/workspaces/${workspace}/members`)).body.data.map(
          ({ user_id: id }: { user_id: string }) => id,
        );
      const memberId = await makeMember(server, 'joiner@example.com');
      const leadId = await makeMember(server, 'lead@example.com', { role: 'org:admin' });
      const create = (creator_user_id: string) =>
        send('POST', '/keys', { name: 'x', workspace_id: workspace, creator_user_id });
      const rejected = await create(memberId);
      expect([rejected.status, issuePaths(rejected)]).toEqual([400, ['/creator_user_id']]);
      expect(rejected.body.error.message).toContain('joiner@example.com');
      expect(await members()).toEqual([adminId]);
      expect((await create(leadId)).status).toBe(201);
      expect((await create(leadId)).status).toBe(201);
      expect(await members()).toEqual([adminId, leadId]);
      await send('POST', `/workspaces/${workspace}/members/add`, { user_ids: [memberId] });
      expect((await create(memberId)).status).toBe(201);
      const unknown = newId();
      const nowhere = await send('POST', '/keys', { name: 'x', workspace_id: unknown });
      expect([nowhere.status, nowhere.body.error.message]).toEqual([
        404,
        `There is no workspace "${unknown}" that you can access.`,
      ]);
    });
  });

  describe('listing keys', () => {
    it('lists the enabled keys of a workspace, newest first', async () => {
      const workspace = await makeWorkspace(server, 'listed');
      const list = async (query = '') => {
        const { status, body } = await send('GET', `/keys?workspace_id=${workspace}${query}`);
        expect([status, Object.keys(body)]).toEqual([200, ['data']]);
        return body.data.map(({ name }: { name: string }) => name);
      };
      expect(await list()).toEqual([]);
      for (const name of ['one', 'two', 'three']) {
        const { id } = await makeKey(server, { name, workspace_id: workspace });
        if (name === 'two') await patch(id, { disabled: true });
      }
      const names = await list();
      expect(names.toSorted()).toEqual(['one', 'three']);
      expect(await list('&include_disabled=false')).toEqual(names);
      expect((await list('&include_disabled=true')).toSorted()).toEqual(['one', 'three', 'two']);
      expect(await list('&include_disabled=true&offset=1')).toEqual(
        (await list('&include_disabled=true')).slice(1),
      );
      expect(await list('&offset=2147483647')).toEqual([]);
      const management = await makeKey(server, { kind: 'management', name: 'everywhere' });
      expect(await list('&include_disabled=true')).not.toContain('everywhere');
      const all = (await send('GET', '/keys')).body.data;
      expect(all[0]).toMatchObject({ hash: management.id, workspace_id: defaultWorkspace });
      expect(all.map(({ name }: { name: string }) => name)).not.toContain('one');
      const times = all.map(({ created_at: at }: { created_at: string }) => at);
      expect(times).toEqual(times.toSorted().toReversed());
    });

    it('lists a hundred keys per page', async () => {
      const workspace = await makeWorkspace(server, 'crowded');
      await Promise.all(Array.from({ length: 103 }, () => makeKey(server, { workspace_id: workspace })));
      const page = async (offset: number) =>
        (await send('GET', `/keys?workspace_id=${workspace}&offset=${offset}`)).body.data.map(
          ({ hash }: { hash: string }) => hash,
        );
      const [first, rest] = [await page(0), await page(100)];
      expect([first.length, rest.length]).toEqual([100, 3]);
      expect(new Set([...first, ...rest]).size).toBe(103);
    });

    it.each([
      ['workspace_id=none', 400],
      ['workspace_id=', 400],
      [`workspace_id=${newId()}`, 404],
      ['offset=-1', 400],
      ['offset=x', 400],
      ['offset=99999999999', 400],
      ['include_disabled=perhaps', 400],
    ])('the key list query %s fails with %i', async (query, status) => {
      expect((await send('GET', `/keys?${query}`)).status).toBe(status);
    });
  });

  describe('references to keys', () => {
    it('finds a key by its id, its label or the SHA-256 of its secret', async () => {
      const made = await makeKey(server, { name: 'Named' });
      const references = [
        made.id,
        made.id.toUpperCase(),
        encodeURIComponent(made.label),
        made.label,
        made.secretHash,
      ];
      for (const reference of references)
        expect([reference, (await keyAt(reference))?.name]).toEqual([reference, 'Named']);
      for (const reference of references) {
        const { body } = await patch(reference, { name: 'Named' });
        expect([reference, body.data?.hash]).toEqual([reference, made.id]);
      }
      for (const reference of [made.secret, newId(), made.id.slice(1), `${made.id}0`, hashSecret('x')]) {
        const response = await send('GET', `/keys/${reference}`);
        expect([response.status, response.body.error.message]).toEqual([
          404,
          `There is no key ${reference} that you can access.`,
        ]);
      }
    });

    it('a label that two keys share is 409', async () => {
      const made = await makeKey(server);
      await addKey(server.database, { label: made.label });
      const label = encodeURIComponent(made.label);
      const requests: [string, string, unknown?][] = [
        ['GET', `/keys/${label}`],
        ['PATCH', `/keys/${label}`, { name: 'x' }],
        ['POST', `/keys/${label}/rotate`],
        ['DELETE', `/keys/${label}`],
      ];
      for (const request of requests) {
        const response = await send(...request);
        expect([request, response.status, response.body.error.message]).toEqual([
          request,
          409,
          `More than one key has the label ${made.label}. Use the id of the key instead.`,
        ]);
      }
      expect(await keyAt(made.id)).toMatchObject({ name: 'A key', updated_at: null });
    });
  });

  describe('changing keys', () => {
    it('a key edit keeps omitted fields and sets updated_at', async () => {
      const { id } = await makeKey(server, { name: 'Before', expires_at: '2040-01-01T00:00:00Z' });
      const before = await keyAt(id);
      const renamed = await patch(id, { name: 'After' });
      expect([renamed.status, renamed.body]).toEqual([
        200,
        { data: { ...before, name: 'After', updated_at: expect.stringMatching(time) } },
      ]);
      expect((await patch(id, { expires_at: null })).body.data).toMatchObject({
        name: 'After',
        expires_at: null,
        disabled: false,
      });
      expect(await keyAt(id)).toMatchObject({ name: 'After', expires_at: null });
    });

    it('the limit of a key changes, and every response shows it', async () => {
      const { id, secret } = await makeKey(server, { limit: 20, limit_reset: 'monthly' });
      const expectLimit = async (limit: object) => {
        const { data: listed } = (await send('GET', '/keys')).body;
        for (const shown of [await keyAt(id), listed[0], (await current(secret)).body.data])
          expect(shown).toMatchObject({ hash: id, ...limit });
      };
      await expectLimit({ limit: 20, limit_remaining: 20, limit_reset: 'monthly' });
      const changed = await patch(id, { limit: 0.5, limit_reset: 'weekly' });
      const next = { limit: 0.5, limit_remaining: 0.5, limit_reset: 'weekly' };
      expect([changed.status, changed.body.data]).toEqual([200, expect.objectContaining(next)]);
      await expectLimit(next);
      expect((await patch(id, { limit_reset: null })).body.data).toMatchObject({
        ...next,
        limit_reset: null,
      });
      expect((await patch(id, { name: 'Renamed' })).body.data).toMatchObject({ limit: 0.5 });
      await patch(id, { limit: null });
      await expectLimit({ limit: null, limit_remaining: null, limit_reset: null });
    });

    it('only calls since a limit last reset count against it', async () => {
      const { id } = await makeKey(server, { limit: 20 });
      const day = 24 * 3_600_000;
      const none = { limit: null, inFlight: 0, kept: 0, wanted: [], isActive: false };
      await withStorage(server.database, async ({ storage }) => {
        for (const [spent, daysAgo] of [
          [4_000_000_000, 40],
          [2_500_000_000, 1],
        ] as const) {
          const reports = [{ ...none, subject: subjectOfKey(id), spent }];
          await storage.spending.report({ id: newId(), holder: 'a', reports }, Date.now() - daysAgo * day);
        }
      });
      const left = async (limit_reset: string | null) =>
        (await patch(id, { limit_reset })).body.data.limit_remaining;
      expect([await left(null), await left('daily')]).toEqual([13.5, 20]);
      // Yesterday was in another week or month, or in this one.
      for (const reset of ['weekly', 'monthly']) expect([17.5, 20]).toContain(await left(reset));
    });

    it('an org:member lowers the limits of their own keys, but only an org:admin raises them', async () => {
      const memberId = await makeMember(server, 'spender@example.com');
      await send('PATCH', `/workspaces/default/members/${memberId}`, { role: 'admin' });
      const theirs = await makeKey(server, { creator_user_id: memberId, kind: 'management' });
      const key = await makeKey(server, { limit: 20, limit_reset: 'weekly' }, theirs.secret);
      const edit = (body: object, as = theirs.secret) => send('PATCH', `/keys/${key.id}`, body, as);
      expect((await edit({ limit: 10, limit_reset: 'monthly' })).status).toBe(200);
      const before = await state();
      for (const body of [{ limit: 10.01 }, { limit: null }, { limit_reset: 'weekly', limit: 1 }]) {
        const { status, text } = await edit(body);
        expect([body, status, text]).toEqual([
          body,
          403,
          expect.stringContaining('Only an org:admin can raise'),
        ]);
      }
      expect(await state()).toEqual(before);
      expect((await edit({ limit: 50, limit_reset: 'daily' }, managementKey)).status).toBe(200);
    });

    it('a key edit without a difference changes nothing', async () => {
      const { id } = await makeKey(server, { name: 'Same' });
      const before = await state();
      for (const body of [
        { name: 'Same' },
        { disabled: false },
        { expires_at: null },
        { limit: null, limit_reset: null, include_byok_in_limit: false },
        { name: 'Same', disabled: false, expires_at: null },
      ]) {
        const response = await patch(id, body);
        expect([body, response.status, response.body.data.updated_at]).toEqual([body, 200, null]);
      }
      expect(await state()).toEqual(before);
    });

    it.each([
      ['', {}],
      ['/name', { name: '' }],
      ['/name', { name: 'two\nlines' }],
      ['/name', { name: 'nul\0' }],
      ['/name', { name: 'half \udc00' }],
      ['/name', { name: null }],
      ['/disabled', { disabled: 'true' }],
      ['/disabled', { disabled: null }],
      ...badLimits,
      ['/include_byok_in_limit', { include_byok_in_limit: true }],
      ['/external', { name: 'x', external: null }],
      ['/expires_at', { expires_at: '2020-01-01T00:00:00Z' }],
      ...badTimes.map((expires_at): [string, object] => ['/expires_at', { expires_at }]),
      ['/workspace_id', { workspace_id: 'default' }],
      ['/workspace_id', { workspace_id: null }],
      ['/kind', { kind: 'management' }],
      ['/read_only', { read_only: false }],
      ['/creator_user_id', { creator_user_id: 'user_x' }],
      ['/label', { label: 'x' }],
    ])('rejects a key edit that is invalid at %j: %j', async (path, body) => {
      const { id } = await makeKey(server);
      const before = await state();
      const response = await patch(id, body);
      expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
      expect(await state()).toEqual(before);
    });

    it('disabling and enabling a key takes effect immediately here, and within a second elsewhere', async () => {
      const { id, secret } = await makeKey(server);
      for (const on of [server, second]) expect((await current(secret, on)).status).toBe(200);
      await patch(id, { disabled: true });
      const rejected = await current(secret);
      expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await statusWithinOneSecond(() => current(secret, second))).toBe(401);
      await patch(id, { disabled: false });
      expect((await current(secret)).status).toBe(200);
      // The helper waits until the status is not 200.
      const invertedStatus = async () => ({
        status: (await current(secret, second)).status === 200 ? 0 : 200,
      });
      expect(await statusWithinOneSecond(invertedStatus)).toBe(0);
    });

    it('a key stops working when it expires, and works again with a later expiry', async () => {
      const { id, secret } = await makeKey(server);
      for (const on of [server, second]) expect((await current(secret, on)).status).toBe(200);
      let soon = '';
      // On a busy machine the time may already have passed when the server reads the request.
      const expireSoon = async () => {
        soon = new Date(Date.now() + 3_000).toISOString();
        return (await patch(id, { expires_at: soon })).body.data?.expires_at === soon;
      };
      await expect.poll(expireSoon).toBe(true);
      await expect.poll(async () => (await current(secret)).status).toBe(401);
      expect((await current(secret)).body.error.message).toContain(`expired at ${soon}`);
      expect(await statusWithinOneSecond(() => current(secret, second))).toBe(401);
      expect((await keyAt(id)).disabled).toBe(false);
      await patch(id, { expires_at: '2040-01-01T00:00:00Z' });
      expect((await current(secret)).status).toBe(200);
    });

    it('a moved key keeps its secret and loses access to the presets of its old workspace', async () => {
      const [from, to] = [await makeWorkspace(server, 'move-from'), await makeWorkspace(server, 'move-to')];
      const { id, secret } = await makeKey(server, { workspace_id: from });
      const capture = (slug: string, key = secret) =>
        server.post(`/api/v1/presets/${slug}/responses`, { model: 'm' }, { key });
      const read = (slug: string, on = server) => on.get(`/api/v1/presets/${slug}`, { key: secret });
      await capture('left-behind');
      for (const on of [server, second]) expect((await read('left-behind', on)).status).toBe(200);
      const before = await keyAt(id);
      const moved = await patch(id, { workspace_id: to.toUpperCase() });
      expect([moved.status, moved.body]).toEqual([
        200,
        { data: { ...before, workspace_id: to, updated_at: expect.stringMatching(time) } },
      ]);
      expect((await read('left-behind')).status).toBe(404);
      expect(await statusWithinOneSecond(() => read('left-behind', second))).toBe(404);
      expect((await capture('after-move')).body.data.workspace_id).toBe(to);
      expect((await current(secret)).body.data.workspace_id).toBe(to);
      const listed = async (workspace: string) =>
        (await send('GET', `/keys?workspace_id=${workspace}`)).body.data.map(
          ({ hash }: { hash: string }) => hash,
        );
      expect([await listed(from), await listed(to)]).toEqual([[], [id]]);
      const [event] = (await send('GET', '/audit?limit=1&kind=key.moved')).body.data;
      expect(event).toMatchObject({
        kind: 'key.moved',
        subject_id: id,
        before: { workspace_id: from },
        after: { workspace_id: to },
      });
    });

    it('moving a key to its own workspace changes nothing', async () => {
      const { id } = await makeKey(server);
      const management = await makeKey(server, { kind: 'management' });
      const before = await state();
      for (const each of [id, management.id]) {
        const response = await patch(each, { workspace_id: defaultWorkspace });
        expect([response.status, response.body.data.updated_at]).toEqual([200, null]);
      }
      expect(await state()).toEqual(before);
    });

    it('a key cannot move to a workspace that its organization or owner has no access to', async () => {
      const memberId = await makeMember(server, 'mover@example.com');
      await send('PATCH', `/workspaces/default/members/${memberId}`, { role: 'editor' });
      const room = await makeWorkspace(server, 'move-closed');
      const key = await makeKey(server, { creator_user_id: memberId });
      const management = await makeKey(server, { kind: 'management', creator_user_id: memberId });
      const theirs = await addOrganization(server.database);
      const before = await state();
      const move = (id: string, workspace_id: string, as = managementKey) =>
        send('PATCH', `/keys/${id}`, { workspace_id }, as);
      for (const as of [managementKey, management.secret]) {
        const unknown = newId();
        const responses = [await move(key.id, theirs.workspaceId, as), await move(key.id, unknown, as)];
        expect(responses.map(({ status }) => status)).toEqual([404, 404]);
        expect(responses[0]?.text.replace(theirs.workspaceId, unknown)).toBe(responses[1]?.text);
        const closed = await move(key.id, room, as);
        expect([closed.status, issuePaths(closed)]).toEqual([400, ['/workspace_id']]);
      }
      const unmovable = await move(management.id, room);
      expect([unmovable.status, issuePaths(unmovable)]).toEqual([400, ['/workspace_id']]);
      const other = await makeKey(server);
      expect((await move(other.id, defaultWorkspace, management.secret)).status).toBe(404);
      expect((await move(key.id, theirs.workspaceId, theirs.managementKey)).status).toBe(404);
      await send('DELETE', `/keys/${other.id}`);
      expect((await state())[0]).toBe(before[0]);
    });

    it('a deleted key stops working immediately here, and within a second elsewhere', async () => {
      const { id, secret } = await makeKey(server);
      for (const on of [server, second]) expect((await current(secret, on)).status).toBe(200);
      const response = await send('DELETE', `/keys/${id}`);
      expect([response.status, response.body]).toEqual([200, { deleted: true }]);
      expect((await current(secret)).status).toBe(401);
      expect(await statusWithinOneSecond(() => current(secret, second))).toBe(401);
      for (const [method, path] of [
        ['GET', `/keys/${id}`],
        ['DELETE', `/keys/${id}`],
        ['POST', `/keys/${id}/rotate`],
      ] as const)
        expect([method, (await send(method, path)).status]).toEqual([method, 404]);
    });

    it('a management key can rotate and delete itself', async () => {
      const { id, secret } = await makeKey(server, { kind: 'management' });
      const rotated = await send('POST', `/keys/${id}/rotate`, { grace_period_seconds: 0 }, secret);
      expect(rotated.status).toBe(200);
      expect((await current(secret)).status).toBe(401);
      expect((await send('DELETE', `/keys/${id}`, undefined, rotated.body.key)).status).toBe(200);
      expect((await current(rotated.body.key)).status).toBe(401);
    });
  });

  describe('rotating keys', () => {
    const rotate = (id: string, body?: unknown) => send('POST', `/keys/${id}/rotate`, body);

    it('after a rotation the previous secret works for an hour by default', async () => {
      const made = await makeKey(server, { name: 'Rotated' });
      const before = await keyAt(made.id);
      expect((await current(made.secret)).status).toBe(200);
      const { status, body } = await rotate(made.id);
      expect([status, body]).toEqual([
        200,
        {
          data: {
            ...before,
            label: expect.stringMatching(labelForm),
            updated_at: expect.stringMatching(time),
            previous_secret_expires_at: expect.stringMatching(time),
          },
          key: expect.stringMatching(secretForm),
        },
      ]);
      const { data, key } = body;
      expect(Date.parse(data.previous_secret_expires_at) - Date.parse(data.updated_at)).toBe(3_600_000);
      expect(key).not.toBe(made.secret);
      expect(data.label).toBe(`${key.slice(0, 13)}…${key.slice(-3)}`);
      for (const on of [server, second])
        for (const secret of [made.secret, key])
          expect((await current(secret, on)).body.data).toMatchObject({ hash: made.id, label: data.label });
      expect(await keyAt(made.id)).toEqual(data);
      expect((await keyAt(made.secretHash)).hash).toBe(made.id);
    });

    it('a rotation with a grace period of 0 revokes all previous secrets', async () => {
      const made = await makeKey(server);
      const next = (await rotate(made.id, { grace_period_seconds: 600 })).body.key;
      for (const on of [server, second])
        for (const secret of [made.secret, next]) expect((await current(secret, on)).status).toBe(200);
      const { body } = await rotate(made.id, { grace_period_seconds: 0 });
      expect(body.data.previous_secret_expires_at).toBeNull();
      for (const secret of [made.secret, next]) {
        expect((await current(secret)).status).toBe(401);
        expect(await statusWithinOneSecond(() => current(secret, second))).toBe(401);
        expect((await send('GET', `/keys/${hashSecret(secret)}`)).status).toBe(404);
      }
      expect((await current(body.key)).status).toBe(200);
      expect(await keyAt(made.id)).toEqual(body.data);
    });

    it('a second rotation does not extend the grace period of an older secret', async () => {
      const made = await makeKey(server);
      const first = await rotate(made.id, { grace_period_seconds: 1 });
      expect((await current(made.secret)).status).toBe(200);
      const next = await rotate(made.id, { grace_period_seconds: 2_592_000 });
      expect(await statusWithinOneSecond(() => current(made.secret))).toBe(401);
      expect(await statusWithinOneSecond(() => current(made.secret, second))).toBe(401);
      for (const secret of [first.body.key, next.body.key]) expect((await current(secret)).status).toBe(200);
    });

    it('disabling or deleting a key revokes all its secrets', async () => {
      const made = await makeKey(server);
      const { key } = (await rotate(made.id)).body;
      for (const secret of [made.secret, key]) expect((await current(secret)).status).toBe(200);
      await patch(made.id, { disabled: true });
      for (const secret of [made.secret, key]) expect((await current(secret)).status).toBe(401);
      await patch(made.id, { disabled: false });
      for (const secret of [made.secret, key]) expect((await current(secret)).status).toBe(200);
      await send('DELETE', `/keys/${made.id}`);
      for (const secret of [made.secret, key]) expect((await current(secret)).status).toBe(401);
    });

    it('parallel rotations leave exactly one current secret', async () => {
      const made = await makeKey(server);
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          (index % 2 ? server : second).send('POST', `/api/v1/keys/${made.id}/rotate`, undefined, {
            key: managementKey,
          }),
        ),
      );
      const secrets: string[] = responses.map(({ body }) => body.key);
      expect(new Set(secrets).size).toBe(8);
      const { label } = await keyAt(made.id);
      expect(responses.filter(({ body }) => body.data.label === label)).toHaveLength(1);
      for (const secret of [made.secret, ...secrets])
        expect((await current(secret)).body.data?.hash).toBe(made.id);
    });

    it.each([undefined, {}, 'null', '{}'])('a rotation needs no body: %j', async (body) => {
      const { id } = await makeKey(server);
      expect((await rotate(id, body)).status).toBe(200);
    });

    it.each([
      ['/grace_period_seconds', { grace_period_seconds: -1 }],
      ['/grace_period_seconds', { grace_period_seconds: 2_592_001 }],
      ['/grace_period_seconds', { grace_period_seconds: 1.5 }],
      ['/grace_period_seconds', { grace_period_seconds: '60' }],
      ['/grace_period_seconds', { grace_period_seconds: null }],
      ['/grace', { grace: 1 }],
      ['', []],
      ['', 'x'],
    ])('rejects a rotation that is invalid at %j and keeps the secret: %j', async (path, body) => {
      const made = await makeKey(server);
      const response = await send('POST', `/keys/${made.id}/rotate`, JSON.stringify(body));
      expect([response.status, issuePaths(response)]).toEqual([400, [path]]);
      expect(await keyAt(made.id)).toMatchObject({ label: made.label, updated_at: null });
    });
  });

  describe('keys of members', () => {
    it('keys of a removed member stop working immediately, and stay disabled when the member returns', async () => {
      const email = 'comes.and.goes@example.com';
      const ownerId = await makeMember(server, email);
      const api = await makeKey(server, { creator_user_id: ownerId });
      const management = await makeKey(server, { creator_user_id: ownerId, kind: 'management' });
      for (const { secret } of [api, management])
        for (const on of [server, second]) expect((await current(secret, on)).status).toBe(200);
      expect((await send('DELETE', `/organization/members/${ownerId}`)).body).toEqual({ deleted: true });
      for (const { id, secret } of [api, management]) {
        const rejected = await current(secret);
        expect([rejected.status, rejected.body.error.message]).toEqual([
          403,
          expect.stringContaining('is no longer a member of the organization'),
        ]);
        expect(await statusWithinOneSecond(() => current(secret, second))).toBe(403);
        expect(await keyAt(id)).toMatchObject({ disabled: true, creator_email: email });
        const enabled = await patch(id, { disabled: false });
        expect([enabled.status, enabled.body.error.message]).toEqual([409, expect.stringContaining(email)]);
      }
      expect(await makeMember(server, email)).toBe(ownerId);
      for (const { id, secret } of [api, management]) {
        expect((await current(secret)).status).toBe(401);
        expect((await patch(id, { disabled: false })).status).toBe(200);
        expect((await current(secret)).status).toBe(200);
      }
    });

    it('keys lose admin rights as soon as their owner is demoted', async () => {
      const ownerId = await makeMember(server, 'was.admin@example.com', { role: 'org:admin' });
      const { secret } = await makeKey(server, { creator_user_id: ownerId, kind: 'management' });
      const edit = (on: TestServer) =>
        on.send('PATCH', '/api/v1/workspaces/default', { name: 'Default' }, { key: secret });
      for (const on of [server, second]) expect((await edit(on)).status).toBe(200);
      await send('PATCH', `/organization/members/${ownerId}`, { role: 'org:member' });
      expect((await edit(server)).status).toBe(403);
      expect(await statusWithinOneSecond(() => edit(second))).toBe(403);
      await send('POST', '/organization/members/import', {
        members: [{ email: 'WAS.admin@example.com', role: 'org:admin' }],
        update_existing: true,
      });
      expect((await edit(server)).status).toBe(200);
    });
  });

  it('a secret appears only in the response that creates it, and never in logs or audit events', async () => {
    const made = await makeKey(server, { name: 'Secret' });
    const rotated = (await send('POST', `/keys/${made.id}/rotate`)).body;
    const management = await makeKey(server, { kind: 'management' });
    const secrets = [made.secret, rotated.key, management.secret];
    for (const secret of secrets) await current(secret);
    const responses = [
      await patch(made.id, { name: 'Secret still' }),
      await send('GET', `/keys/${made.id}`),
      await send('GET', `/keys/${hashSecret(rotated.key)}`),
      await send('GET', '/keys?include_disabled=true'),
      await send('GET', '/audit?kind=key&limit=100'),
      await send('GET', '/audit?limit=100'),
      await current(rotated.key),
      await send('GET', '/keys', undefined, rotated.key),
      await patch(made.id, { disabled: true }),
      await current(rotated.key),
      await send('DELETE', `/keys/${made.id}`),
    ];
    const texts = [
      ...responses.map(({ text, headers }) => text + JSON.stringify([...headers])),
      ...server.log,
    ];
    for (const secret of secrets) {
      for (const text of texts) {
        expect(text).not.toContain(secret);
        expect(text).not.toContain(secret.slice(10, 42));
        expect(text).not.toContain(hashSecret(secret));
      }
    }
    const rows = await server.database.sql('SELECT * FROM audit_events');
    for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret.slice(10));
  });
});

describe('the last use of a key', () => {
  it('last_used_at is written at most once a minute, and at the latest on shutdown', async () => {
    const database = await createMigratedDatabase(strictestEngine);
    const during = async <T>(work: (server: TestServer) => Promise<T>): Promise<T> => {
      const server = await startServerOn(database);
      try {
        return await work(server);
      } finally {
        await server.stop();
      }
    };
    const usedAt = async (id: string) => {
      const [row] = await database.sql(`SELECT last_used_at FROM api_keys WHERE id = '${id}'`);
      return row?.last_used_at ? new Date(row.last_used_at as string | Date).toISOString() : null;
    };
    const use = (secret: string) =>
      during(async (server) => (await server.get('/api/v1/key', { key: secret })).status);
    try {
      const [used, unused, disabled] = await during(async (server) => [
        await makeKey(server),
        await makeKey(server),
        await makeKey(server),
      ]);
      if (used === undefined || unused === undefined || disabled === undefined) throw new Error('no keys');
      expect(await usedAt(used.id)).toBeNull();
      const before = new Date().toISOString();
      expect(await use(used.secret)).toBe(200);
      const first = (await usedAt(used.id)) ?? '';
      expect(first >= before && first <= new Date().toISOString()).toBe(true);
      await during(async (server) => {
        const { data } = (await server.get(`/api/v1/keys/${used.id}`)).body;
        expect(data.last_used_at).toBe(first);
        await server.get('/api/v1/key', { key: used.secret });
      });
      expect(await usedAt(used.id)).toBe(first);
      const earlier = new Date(Date.now() - 61_000).toISOString();
      await database.transaction(`UPDATE api_keys SET last_used_at = '${earlier}' WHERE id = '${used.id}'`);
      await use(used.secret);
      expect((await usedAt(used.id)) ?? '').toSatisfy((last) => last > first);

      await during(async (server) => {
        const path = `/api/v1/keys/${disabled.id}`;
        await server.send('PATCH', path, { disabled: true }, { key: managementKey });
        expect((await server.get('/api/v1/key', { key: disabled.secret })).status).toBe(401);
      });
      expect(await usedAt(disabled.id)).toBeNull();
      expect(await usedAt(unused.id)).toBeNull();
    } finally {
      await database.drop();
    }
  });

  it('last_used_at is updated by cached reads, too', async () => {
    const database = await createMigratedDatabase(strictestEngine);
    const server = await startServerOn(database);
    await server.post('/api/v1/presets/warm/responses', {});
    const { id, secret } = await makeKey(server);
    for (let call = 0; call < 3; call += 1) await server.get('/api/v1/presets/warm', { key: secret });
    await server.stop();
    const [row] = await database.sql(`SELECT last_used_at FROM api_keys WHERE id = '${id}'`);
    expect(row?.last_used_at).not.toBeNull();
    await database.drop();
  });
});

it('GET /key returns the rate limit', async () => {
  const server = await startTestServer(strictestEngine, { PRESETD_RATE_LIMIT: '7' });
  try {
    const { body } = await server.get('/api/v1/key', { key: apiKey });
    expect(body.data.rate_limit).toEqual({
      requests: 7,
      interval: '1m',
      note: 'Requests per key, counted by this server.',
    });
  } finally {
    await server.stop();
  }
});
