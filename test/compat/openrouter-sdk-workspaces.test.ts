import type { OpenRouter } from '@openrouter/sdk';
import type { Workspace } from '@openrouter/sdk/models';
import {
  BadRequestResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  OpenRouterDefaultError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import type { ListWorkspacesRequest } from '@openrouter/sdk/models/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { recordingClient, sdkClient } from './sdk-client.ts';
import { type SdkOrganization, sdkOrganization } from './sdk-organization.ts';
import { thrownBy } from './thrown-by.ts';
import { addUnusualKeys, type UnusualKeys } from './unusual-keys.ts';
import { timestamp, uuid } from './wire-patterns.ts';

/** Workspace settings of OpenRouter that presetd does not have. */
const neutral = {
  defaultTextModel: null,
  defaultImageModel: null,
  defaultProviderSort: null,
  isObservabilityIoLoggingEnabled: false,
  isObservabilityBroadcastEnabled: false,
  isDataDiscountLoggingEnabled: false,
  ioLoggingSamplingRate: 1,
  ioLoggingApiKeyIds: null,
  disabledServerTools: null,
};

const unsupported = [
  [{ defaultTextModel: 'm' }, '/default_text_model'],
  [{ defaultImageModel: 'm' }, '/default_image_model'],
  [{ defaultProviderSort: 'price' }, '/default_provider_sort'],
  [{ isObservabilityBroadcastEnabled: true }, '/is_observability_broadcast_enabled'],
  [{ isDataDiscountLoggingEnabled: true }, '/is_data_discount_logging_enabled'],
  [{ ioLoggingApiKeyIds: [1] }, '/io_logging_api_key_ids'],
  [{ disabledServerTools: ['openrouter:bash'] }, '/disabled_server_tools'],
] as const;

describe("workspaces with OpenRouter's SDK", () => {
  let server: TestServer;
  let unusual: UnusualKeys;
  let on: SdkOrganization;
  let defaultWorkspace: Workspace;

  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    unusual = await addUnusualKeys(server.database);
    on = await sdkOrganization(server);
    defaultWorkspace = (await on.client().workspaces.get({ id: 'default' })).data;
  });
  afterAll(() => server.stop());

  it('include a default workspace from the start', () => {
    expect(defaultWorkspace).toStrictEqual({
      ...neutral,
      includeByokInBudgets: false,
      id: expect.stringMatching(uuid),
      name: 'Default',
      slug: 'default',
      description: null,
      defaultGuardrailId: '00000000-0000-0000-0000-000000000000',
      createdAt: expect.stringMatching(timestamp),
      updatedAt: null,
      createdBy: null,
    });
  });

  it('are created with all fields and read by id and slug', async () => {
    const { client, adminId } = on;
    const { httpClient, sent } = recordingClient();
    const { data } = await client(managementKey, httpClient).workspaces.create({
      createWorkspaceRequest: {
        name: 'Über uns',
        slug: 'about-us',
        description: 'What we say.',
        ...neutral,
      },
    });
    expect(data).toStrictEqual({
      ...neutral,
      includeByokInBudgets: false,
      id: expect.stringMatching(uuid),
      name: 'Über uns',
      slug: 'about-us',
      description: 'What we say.',
      defaultGuardrailId: '00000000-0000-0000-0000-000000000000',
      createdAt: expect.stringMatching(timestamp),
      updatedAt: null,
      createdBy: adminId,
    });
    // This is every field that the SDK can send.
    expect(sent).toEqual([
      {
        method: 'POST',
        path: '/api/v1/workspaces',
        body: {
          name: 'Über uns',
          slug: 'about-us',
          description: 'What we say.',
          default_text_model: null,
          default_image_model: null,
          default_provider_sort: null,
          is_observability_io_logging_enabled: false,
          is_observability_broadcast_enabled: false,
          is_data_discount_logging_enabled: false,
          io_logging_sampling_rate: 1,
          io_logging_api_key_ids: null,
          disabled_server_tools: null,
        },
      },
    ]);
    for (const id of [data.id, data.id.toUpperCase(), 'about-us'])
      expect((await client().workspaces.get({ id })).data).toStrictEqual(data);
  });

  it('accept empty lists in unsupported fields', async () => {
    const data = await on.create('empty-lists', { ioLoggingApiKeyIds: [], disabledServerTools: [] });
    expect(data).toMatchObject(neutral);
  });

  it('log the content of calls when the SDK says so', async () => {
    const settings = { isObservabilityIoLoggingEnabled: true, ioLoggingSamplingRate: 0.5 };
    expect(await on.create('logging', settings)).toMatchObject(settings);
    const { data } = await on.client().workspaces.update({
      id: 'logging',
      updateWorkspaceRequest: { isObservabilityIoLoggingEnabled: false },
    });
    expect(data).toMatchObject({ isObservabilityIoLoggingEnabled: false, ioLoggingSamplingRate: 0.5 });
  });

  it('are updated, and keep fields that are not given', async () => {
    const made = await on.create('before', { description: 'x' });
    const update = async (id: string, updateWorkspaceRequest: object) =>
      (await on.client().workspaces.update({ id, updateWorkspaceRequest })).data;
    const changed = { ...made, updatedAt: expect.stringMatching(timestamp) };
    expect(await update(made.id, neutral)).toStrictEqual(made);
    expect(await update('before', { name: 'N' })).toStrictEqual({ ...changed, name: 'N' });
    expect(await update(made.id, { slug: 'after', ...neutral })).toStrictEqual({
      ...changed,
      name: 'N',
      slug: 'after',
    });
    expect(await update('after', { description: null })).toStrictEqual({
      ...changed,
      name: 'N',
      slug: 'after',
      description: null,
    });
    const error = await thrownBy(update('before', { name: 'M' }), NotFoundResponseError);
    expect(error).toMatchObject({ statusCode: 404, userId: on.adminId, error: { code: 404 } });
    expect(error.message).toBe('There is no workspace "before" that you can access.');
  });

  it.each(unsupported)(
    'a workspace with %j is rejected, because presetd does not support it',
    async (more, path) => {
      const { client } = on;
      const issues = [{ path, message: expect.stringMatching(/^is not supported: presetd has no /) }];
      for (const call of [
        () => on.create('unsupported', more),
        () =>
          client().workspaces.update({
            id: 'default',
            updateWorkspaceRequest: { ...more } as object,
          }),
      ]) {
        const error = await thrownBy(call(), BadRequestResponseError);
        expect(error).toMatchObject({ statusCode: 400, error: { code: 400, metadata: { issues } } });
      }
    },
  );

  it.each([
    [{ slug: 'default' }, '/slug', /which another workspace already uses/],
    [{ slug: 'Two Words' }, '/slug', /must be 1 to 50 of a-z 0-9/],
    [{ slug: newId() }, '/slug', /must not look like the id/],
    [{ name: '' }, '/name', /at least 1 character/],
    [{ description: 'x'.repeat(501) }, '/description', /at most 500 characters/],
  ] as const)('a workspace with %j is rejected', async (more, path, message) => {
    const error = await thrownBy(on.create('refused', more), BadRequestResponseError);
    expect(error.error).toMatchObject({
      code: 400,
      metadata: { issues: [{ path, message: expect.stringMatching(message) }] },
    });
  });

  it('are deleted unless they have an active key', async () => {
    const { client, create, createKey } = on;
    const { id } = await create('short-lived');
    const { data: key } = await createKey(id);
    const refused = await thrownBy(client().workspaces.delete({ id }), BadRequestResponseError);
    expect(refused).toMatchObject({ statusCode: 400, error: { code: 400 } });
    expect(refused.message).toBe(
      'The workspace short-lived still has an active key. Disable or delete it first.',
    );
    await client().apiKeys.update({ hash: key.hash, requestBody: { disabled: true } });
    expect(await client().workspaces.delete({ id: 'short-lived' })).toStrictEqual({ deleted: true });
    for (const gone of [id, 'short-lived'])
      await thrownBy(client().workspaces.get({ id: gone }), NotFoundResponseError);
    await thrownBy(client().apiKeys.get({ hash: key.hash }), NotFoundResponseError);
    expect((await create('short-lived')).id).not.toBe(id);
  });

  it('the default workspace cannot be deleted, even with confirmation', async () => {
    const { httpClient, sent } = recordingClient();
    const { workspaces } = on.client(managementKey, httpClient);
    for (const confirmed of [undefined, false, true]) {
      const error = await thrownBy(
        workspaces.delete({
          id: 'default',
          ...(confirmed !== undefined && { confirmDefaultWorkspaceDeletion: confirmed }),
        }),
        BadRequestResponseError,
      );
      expect(error.message).toContain('is the default workspace');
    }
    expect(sent.map(({ path }) => path)).toEqual(
      ['', '?confirm_default_workspace_deletion=false', '?confirm_default_workspace_deletion=true'].map(
        (query) => `/api/v1/workspaces/default${query}`,
      ),
    );
    expect((await workspaces.get({ id: defaultWorkspace.id })).data).toStrictEqual(defaultWorkspace);
  });

  describe('the workspace list', () => {
    const total = 120;
    let other: TestServer;
    let inOrder: Workspace[];

    beforeAll(async () => {
      other = await startTestServer(anyEngine);
      const { client, create } = await sdkOrganization(other);
      inOrder = [(await client().workspaces.get({ id: 'default' })).data];
      while (inOrder.length < total) inOrder.push(await create(`workspace-${inOrder.length}`));
    });
    afterAll(() => other.stop());

    // The SDK requests another page after each full one, so a full last page is followed by an
    // empty one.
    it.each<[ListWorkspacesRequest, number[]]>([
      [{}, [50, 50, 20]],
      [{ limit: 100 }, [100, 20]],
      [{ limit: 60 }, [60, 60, 0]],
      [{ limit: 1, offset: 118 }, [1, 1, 0]],
      [{ offset: 5_000 }, [0]],
      [{ offset: null }, [50, 50, 20]],
    ])('is returned in pages, each workspace once, oldest first, for %j', async (request, sizes) => {
      const { workspaces } = sdkClient(other, managementKey);
      const pages = [];
      for await (const { result } of await workspaces.list(request)) pages.push(result);
      expect(pages.map(({ data }) => data.length)).toEqual(sizes);
      expect(pages.map(({ totalCount }) => totalCount)).toEqual(sizes.map(() => total));
      const found = pages.flatMap(({ data }) => data);
      const start = request.offset ?? 0;
      // Workspaces created within the same millisecond are in either order.
      const ids = (some: readonly Workspace[]) => some.map(({ createdAt, id }) => createdAt + id);
      expect(ids(found)).toEqual(ids(inOrder).toSorted().slice(start));
      const byId = new Map(inOrder.map((workspace) => [workspace.id, workspace]));
      expect(found).toStrictEqual(found.map(({ id }) => byId.get(id)));
    });

    it("accepts the SDK's encoding of null and omitted parameters", async () => {
      const { httpClient, sent } = recordingClient();
      const { workspaces } = sdkClient(other, managementKey, httpClient);
      await workspaces.list();
      await workspaces.list({ offset: null });
      await workspaces.listMembers({ id: 'default', offset: null });
      expect(sent.map(({ path }) => path)).toEqual([
        '/api/v1/workspaces',
        '/api/v1/workspaces?limit=50',
        '/api/v1/workspaces/default/members?limit=50',
      ]);
    });

    it('rejects an invalid limit', async () => {
      // The SDK declares no 400 here.
      const { workspaces } = sdkClient(other, managementKey);
      const error = await thrownBy(workspaces.list({ limit: 101 }), OpenRouterDefaultError);
      expect(error.statusCode).toBe(400);
      expect(error.body).toContain('/limit must be at most 100');
    });
  });

  const reads: Readonly<Record<string, (sdk: OpenRouter) => Promise<unknown>>> = {
    list: ({ workspaces }) => workspaces.list(),
    get: ({ workspaces }) => workspaces.get({ id: 'default' }),
    listMembers: ({ workspaces }) => workspaces.listMembers({ id: 'default' }),
  };
  const writes: Readonly<Record<string, (sdk: OpenRouter) => Promise<unknown>>> = {
    create: ({ workspaces }) =>
      workspaces.create({ createWorkspaceRequest: { name: 'Never made', slug: 'never-made' } }),
    update: ({ workspaces }) => workspaces.update({ id: 'default', updateWorkspaceRequest: { name: 'N' } }),
    delete: ({ workspaces }) => workspaces.delete({ id: 'default' }),
    bulkAddMembers: ({ workspaces }) =>
      workspaces.bulkAddMembers({ id: 'default', bulkAddWorkspaceMembersRequest: { userIds: ['user_a'] } }),
    bulkRemoveMembers: ({ workspaces }) =>
      workspaces.bulkRemoveMembers({
        id: 'default',
        bulkRemoveWorkspaceMembersRequest: { userIds: ['user_a'] },
      }),
  };

  describe.each(Object.entries({ ...reads, ...writes }))('%s', (name, call) => {
    it('throws if the key is unknown, disabled, expired or not a management key', async () => {
      for (const [key, message] of [
        ['sk-pst-v1-unknown', /^Unknown API key/],
        [unusual.disabled, /is disabled/],
        [unusual.expired, /expired at/],
        [apiKey, /requires a management key; this is an API key\.$/],
      ] as const) {
        const error = await thrownBy(call(on.client(key)), UnauthorizedResponseError);
        expect(error).toMatchObject({ statusCode: 401, error: { code: 401 } });
        expect(error.message).toMatch(message);
      }
    });

    it('throws for a personal key, which has no organization', async () => {
      // The SDK declares no 404 for lists and creates.
      const declared = name === 'list' || name === 'create' ? OpenRouterDefaultError : NotFoundResponseError;
      expect(await thrownBy(call(on.client(unusual.personal)), declared)).toMatchObject({
        statusCode: 404,
        body: expect.stringContaining('This management key is personal'),
      });
    });
  });

  it.each(Object.entries(reads))('%s accepts a read-only key', async (_name, read) => {
    await expect(read(on.client(unusual.readOnly))).resolves.toBeDefined();
  });

  it.each(Object.entries(writes))(
    '%s throws if the key is read-only or its owner is not an admin',
    async (name, write) => {
      const [memberId] = await on.addMembers([{ email: `${name}@example.com` }]);
      const path = `/api/v1/workspaces/default/members/${memberId}`;
      await server.send('PATCH', path, { role: 'editor' }, { key: managementKey });
      const key = await server.post(
        '/api/v1/keys',
        { name: 'k', kind: 'management', creator_user_id: memberId },
        { key: managementKey },
      );
      for (const [secret, message] of [
        [unusual.readOnly, /is read-only\. Use a key with write access\.$/],
        [key.body.key, /requires (a management key of an org:admin|the role admin in the workspace)/],
        [unusual.ownerHasLeft, /no longer a member/],
      ] as const) {
        const error = await thrownBy(write(on.client(secret)), ForbiddenResponseError);
        expect(error).toMatchObject({ statusCode: 403, error: { code: 403 } });
        expect(error.message).toMatch(message);
      }
    },
  );

  it('a key that exceeds its rate limit cannot access workspaces', async () => {
    const limited = await startTestServer(anyEngine, { PRESETD_RATE_LIMIT: '1' });
    try {
      const { workspaces } = sdkClient(limited, managementKey);
      await workspaces.list();
      // The SDK declares no 429 for workspaces.
      const error = await thrownBy(workspaces.list(), OpenRouterDefaultError);
      expect(error).toMatchObject({
        statusCode: 429,
        body: expect.stringContaining('This key has reached its limit of 1 request per minute.'),
      });
      expect(error.headers.get('retry-after')).toMatch(/^\d+$/);
    } finally {
      await limited.stop();
    }
  });
});
