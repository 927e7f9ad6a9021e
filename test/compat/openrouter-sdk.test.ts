import { HTTPClient, OpenRouter } from '@openrouter/sdk';
import { chatRequestToJSON, messagesRequestToJSON, responsesRequestToJSON } from '@openrouter/sdk/models';
import type { ListOrganizationMembersRequest } from '@openrouter/sdk/models/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { addMember, newMember } from '../support/members.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { withStorage } from '../support/storage-access.ts';
import {
  openRouterChatRequests,
  openRouterMessagesRequests,
  openRouterResponsesRequests,
} from './captured/openrouter-requests.ts';
import { expectedConfig } from './expected-config.ts';

const model = 'openai/gpt-5.2';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe.each(engines)("OpenRouter's SDK on %s", (engine) => {
  let server: TestServer;

  const client = (key = apiKey) =>
    new OpenRouter({
      apiKey: key,
      serverURL: `${server.url}/api/v1`,
      retryConfig: { strategy: 'none' },
      httpClient: new HTTPClient().addHook('response', ({ headers }) => {
        // presetd knows every field that the official SDK can send.
        expect(headers.get('x-presetd-ignored-fields')).toBeNull();
      }),
    });

  beforeAll(async () => {
    server = await startTestServer(engine);
  });
  afterAll(() => server.stop());

  describe('creating a preset', () => {
    it('captures three versions of one preset in three dialects', async () => {
      const { presets } = client();
      const slug = 'three-dialects';
      const first = await presets.createPresetsChatCompletions({
        slug,
        chatRequest: {
          model,
          temperature: 0.5,
          maxCompletionTokens: 10,
          messages: [
            { role: 'system', content: 'Be terse.' },
            { role: 'user', content: 'Hello' },
          ],
        },
      });
      const second = await presets.createPresetsMessages({
        slug,
        messagesRequest: {
          model,
          maxTokens: 20,
          system: 'Be kind.',
          messages: [{ role: 'user', content: 'Hello' }],
        },
      });
      const third = await presets.createPresetsResponses({
        slug,
        responsesRequest: { model, maxOutputTokens: 30, input: 'Hello' },
      });

      expect(first.data).toEqual({
        id: expect.stringMatching(uuid),
        name: slug,
        slug,
        description: null,
        status: 'active',
        statusUpdatedAt: null,
        createdAt: expect.stringMatching(timestamp),
        updatedAt: expect.stringMatching(timestamp),
        creatorUserId: expect.stringMatching(/^user_/),
        workspaceId: expect.stringMatching(uuid),
        designatedVersionId: first.data.designatedVersion?.id,
        designatedVersion: {
          id: expect.stringMatching(uuid),
          presetId: first.data.id,
          version: 1,
          config: { model, temperature: 0.5, max_completion_tokens: 10 },
          systemPrompt: 'Be terse.',
          creatorId: first.data.creatorUserId,
          createdAt: first.data.createdAt,
          updatedAt: first.data.createdAt,
        },
      });
      const { id, createdAt } = first.data;
      expect(second.data).toMatchObject({ id, createdAt });
      expect(second.data.designatedVersion).toMatchObject({
        version: 2,
        config: { model, max_tokens: 20 },
        systemPrompt: 'Be kind.',
      });
      expect(third.data).toMatchObject({ id, createdAt });
      expect(third.data.designatedVersion).toMatchObject({
        version: 3,
        config: { model, max_output_tokens: 30 },
        systemPrompt: null,
      });
      expect(third.data.designatedVersionId).toBe(third.data.designatedVersion?.id);
    });

    it.each(openRouterChatRequests)('captures a chat request with $title', async ({ title, body }) => {
      const { data } = await client().presets.createPresetsChatCompletions({
        slug: 'chat',
        chatRequest: body,
      });
      expect(data.designatedVersion?.config).toEqual(expectedConfig(chatRequestToJSON(body)));
      expect(data.designatedVersion?.systemPrompt).toBe(
        title.startsWith('routing') ? 'You are terse.\n\nCite.' : null,
      );
    });

    it.each(openRouterMessagesRequests)(
      'captures a messages request with $title',
      async ({ title, body }) => {
        const { data } = await client().presets.createPresetsMessages({
          slug: 'messages',
          messagesRequest: body,
        });
        expect(data.designatedVersion?.config).toEqual(expectedConfig(messagesRequestToJSON(body)));
        expect(data.designatedVersion?.systemPrompt).toBe(
          title.startsWith('routing') ? 'You are terse.' : null,
        );
      },
    );

    it.each(openRouterResponsesRequests)('captures a responses request with $title', async ({ body }) => {
      const { data } = await client().presets.createPresetsResponses({
        slug: 'responses',
        responsesRequest: body,
      });
      expect(data.designatedVersion?.config).toEqual(expectedConfig(responsesRequestToJSON(body)));
      expect(data.designatedVersion?.systemPrompt).toBe('You are terse.');
    });

    it('works with a management key, in the default workspace', async () => {
      const request = { slug: 'shared', responsesRequest: { model } };
      const first = await client(apiKey).presets.createPresetsResponses(request);
      const second = await client(managementKey).presets.createPresetsResponses(request);
      expect(second.data).toMatchObject({ id: first.data.id, workspaceId: first.data.workspaceId });
      expect(second.data.designatedVersion?.version).toBe(2);
    });
  });

  describe('the member list', () => {
    let inOrder: readonly string[];

    beforeAll(async () => {
      inOrder = await withStorage(server.database, async ({ storage, organization, admin }) => {
        const people = Array.from({ length: 119 }, (_, index) => ({
          ...newMember({
            email: `person-${index}@example.com`,
            firstName: 'Person',
            lastName: String(index),
          }),
          // Later entries joined earlier, in groups of three with the same timestamp.
          joinedAt: new Date(Date.UTC(2040, 0, 1) - Math.floor(index / 3) * 1_000).toISOString(),
        }));
        for (const { joinedAt, ...person } of people)
          await addMember(storage, organization.id, person, joinedAt);
        const order = (person: { joinedAt: string; id: string }) => person.joinedAt + person.id;
        const joiners = people.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
        return [admin.id, ...joiners.map(({ id }) => id)];
      });
    });

    // The SDK requests another page after each full one, so a full last page is followed by an
    // empty one.
    it.each<[ListOrganizationMembersRequest, number[]]>([
      [{}, [50, 50, 20]],
      [{ limit: 100 }, [100, 20]],
      [{ limit: 40 }, [40, 40, 40, 0]],
      [{ limit: 60 }, [60, 60, 0]],
      [{ limit: 1, offset: 118 }, [1, 1, 0]],
      [{ limit: 5, offset: 112 }, [5, 3]],
      [{ offset: 120 }, [0]],
      [{ offset: 5_000 }, [0]],
      [{ offset: null }, [50, 50, 20]],
    ])('has pages with each member once and in order, for %j', async (request, sizes) => {
      const pages = [];
      for await (const { result } of await client(managementKey).organization.listMembers(request)) {
        pages.push(result);
      }
      expect(pages.map(({ data }) => data.length)).toEqual(sizes);
      expect(pages.map(({ totalCount }) => totalCount)).toEqual(sizes.map(() => 120));
      const start = request.offset ?? 0;
      const expected = inOrder.slice(start, start + sizes.reduce((sum, size) => sum + size));
      expect(pages.flatMap(({ data }) => data.map(({ id }) => id))).toEqual(expected);
    });

    it('has the name, email address and role of each member', async () => {
      const { result } = await client(managementKey).organization.listMembers({ limit: 2 });
      expect(result.data).toEqual([
        {
          id: inOrder[0],
          email: 'owner@localhost',
          firstName: 'Preset',
          lastName: 'Owner',
          role: 'org:admin',
        },
        {
          id: inOrder[1],
          email: expect.stringMatching(/^person-\d+@example\.com$/),
          firstName: 'Person',
          lastName: expect.stringMatching(/^\d+$/),
          role: 'org:member',
        },
      ]);
    });
  });
});
