import type { OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  OpenRouterDefaultError,
  TooManyRequestsResponseError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import type { CreateKeysRequestBody } from '@openrouter/sdk/models/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { hashSecret, labelOf, newSecret } from '../../src/core/organization/api-key.ts';
import { anyEngine } from '../support/engines.ts';
import { insertKey, newKey } from '../support/members.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';
import { recordingClient, sdkClient } from './sdk-client.ts';
import { thrownBy } from './thrown-by.ts';
import { addUnusualKeys, type UnusualKeys } from './unusual-keys.ts';
import { timestamp, uuid } from './wire-patterns.ts';

/** A key that was never used. */
const unmetered = {
  limit: null,
  limitRemaining: null,
  limitReset: null,
  includeByokInLimit: false,
  usage: 0,
  usageDaily: 0,
  usageWeekly: 0,
  usageMonthly: 0,
  byokUsage: 0,
  byokUsageDaily: 0,
  byokUsageWeekly: 0,
  byokUsageMonthly: 0,
};

const unlimited = { requests: -1, interval: '1m', note: 'No limit.' };

describe("keys with OpenRouter's SDK", () => {
  let server: TestServer;
  let limited: TestServer;
  let unusual: UnusualKeys;
  let organizationId: string;
  let defaultWorkspaceId: string;
  let adminId: string;

  beforeAll(async () => {
    [server, limited] = await Promise.all([
      startTestServer(anyEngine),
      startTestServer(anyEngine, { PRESETD_RATE_LIMIT: '2' }),
    ]);
    unusual = await addUnusualKeys(server.database);
    await withStorage(server.database, async ({ organization, admin }) => {
      ({ id: organizationId, defaultWorkspaceId } = organization);
      adminId = admin.id;
    });
  });
  afterAll(() => Promise.all([server.stop(), limited.stop()]));

  const client = (key = managementKey) => sdkClient(server, key);
  const create = (body: Partial<CreateKeysRequestBody> = {}) =>
    client().apiKeys.create({ requestBody: { name: 'Made by a test', ...body } });
  const newWorkspaceId = async (slug: string) => {
    const request = { createWorkspaceRequest: { name: slug, slug } };
    return (await client().workspaces.create(request)).data.id;
  };
  const newMemberId = async (email: string): Promise<string> => {
    const response = await server.post('/api/v1/organization/members', { email }, { key: managementKey });
    return response.body.data.id;
  };

  describe('the current key', () => {
    const current = (key: string, on = server) => sdkClient(on, key).apiKeys.getCurrentKeyMetadata();
    const expected = () => ({
      ...unmetered,
      label: 'te…89',
      creatorUserId: adminId,
      expiresAt: null,
      isFreeTier: false,
      isManagementKey: true,
      isProvisioningKey: true,
      workspaceId: null,
      organizationId,
      allowedDataRegions: ['global'],
      freeModelDailyRequests: { limit: 0, remaining: 0, used: 0 },
      rateLimit: unlimited,
    });

    it('has all fields for a management key', async () => {
      expect((await current(managementKey)).data).toStrictEqual(expected());
    });

    it('has all fields for an API key', async () => {
      expect((await current(apiKey)).data).toStrictEqual({
        ...expected(),
        isManagementKey: false,
        isProvisioningKey: false,
        workspaceId: defaultWorkspaceId,
      });
    });

    it('has all fields for a personal key and a read-only one', async () => {
      const { personal, readOnly } = unusual;
      expect((await current(personal)).data).toStrictEqual({
        ...expected(),
        label: labelOf(personal),
        organizationId: null,
      });
      expect((await current(readOnly)).data).toStrictEqual({ ...expected(), label: labelOf(readOnly) });
    });

    it('has its expiry and workspace', async () => {
      const expiresAt = new Date('2999-12-31T23:59:59.999Z');
      const workspaceId = await newWorkspaceId('expiring');
      const { key, data } = await create({ expiresAt, workspaceId });
      expect((await current(key)).data).toStrictEqual({
        ...expected(),
        label: data.label,
        expiresAt,
        workspaceId,
        isManagementKey: false,
        isProvisioningKey: false,
      });
    });

    it('has its rate limit, and is rejected beyond it', async () => {
      const { data } = await current(apiKey, limited);
      expect(data.rateLimit).toStrictEqual({
        requests: 2,
        interval: '1m',
        note: 'Requests per key, counted by this server.',
      });
      await current(apiKey, limited);
      // The SDK declares no 429 here.
      const error = await thrownBy(current(apiKey, limited), OpenRouterDefaultError);
      expect(error.statusCode).toBe(429);
      expect(error.headers.get('retry-after')).toMatch(/^\d+$/);
    });

    it('is rejected if it is unknown, disabled, expired or its owner was removed', async () => {
      for (const [key, message] of [
        ['sk-pst-v1-unknown', /^Unknown API key/],
        [unusual.disabled, /is disabled/],
        [unusual.expired, /expired at/],
      ] as const) {
        const error = await thrownBy(current(key), UnauthorizedResponseError);
        expect(error).toMatchObject({ statusCode: 401, error: { code: 401 } });
        expect(error.message).toMatch(message);
      }
      const left = await thrownBy(current(unusual.ownerHasLeft), OpenRouterDefaultError);
      expect(left.statusCode).toBe(403);
      expect(left.body).toContain('no longer a member');
    });
  });

  describe('creating a key', () => {
    it('returns a complete key whose secret works at once', async () => {
      const { data, key } = await create();
      expect(key).toMatch(/^sk-pst-v1-[0-9a-f]{64}$/);
      expect(data).toStrictEqual({
        ...unmetered,
        hash: expect.stringMatching(uuid),
        label: labelOf(key),
        name: 'Made by a test',
        disabled: false,
        createdAt: expect.stringMatching(timestamp),
        updatedAt: null,
        expiresAt: null,
        creatorUserId: adminId,
        externalUser: null,
        workspaceId: defaultWorkspaceId,
      });
      const { presets } = client(key);
      const made = await presets.createPresetsResponses({
        slug: 'at-once',
        responsesRequest: { model: 'm' },
      });
      expect((await presets.get({ slug: 'at-once' })).data).toEqual(made.data);
    });

    it('accepts every field that the SDK can send', async () => {
      const expiresAt = new Date('2999-01-01T00:00:00.001Z');
      const workspaceId = await newWorkspaceId('every-field');
      const creatorUserId = await newMemberId('every-field@example.com');
      await client().workspaces.bulkAddMembers({
        id: workspaceId,
        bulkAddWorkspaceMembersRequest: { userIds: [creatorUserId] },
      });
      const { httpClient, sent } = recordingClient();
      const { data } = await sdkClient(server, managementKey, httpClient).apiKeys.create({
        requestBody: {
          name: 'Every field',
          limit: null,
          limitReset: null,
          includeByokInLimit: false,
          expiresAt,
          creatorUserId,
          workspaceId,
        },
      });
      expect(sent.map(({ body }) => body)).toEqual([
        {
          name: 'Every field',
          limit: null,
          limit_reset: null,
          include_byok_in_limit: false,
          expires_at: '2999-01-01T00:00:00.001Z',
          creator_user_id: creatorUserId,
          workspace_id: workspaceId,
        },
      ]);
      expect(data).toStrictEqual({
        ...unmetered,
        hash: expect.stringMatching(uuid),
        label: expect.stringMatching(/^sk-pst-v1-...…...$/),
        name: 'Every field',
        disabled: false,
        createdAt: expect.stringMatching(timestamp),
        updatedAt: null,
        expiresAt,
        creatorUserId,
        externalUser: null,
        workspaceId,
      });
    });

    it('accepts null in nullable fields', async () => {
      const { data } = await create({ expiresAt: null, creatorUserId: null });
      expect(data).toMatchObject({ expiresAt: null, creatorUserId: adminId });
    });

    it.each<[Partial<CreateKeysRequestBody>, string, RegExp]>([
      [{ limit: -5 }, '/limit', /must be at least 0/],
      [{ includeByokInLimit: true }, '/include_byok_in_limit', /not supported/],
      [{ external: { user: 'u' } }, '/external', /not supported: presetd has no external users/],
      [{ name: '' }, '/name', /must have at least 1 character/],
      [{ name: 'two\nlines' }, '/name', /control character|line/],
      [{ expiresAt: new Date('2026-01-01T00:00:00Z') }, '/expires_at', /must be in the future/],
      [{ creatorUserId: 'user_unknown' }, '/creator_user_id', /not the id of a member/],
      [{ workspaceId: 'default' }, '/workspace_id', /must be a UUID/],
    ])('creating a key rejects %j', async (body, path, message) => {
      const error = await thrownBy(create(body), BadRequestResponseError);
      expect(error).toMatchObject({ statusCode: 400, userId: adminId, error: { code: 400 } });
      expect(error.error.metadata).toEqual({ issues: [{ path, message: expect.stringMatching(message) }] });
      expect(error.message).toMatch(message);
    });

    it('creating a key rejects an unknown workspace', async () => {
      const workspaceId = newId();
      // The SDK declares no 404 here.
      const error = await thrownBy(create({ workspaceId }), OpenRouterDefaultError);
      expect(error.statusCode).toBe(404);
      expect(error.body).toContain(`There is no workspace \\"${workspaceId}\\"`);
    });
  });

  describe('reading, updating and deleting a key', () => {
    it('returns a key as it was created, by its id or by the hash of its secret', async () => {
      const { data, key } = await create({ expiresAt: new Date('2999-01-01T00:00:00Z') });
      for (const hash of [data.hash, data.hash.toUpperCase(), hashSecret(key), hashSecret(key).toUpperCase()])
        expect((await client().apiKeys.get({ hash })).data).toStrictEqual(data);
    });

    it('renames a key without changing other fields', async () => {
      const { data } = await create();
      const { hash } = data;
      const changed = await client().apiKeys.update({ hash, requestBody: { name: 'Renamed' } });
      expect(changed.data).toStrictEqual({
        ...data,
        name: 'Renamed',
        updatedAt: expect.stringMatching(timestamp),
      });
      expect((await client().apiKeys.get({ hash })).data).toStrictEqual(changed.data);
    });

    it('disables a key, which stops working at once, and enables it again', async () => {
      const { data, key } = await create();
      const update = (disabled: boolean) =>
        client().apiKeys.update({ hash: data.hash, requestBody: { disabled } });
      await client(key).presets.list();
      expect((await update(true)).data).toMatchObject({
        ...data,
        updatedAt: expect.any(String),
        disabled: true,
      });
      const error = await thrownBy(client(key).presets.list(), UnauthorizedResponseError);
      expect(error.message).toContain('is disabled');
      expect((await update(false)).data.disabled).toBe(false);
      await client(key).presets.list();
    });

    it('accepts every field of an update that the SDK can send', async () => {
      const { data } = await create();
      const neutral = { limit: null, limitReset: null, includeByokInLimit: false };
      const update = (requestBody: object) => client().apiKeys.update({ hash: data.hash, requestBody });
      expect((await update(neutral)).data).toStrictEqual(data);
      expect((await update({ ...neutral, name: 'All', disabled: true })).data).toStrictEqual({
        ...data,
        name: 'All',
        disabled: true,
        updatedAt: expect.stringMatching(timestamp),
      });
      expect((await update({ limit: 12.5, limitReset: 'weekly' })).data).toMatchObject({
        limit: 12.5,
        limitRemaining: 12.5,
        limitReset: 'weekly',
      });
      for (const wrong of [{}, { limit: -1 }, { limitReset: 'yearly' }, { includeByokInLimit: true }])
        expect(await thrownBy(update(wrong), BadRequestResponseError)).toMatchObject({
          error: { code: 400 },
        });
    });

    it('finds a rotated key by its new secret, and by the old one during the grace period', async () => {
      const { data, key } = await create();
      const rotate = async (seconds: number) => {
        const path = `/api/v1/keys/${data.hash}/rotate`;
        const body = { grace_period_seconds: seconds };
        const response = await server.post(path, body, { key: managementKey });
        expect([response.status, response.text]).toEqual([200, expect.any(String)]);
        return response.body.key as string;
      };
      const label = async (secret: string) =>
        (await client(secret).apiKeys.getCurrentKeyMetadata()).data.label;
      const second = await rotate(60);
      expect([await label(key), await label(second)]).toEqual([labelOf(second), labelOf(second)]);
      for (const hash of [data.hash, hashSecret(key), hashSecret(second)])
        expect((await client().apiKeys.get({ hash })).data).toStrictEqual({
          ...data,
          label: labelOf(second),
          updatedAt: expect.stringMatching(timestamp),
        });
      const third = await rotate(0);
      for (const older of [key, second]) await thrownBy(label(older), UnauthorizedResponseError);
      expect(await label(third)).toBe(labelOf(third));
    });

    it('deletes a key, which stops working at once', async () => {
      const { data, key } = await create();
      const { hash } = data;
      await client(key).presets.list();
      expect(await client().apiKeys.delete({ hash })).toStrictEqual({ deleted: true });
      const refused = await thrownBy(client(key).presets.list(), UnauthorizedResponseError);
      expect(refused.message).toMatch(/^Unknown API key/);
      const { apiKeys } = client();
      for (const call of [
        () => apiKeys.get({ hash }),
        () => apiKeys.update({ hash, requestBody: { name: 'x' } }),
        () => apiKeys.delete({ hash }),
      ]) {
        const error = await thrownBy(call(), NotFoundResponseError);
        expect(error).toMatchObject({ statusCode: 404, userId: adminId, error: { code: 404 } });
        expect(error.message).toBe(`There is no key ${hash} that you can access.`);
      }
    });
  });

  describe('listing keys', () => {
    const count = 250;
    let workspaceId: string;
    /** Newest first; a third of them are disabled. */
    let inOrder: readonly { readonly id: string; readonly disabled: boolean }[];

    beforeAll(async () => {
      workspaceId = await newWorkspaceId('listed');
      inOrder = await withStorage(server.database, async ({ storage }) => {
        const keys = Array.from({ length: count }, (_, index) =>
          newKey({
            ownerId: adminId,
            organizationId,
            workspaceId,
            kind: 'api',
            disabled: index % 3 === 0,
            // Groups of four have the same timestamp.
            createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 4) * 1_000).toISOString(),
          }),
        );
        for (const key of keys) await insertKey(storage, key);
        const order = (key: { createdAt: string; id: string }) => key.createdAt + key.id;
        return keys.toSorted((a, b) => (order(a) < order(b) ? 1 : -1));
      });
    });

    /** The SDK has no iterator for keys, so clients request pages until one is empty. */
    async function pages(request: { includeDisabled?: boolean; workspaceId?: string }): Promise<string[][]> {
      const found: string[][] = [];
      for (let offset = 0; found.at(-1)?.length !== 0; offset = found.flat().length) {
        const { data } = await client().apiKeys.list({ ...request, offset });
        found.push(data.map(({ hash }) => hash));
      }
      return found;
    }

    it('returns pages of 100 keys, each key once, newest first', async () => {
      const all = await pages({ workspaceId, includeDisabled: true });
      expect(all.map(({ length }) => length)).toEqual([100, 100, 50, 0]);
      expect(all.flat()).toEqual(inOrder.map(({ id }) => id));
    });

    it('returns disabled keys only on request', async () => {
      const enabled = inOrder.filter(({ disabled }) => !disabled).map(({ id }) => id);
      expect((await pages({ workspaceId })).flat()).toEqual(enabled);
      expect((await pages({ workspaceId, includeDisabled: false })).flat()).toEqual(enabled);
    });

    it('returns the same fields as reading a single key', async () => {
      const { data } = await client().apiKeys.list({ workspaceId, includeDisabled: true, offset: 249 });
      const [oldest] = data;
      expect(oldest).toStrictEqual((await client().apiKeys.get({ hash: inOrder.at(-1)?.id ?? '' })).data);
      expect(data).toStrictEqual([
        {
          ...unmetered,
          hash: inOrder.at(-1)?.id,
          label: expect.stringMatching(/^sk-pst-v1-...…...$/),
          name: 'Made by a test',
          disabled: inOrder.at(-1)?.disabled,
          createdAt: '2026-01-01T00:00:00.000Z',
          updatedAt: null,
          expiresAt: null,
          creatorUserId: adminId,
          externalUser: null,
          workspaceId,
        },
      ]);
    });

    it('returns management keys and keys of the default workspace if none is given', async () => {
      const { data: made } = await create();
      const { data } = await client().apiKeys.list();
      expect(data[0]).toStrictEqual(made);
      expect(new Set(data.map((key) => key.workspaceId))).toEqual(new Set([defaultWorkspaceId]));
      const names = data.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['First API key', 'First management key']));
      expect((await client().apiKeys.list({ workspaceId: defaultWorkspaceId })).data).toStrictEqual(data);
    });

    it("accepts the SDK's encoding of null and false", async () => {
      const { httpClient, sent } = recordingClient();
      const { apiKeys } = sdkClient(server, managementKey, httpClient);
      const { data } = await apiKeys.list({ offset: null, workspaceId });
      await apiKeys.list({ offset: null, includeDisabled: false });
      await apiKeys.list({ offset: 0, includeDisabled: true, workspaceId: workspaceId.toUpperCase() });
      expect(data).toHaveLength(100);
      expect(sent.map(({ path }) => path)).toEqual([
        `/api/v1/keys?workspace_id=${workspaceId}`,
        '/api/v1/keys?include_disabled=false',
        `/api/v1/keys?include_disabled=true&offset=0&workspace_id=${workspaceId.toUpperCase()}`,
      ]);
    });

    it('rejects invalid parameters and an unknown workspace', async () => {
      const { apiKeys } = client();
      const negative = await thrownBy(apiKeys.list({ offset: -1 }), BadRequestResponseError);
      expect(negative.message).toContain('/offset must be at least 0');
      const slug = await thrownBy(apiKeys.list({ workspaceId: 'default' }), BadRequestResponseError);
      expect(slug.message).toContain('/workspace_id must be a UUID');
      // The SDK declares no 404 here.
      const unknown = await thrownBy(apiKeys.list({ workspaceId: newId() }), OpenRouterDefaultError);
      expect(unknown.statusCode).toBe(404);
    });
  });

  const calls: Readonly<Record<string, (sdk: OpenRouter) => Promise<unknown>>> = {
    list: ({ apiKeys }) => apiKeys.list(),
    create: ({ apiKeys }) => apiKeys.create({ requestBody: { name: 'k' } }),
    get: ({ apiKeys }) => apiKeys.get({ hash: newId() }),
    update: ({ apiKeys }) => apiKeys.update({ hash: newId(), requestBody: { name: 'k' } }),
    delete: ({ apiKeys }) => apiKeys.delete({ hash: newId() }),
  };

  describe.each(Object.entries(calls))('%s', (name, call) => {
    it('throws if the key is unknown, disabled, expired or not a management key', async () => {
      for (const [key, message] of [
        ['sk-pst-v1-unknown', /^Unknown API key/],
        [unusual.disabled, /is disabled/],
        [unusual.expired, /expired at/],
        [apiKey, /requires a management key; this is an API key\.$/],
      ] as const) {
        const error = await thrownBy(call(client(key)), UnauthorizedResponseError);
        expect(error).toMatchObject({ statusCode: 401, error: { code: 401 } });
        expect(error.message).toMatch(message);
      }
    });

    it('throws for a personal key, which has no organization', async () => {
      // The SDK declares no 404 for lists and creates.
      const declared = name === 'list' || name === 'create' ? OpenRouterDefaultError : NotFoundResponseError;
      expect(await thrownBy(call(client(unusual.personal)), declared)).toMatchObject({
        statusCode: 404,
        body: expect.stringContaining('This management key is personal'),
      });
    });

    it('throws if a read-only key would write', async () => {
      if (name === 'list') return expect(call(client(unusual.readOnly))).resolves.toBeDefined();
      const errorClass =
        { create: ForbiddenResponseError, get: NotFoundResponseError }[name] ?? OpenRouterDefaultError;
      const error = await thrownBy(call(client(unusual.readOnly)), errorClass);
      expect(error).toMatchObject(
        name === 'get'
          ? { statusCode: 404 }
          : { statusCode: 403, body: expect.stringContaining('is read-only. Use a key with write access') },
      );
    });

    it('throws if the key exceeds its rate limit', async () => {
      const secret = newSecret();
      await withStorage(limited.database, ({ storage, organization, admin }) =>
        insertKey(storage, newKey({ ownerId: admin.id, organizationId: organization.id }, secret)),
      );
      const sdk = sdkClient(limited, secret);
      await Promise.allSettled([call(sdk), call(sdk)]);
      const error = await thrownBy(call(sdk), TooManyRequestsResponseError);
      expect(error).toMatchObject({ statusCode: 429, error: { code: 429 } });
      expect(error.message).toContain('has reached its limit of 2 requests per minute');
      expect(error.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(error.headers.get('x-ratelimit-limit')).toBe('2');
    });
  });
});
