import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  NotFoundResponseError,
  OpenRouterDefaultError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import type { ListPresetsRequest, ListPresetVersionsRequest } from '@openrouter/sdk/models/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';
import { thrownBy } from './thrown-by.ts';
import { addUnusualKeys, type UnusualKeys } from './unusual-keys.ts';

const presetCount = 120;
const versionCount = 60;

describe("reading presets with OpenRouter's SDK", () => {
  let server: TestServer;
  let keys: UnusualKeys;
  /** Slugs, most recently updated first. */
  const inOrder = Array.from({ length: presetCount }, (_, index) => `preset-${index}`).toReversed();

  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    keys = await addUnusualKeys(server.database);
    await withStorage(server.database, async ({ storage, organization, admin }) => {
      const create = (slug: string, second: number) =>
        storage.presets.createVersion({
          organizationId: organization.id,
          workspaceId: organization.defaultWorkspaceId,
          slug,
          presetId: newId(),
          versionId: newId(),
          author: { userId: admin.id, keyLabel: 'sk-…' },
          dialect: 'responses',
          configJson: `{"model":"m","max_output_tokens":${second}}`,
          extensionJson: null,
          systemPrompt: second % 2 === 0 ? null : `Prompt ${second}`,
          createdAt: new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString(),
        });
      for (let version = 1; version < versionCount; version += 1) await create('preset-0', version);
      await Promise.all(inOrder.toReversed().map((slug, index) => create(slug, 100 + index)));
    });
  });
  afterAll(() => server.stop());

  const client = (key = apiKey, httpClient = new HTTPClient()) =>
    new OpenRouter({
      apiKey: key,
      serverURL: `${server.url}/api/v1`,
      retryConfig: { strategy: 'none' },
      httpClient,
    });
  const created = (body: object, slug: string) => server.post(`/api/v1/presets/${slug}/responses`, body);

  // The SDK requests another page after each full one, so a full last page is followed by an empty
  // one.
  it.each<[ListPresetsRequest, number[]]>([
    [{}, [50, 50, 20]],
    [{ limit: 100 }, [100, 20]],
    [{ limit: 40 }, [40, 40, 40, 0]],
    [{ limit: 60 }, [60, 60, 0]],
    [{ limit: 1, offset: 118 }, [1, 1, 0]],
    [{ offset: 120 }, [0]],
    [{ offset: null }, [50, 50, 20]],
  ])('lists presets in pages, each once, most recently updated first, for %j', async (request, sizes) => {
    const pages = [];
    for await (const { result } of await client().presets.list(request)) pages.push(result);
    expect(pages.map(({ data }) => data.length)).toEqual(sizes);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual(sizes.map(() => presetCount));
    const start = request.offset ?? 0;
    expect(pages.flatMap(({ data }) => data.map(({ slug }) => slug))).toEqual(inOrder.slice(start));
  });

  it('lists presets with the same fields as reading a single one, except the version', async () => {
    const { result } = await client(managementKey).presets.list({ offset: presetCount - 1, limit: 1 });
    const { data } = await client().presets.get({ slug: 'preset-0' });
    const { designatedVersion, ...rest } = data;
    expect(result.data).toEqual([rest]);
    expect(rest.designatedVersionId).toBe(designatedVersion?.id);
  });

  it('returns a preset as its capture did', async () => {
    const { presets } = client();
    const { data: made } = await presets.createPresetsResponses({
      slug: 'Made.1~x',
      responsesRequest: { model: 'a/b', instructions: 'Be kind.', temperature: 0.5 },
    });
    expect((await presets.get({ slug: 'Made.1~x' })).data).toEqual(made);
    expect(made.designatedVersion?.config).toMatchObject({ model: 'a/b', temperature: 0.5 });
    expect((await presets.getVersion({ slug: 'Made.1~x', version: '1' })).data).toEqual(
      made.designatedVersion,
    );
    await server.send('DELETE', '/api/v1/presets/Made.1~x');
    expect((await presets.get({ slug: 'Made.1~x' })).data).toMatchObject({
      status: 'archived',
      statusUpdatedAt: expect.stringMatching(/Z$/),
    });
  });

  it.each<[Omit<ListPresetVersionsRequest, 'slug'>, number[]]>([
    [{}, [50, 10]],
    [{ limit: 100 }, [60]],
    [{ limit: 20 }, [20, 20, 20, 0]],
    [{ limit: 60 }, [60, 0]],
    [{ limit: 7, offset: 50 }, [7, 3]],
    [{ offset: 60 }, [0]],
    [{ offset: null, limit: 30 }, [30, 30, 0]],
  ])('lists versions in pages, each once, oldest first, for %j', async (request, sizes) => {
    const pages = [];
    for await (const { result } of await client().presets.listVersions({ slug: 'preset-0', ...request }))
      pages.push(result);
    expect(pages.map(({ data }) => data.length)).toEqual(sizes);
    expect(pages.map(({ totalCount }) => totalCount)).toEqual(sizes.map(() => versionCount));
    const start = (request.offset ?? 0) + 1;
    const total = sizes.reduce((sum, size) => sum + size);
    expect(pages.flatMap(({ data }) => data.map((each) => each?.version))).toEqual(
      Array.from({ length: total }, (_, index) => start + index),
    );
  });

  it('returns a version as in the list', async () => {
    const { result } = await client().presets.listVersions({ slug: 'preset-0', offset: 6, limit: 1 });
    const { data } = await client().presets.getVersion({ slug: 'preset-0', version: '7' });
    expect(result.data).toEqual([data]);
    expect(data).toEqual({
      id: expect.any(String),
      presetId: (await client().presets.get({ slug: 'preset-0' })).data.id,
      version: 7,
      config: { model: 'm', max_output_tokens: 7 },
      systemPrompt: 'Prompt 7',
      creatorId: expect.stringMatching(/^user_/),
      createdAt: '2026-01-01T00:00:07.000Z',
      updatedAt: '2026-01-01T00:00:07.000Z',
    });
  });

  const reads = {
    list: (sdk: OpenRouter) => sdk.presets.list(),
    get: (sdk: OpenRouter, slug = 'preset-0') => sdk.presets.get({ slug }),
    listVersions: (sdk: OpenRouter, slug = 'preset-0') => sdk.presets.listVersions({ slug }),
    getVersion: (sdk: OpenRouter, slug = 'preset-0') => sdk.presets.getVersion({ slug, version: '1' }),
  };

  describe.each(Object.entries(reads))('%s', (name, read) => {
    it('throws if the key is unknown or disabled', async () => {
      for (const key of ['sk-pst-v1-unknown', keys.disabled]) {
        const error = await thrownBy(read(client(key)), UnauthorizedResponseError);
        expect(error).toMatchObject({ statusCode: 401, error: { code: 401 } });
      }
    });

    it('accepts a read-only key and rejects a personal one, which has no presets', async () => {
      await expect(read(client(keys.readOnly))).resolves.toBeDefined();
      // The SDK declares no 404 for lists of presets.
      const declared = name === 'list' ? OpenRouterDefaultError : NotFoundResponseError;
      expect(await thrownBy(read(client(keys.personal)), declared)).toMatchObject({ statusCode: 404 });
    });
  });

  const { list: _, ...readsOfOne } = reads;

  it.each(Object.entries(readsOfOne))(
    '%s throws for an unknown preset and for an invalid slug',
    async (_name, read) => {
      const absent = await thrownBy(read(client(), 'absent'), NotFoundResponseError);
      expect(absent).toMatchObject({ statusCode: 404, error: { code: 404 } });
      expect(absent.message).toContain('"absent"');
      const impossible = await thrownBy(read(client(), 'two words'), BadRequestResponseError);
      expect(impossible).toMatchObject({ statusCode: 400, error: { code: 400 } });
    },
  );

  it('throws for an invalid page', async () => {
    const { presets } = client();
    for (const call of [
      presets.list({ limit: 101 }),
      presets.list({ offset: -1 }),
      presets.listVersions({ slug: 'preset-0', limit: 0 }),
    ])
      expect(await thrownBy(call, BadRequestResponseError)).toMatchObject({ error: { code: 400 } });
  });

  it('throws for an invalid or unknown version', async () => {
    const version = (text: string) => client().presets.getVersion({ slug: 'preset-0', version: text });
    for (const text of ['0', 'latest', '1.5'])
      expect(await thrownBy(version(text), BadRequestResponseError)).toMatchObject({ error: { code: 400 } });
    const absent = await thrownBy(version('61'), NotFoundResponseError);
    expect(absent.message).toBe('The preset "preset-0" has no version 61; it has versions 1 to 60.');
  });

  it('returns presets in every status that the SDK knows', async () => {
    for (const slug of ['state-active', 'state-disabled', 'state-archived']) await created({}, slug);
    await server.send('PATCH', '/api/v1/presets/state-disabled', { status: 'disabled' });
    await server.send('DELETE', '/api/v1/presets/state-archived');
    const states = ['active', 'disabled', 'archived'].map(async (state) => {
      const { data } = await client().presets.get({ slug: `state-${state}` });
      return data.status;
    });
    expect(await Promise.all(states)).toEqual(['active', 'disabled', 'archived']);
    const { result } = await client().presets.list({ limit: 2 });
    expect(result.data.map(({ slug, status }) => [slug, status])).toEqual([
      ['state-disabled', 'disabled'],
      ['state-active', 'active'],
    ]);
  });
});
