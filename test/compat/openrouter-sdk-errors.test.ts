import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import {
  BadRequestResponseError,
  ConflictResponseError,
  ForbiddenResponseError,
  NotFoundResponseError,
  OpenRouterDefaultError,
  UnauthorizedResponseError,
} from '@openrouter/sdk/models/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { thrownBy } from './thrown-by.ts';
import { addUnusualKeys, type UnusualKeys } from './unusual-keys.ts';

const model = 'openai/gpt-5.2';

describe("the errors of OpenRouter's SDK", () => {
  let server: TestServer;
  let keys: UnusualKeys;

  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    keys = await addUnusualKeys(server.database);
  });
  afterAll(() => server.stop());

  const client = (key: string, httpClient = new HTTPClient()) =>
    new OpenRouter({
      apiKey: key,
      serverURL: `${server.url}/api/v1`,
      retryConfig: { strategy: 'none' },
      httpClient,
    });
  const creates = {
    'a chat request': (sdk: OpenRouter, slug = 'a') =>
      sdk.presets.createPresetsChatCompletions({
        slug,
        chatRequest: { model, messages: [{ role: 'user', content: 'Hello' }] },
      }),
    'a messages request': (sdk: OpenRouter, slug = 'a') =>
      sdk.presets.createPresetsMessages({
        slug,
        messagesRequest: { model, messages: [{ role: 'user', content: 'Hello' }] },
      }),
    'a responses request': (sdk: OpenRouter, slug = 'a') =>
      sdk.presets.createPresetsResponses({ slug, responsesRequest: { model, input: 'Hello' } }),
  };
  const members = (key: string) => client(key).organization.listMembers();

  describe.each(Object.entries(creates))('errors of %s', (_name, create) => {
    it('name the rule that an invalid slug violates', async () => {
      const error = await thrownBy(create(client(apiKey), 'two words'), BadRequestResponseError);
      expect(error).toMatchObject({ statusCode: 400, error: { code: 400 } });
      expect(error.message).toMatch(/slug/i);
      expect(error.userId).toMatch(/^user_/);
    });

    it('say that a key is unknown, disabled or expired', async () => {
      for (const [key, message] of [
        ['sk-pst-v1-unknown', /^Unknown API key/],
        [keys.disabled, /is disabled/],
        [keys.expired, /expired at 2026-01-01T00:00:01\.000Z/],
      ] as const) {
        const error = await thrownBy(create(client(key)), UnauthorizedResponseError);
        expect(error).toMatchObject({ statusCode: 401, error: { code: 401 } });
        expect(error.message).toMatch(message);
        expect(error.userId).toBeUndefined();
      }
    });

    it('say that a key is read-only or its owner was removed', async () => {
      for (const [key, message] of [
        [keys.readOnly, /read-only/],
        [keys.ownerHasLeft, /no longer a member/],
      ] as const) {
        const error = await thrownBy(create(client(key)), ForbiddenResponseError);
        expect(error).toMatchObject({ statusCode: 403, error: { code: 403 } });
        expect(error.message).toMatch(message);
      }
    });

    it('say that a workspace is unknown', async () => {
      // The SDK has no parameter for the workspace, but hooks can modify requests.
      const workspaceId = newId();
      const elsewhere = new HTTPClient().addHook(
        'beforeRequest',
        (request) => new Request(`${request.url}?workspace_id=${workspaceId}`, request),
      );
      for (const key of [apiKey, managementKey]) {
        const error = await thrownBy(create(client(key, elsewhere)), NotFoundResponseError);
        expect(error).toMatchObject({ statusCode: 404, error: { code: 404 } });
        expect(error.message).toContain(workspaceId);
      }
    });

    it('say that a personal key has no workspace', async () => {
      const error = await thrownBy(create(client(keys.personal)), NotFoundResponseError);
      expect(error.message).toMatch(/personal/);
    });

    it('say that a preset is archived', async () => {
      const { data } = await create(client(apiKey), 'archived');
      await server.database.sql(`UPDATE presets SET status = 'archived' WHERE id = '${data.id}'`);
      const error = await thrownBy(create(client(apiKey), 'archived'), ConflictResponseError);
      expect(error).toMatchObject({ statusCode: 409, error: { code: 409 } });
      expect(error.message).toMatch(/"archived" is archived/);
      await server.database.sql(`UPDATE presets SET status = 'active' WHERE id = '${data.id}'`);
      const again = await create(client(apiKey), 'archived');
      expect(again.data.designatedVersion?.version).toBe((data.designatedVersion?.version ?? 0) + 1);
    });
  });

  it('list every issue of a body', async () => {
    const error = await thrownBy(
      client(apiKey).presets.createPresetsChatCompletions({
        slug: 'a',
        chatRequest: { messages: [], temperature: 2.1, topP: -0.1, model },
      }),
      BadRequestResponseError,
    );
    expect(error.error).toMatchObject({
      code: 400,
      metadata: {
        issues: expect.arrayContaining(
          ['/messages', '/temperature', '/top_p'].map((path) => ({ path, message: expect.any(String) })),
        ),
      },
    });
    expect(error.message).toContain('/temperature must be at most 2');
  });

  describe('errors of the member list', () => {
    it('say that a key is unknown, disabled or not a management key', async () => {
      for (const [key, message] of [
        ['sk-pst-v1-unknown', /^Unknown API key/],
        [keys.disabled, /is disabled/],
        [apiKey, /requires a management key/],
      ] as const) {
        const error = await thrownBy(members(key), UnauthorizedResponseError);
        expect(error).toMatchObject({ statusCode: 401, error: { code: 401 } });
        expect(error.message).toMatch(message);
      }
    });

    it('say that a personal key has no organization', async () => {
      const error = await thrownBy(members(keys.personal), NotFoundResponseError);
      expect(error).toMatchObject({ statusCode: 404, error: { code: 404 } });
      expect(error.message).toMatch(/personal/);
    });

    // The SDK has classes for 401 and 404 only. All other responses are in the body of its default
    // error.
    it('contain the message for an invalid page or a removed owner', async () => {
      const tooLong = await thrownBy(
        client(managementKey).organization.listMembers({ limit: 101 }),
        OpenRouterDefaultError,
      );
      expect(tooLong.statusCode).toBe(400);
      expect(tooLong.body).toContain('/limit must be at most 100');
      const left = await thrownBy(members(keys.ownerHasLeft), OpenRouterDefaultError);
      expect(left.statusCode).toBe(403);
      expect(left.body).toContain('no longer a member');
    });

    it('are not thrown for a read-only key', async () => {
      const { result } = await members(keys.readOnly);
      expect(result.data).toHaveLength(1);
    });
  });
});
