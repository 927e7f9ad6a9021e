import { chatRequestToJSON, messagesRequestToJSON, responsesRequestToJSON } from '@openrouter/sdk/models';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, type TestResponse, type TestServer } from '../support/server.ts';
import {
  openRouterChatRequests,
  openRouterMessagesRequests,
  openRouterResponsesRequests,
} from './captured/openrouter-requests.ts';
import {
  betaMessagesRequests,
  chatCompletionsRequests,
  messagesRequests,
  responsesRequests,
} from './captured/requests.ts';
import { documentedCalls } from './documented-calls.ts';
import { bodyBytesMax, type DocumentedServer, startDocumentedServer } from './documented-server.ts';
import {
  type DocumentChecks,
  type OpenapiDocument,
  operationsOf,
  refsOf,
  resolvePointer,
} from './openapi-document.ts';
import type { UnusualKeys } from './unusual-keys.ts';

const creates = [
  {
    operationId: 'createPresetsChatCompletions',
    path: '/api/v1/presets/{slug}/chat/completions',
    body: { model: 'm', messages: [{ role: 'system', content: 'Be terse.' }] },
    captured: [
      ...chatCompletionsRequests.map(({ title, body }) => ({ title, json: JSON.stringify(body) })),
      ...openRouterChatRequests.map(({ title, body }) => ({ title, json: chatRequestToJSON(body) })),
    ],
  },
  {
    operationId: 'createPresetsMessages',
    path: '/api/v1/presets/{slug}/messages',
    body: { model: 'm', max_tokens: 1, system: 'Be terse.', messages: [{ role: 'user', content: 'Hello' }] },
    captured: [
      ...messagesRequests.map(({ title, body }) => ({ title, json: JSON.stringify(body) })),
      ...betaMessagesRequests.map(({ title, body }) => ({ title, json: JSON.stringify(body) })),
      ...openRouterMessagesRequests.map(({ title, body }) => ({ title, json: messagesRequestToJSON(body) })),
    ],
  },
  {
    operationId: 'createPresetsResponses',
    path: '/api/v1/presets/{slug}/responses',
    body: { model: 'm', instructions: 'Be terse.' },
    captured: [
      ...responsesRequests.map(({ title, body }) => ({ title, json: JSON.stringify(body) })),
      ...openRouterResponsesRequests.map(({ title, body }) => ({
        title,
        json: responsesRequestToJSON(body),
      })),
    ],
  },
];

describe('the OpenAPI document of a server', () => {
  let documented: DocumentedServer;
  let server: TestServer;
  let limited: TestServer;
  let keys: UnusualKeys;
  let document: OpenapiDocument;
  let checks: DocumentChecks;

  beforeAll(async () => {
    documented = await startDocumentedServer(anyEngine);
    ({ server, limited, keys, document, checks } = documented);
  });
  afterAll(() => documented.stop());

  const expectAsDocumented = (operationId: string, status: number, response: TestResponse) => {
    expect({ status: response.status, text: response.text }).toEqual({ status, text: expect.any(String) });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(checks.responseProblems(operationId, status, response.body)).toBeNull();
  };

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('describes the request that opens a WebSocket', async () => {
    const path = '/api/v1/responses';
    expectAsDocumented('connectResponses', 426, await server.get(path, { key: apiKey }));
    expectAsDocumented('connectResponses', 403, await server.get(path, { key: managementKey }));
    const operation = operationsOf(document).find(({ operationId }) => operationId === 'connectResponses');
    const statuses = ['101', '400', '401', '403', '426', '429', '500', '503'];
    expect(Object.keys(operation?.responses ?? {})).toEqual(statuses);
    expect(resolvePointer(document, '/paths/~1api~1v1~1responses/get/responses/101')).toEqual({
      description: expect.any(String),
      headers: { upgrade: expect.any(Object) },
    });
  });

  it('lists exactly the operations of the API and the health checks', () => {
    const listed = operationsOf(document).map(({ method, path, operationId }) => [method, path, operationId]);
    expect(listed.toSorted()).toEqual(
      [
        ...creates.map(({ path, operationId }) => ['post', path, operationId]),
        ['get', '/api/v1/presets', 'listPresets'],
        ['get', '/api/v1/presets/{slug}', 'getPreset'],
        ['patch', '/api/v1/presets/{slug}', 'updatePreset'],
        ['delete', '/api/v1/presets/{slug}', 'archivePreset'],
        ['post', '/api/v1/presets/{slug}/restore', 'restorePreset'],
        ['get', '/api/v1/presets/{slug}/versions', 'listPresetVersions'],
        ['get', '/api/v1/presets/{slug}/versions/{version}', 'getPresetVersion'],
        ['get', '/api/v1/presets/{slug}/versions/{version}/diff', 'diffPresetVersions'],
        ['get', '/api/v1/presets/{slug}/labels', 'listPresetLabels'],
        ['put', '/api/v1/presets/{slug}/labels/{label}', 'setPresetLabel'],
        ['get', '/api/v1/presets/{slug}/tags', 'listPresetTags'],
        ['delete', '/api/v1/presets/{slug}/labels/{label}', 'removePresetLabel'],
        ['get', '/api/v1/presets/{slug}/aliases', 'listPresetAliases'],
        ['get', '/api/v1/presets/{slug}/aliases/{alias}', 'getPresetAlias'],
        ['put', '/api/v1/presets/{slug}/aliases/{alias}', 'addPresetAlias'],
        ['delete', '/api/v1/presets/{slug}/aliases/{alias}', 'removePresetAlias'],
        ['get', '/api/v1/presets/{slug}/cases', 'listPresetCases'],
        ['get', '/api/v1/presets/{slug}/cases/{name}', 'getPresetCase'],
        ['put', '/api/v1/presets/{slug}/cases/{name}', 'savePresetCase'],
        ['delete', '/api/v1/presets/{slug}/cases/{name}', 'removePresetCase'],
        ['get', '/api/v1/presets/{slug}/draft', 'getPresetDraft'],
        ['put', '/api/v1/presets/{slug}/draft', 'savePresetDraft'],
        ['delete', '/api/v1/presets/{slug}/draft', 'discardPresetDraft'],
        ['get', '/api/v1/presets/{slug}/drafts', 'listPresetDrafts'],
        ['get', '/api/v1/presets/{slug}/usage', 'getPresetUsage'],
        ['get', '/api/v1/presets/{slug}/events', 'listPresetEvents'],
        ['post', '/api/v1/chat/completions', 'sendChatCompletionRequest'],
        ['post', '/api/v1/messages', 'createMessages'],
        ['post', '/api/v1/responses', 'createResponses'],
        ['get', '/api/v1/responses', 'connectResponses'],
        ['post', '/api/v1/completions', 'createCompletion'],
        ['post', '/api/v1/embeddings', 'createEmbeddings'],
        ['post', '/api/v1/rerank', 'createRerank'],
        ['post', '/api/v1/moderations', 'createModeration'],
        ['post', '/api/v1/images', 'createImages'],
        ['post', '/api/v1/images/generations', 'createImage'],
        ['post', '/api/v1/images/edits', 'createImageEdit'],
        ['post', '/api/v1/images/variations', 'createImageVariation'],
        ['post', '/api/v1/audio/speech', 'createAudioSpeech'],
        ['post', '/api/v1/audio/transcriptions', 'createAudioTranscriptions'],
        ['post', '/api/v1/audio/translations', 'createAudioTranslations'],
        ['post', '/api/v1/messages/count_tokens', 'countMessagesTokens'],
        ['post', '/api/v1/responses/input_tokens', 'countResponsesInputTokens'],
        ['post', '/api/v1/responses/compact', 'compactResponses'],
        ['get', '/api/v1/responses/{response_id}', 'getResponse'],
        ['delete', '/api/v1/responses/{response_id}', 'deleteResponse'],
        ['post', '/api/v1/responses/{response_id}/cancel', 'cancelResponse'],
        ['get', '/api/v1/responses/{response_id}/input_items', 'listInputItems'],
        ['get', '/api/v1/export', 'exportPresets'],
        ['post', '/api/v1/import', 'importPresets'],
        ['get', '/api/v1/key', 'getCurrentKey'],
        ['get', '/api/v1/keys', 'listKeys'],
        ['post', '/api/v1/keys', 'createKey'],
        ['get', '/api/v1/keys/{hash}', 'getKey'],
        ['patch', '/api/v1/keys/{hash}', 'updateKey'],
        ['delete', '/api/v1/keys/{hash}', 'deleteKey'],
        ['post', '/api/v1/keys/{hash}/rotate', 'rotateKey'],
        ['get', '/api/v1/workspaces', 'listWorkspaces'],
        ['post', '/api/v1/workspaces', 'createWorkspace'],
        ['get', '/api/v1/workspaces/{id}', 'getWorkspace'],
        ['patch', '/api/v1/workspaces/{id}', 'updateWorkspace'],
        ['delete', '/api/v1/workspaces/{id}', 'deleteWorkspace'],
        ['get', '/api/v1/workspaces/{id}/members', 'listWorkspaceMembers'],
        ['post', '/api/v1/workspaces/{id}/members/add', 'addWorkspaceMembers'],
        ['post', '/api/v1/workspaces/{id}/members/remove', 'removeWorkspaceMembers'],
        ['get', '/api/v1/organization/members', 'listOrganizationMembers'],
        ['post', '/api/v1/organization/members', 'addOrganizationMember'],
        ['post', '/api/v1/organization/members/import', 'importOrganizationMembers'],
        ['get', '/api/v1/organization/members/{id}', 'getOrganizationMember'],
        ['patch', '/api/v1/organization/members/{id}', 'updateOrganizationMember'],
        ['delete', '/api/v1/organization/members/{id}', 'removeOrganizationMember'],
        ['get', '/api/v1/account', 'getAccount'],
        ['patch', '/api/v1/account', 'updateAccount'],
        ['put', '/api/v1/account/password', 'setPassword'],
        ['get', '/api/v1/account/sessions', 'listSessions'],
        ['delete', '/api/v1/account/sessions', 'endAllSessions'],
        ['delete', '/api/v1/account/sessions/{session_id}', 'endSession'],
        ['get', '/api/v1/organization/people', 'listPeople'],
        ['get', '/api/v1/organization/people/{id}', 'getPerson'],
        ['post', '/api/v1/organization/invitations', 'invitePerson'],
        ['post', '/api/v1/organization/people/{id}/sign-in-link', 'createSignInLink'],
        ['post', '/api/v1/organization/people/{id}/deactivate', 'deactivatePerson'],
        ['post', '/api/v1/organization/people/{id}/reactivate', 'reactivatePerson'],
        ['get', '/api/v1/organization/people/{id}/sessions', 'listPersonSessions'],
        ['delete', '/api/v1/organization/people/{id}/sessions', 'endPersonSessions'],
        ['delete', '/api/v1/organization/people/{id}/sessions/{session_id}', 'endPersonSession'],
        ['get', '/api/v1/sign-in', 'getSignInOptions'],
        ['post', '/api/v1/sign-in/password', 'signInWithPassword'],
        ['post', '/api/v1/sign-in/link', 'signInWithLink'],
        ['post', '/api/v1/sign-in/device', 'startDeviceSignIn'],
        ['post', '/api/v1/sign-in/device/token', 'pollDeviceSignIn'],
        ['get', '/api/v1/sign-in/device/{user_code}', 'getDeviceRequest'],
        ['post', '/api/v1/sign-in/device/{user_code}', 'decideDeviceRequest'],
        ['post', '/api/v1/sign-out', 'signOut'],
        ['patch', '/api/v1/workspaces/{id}/members/{user_id}', 'updateWorkspaceMember'],
        ['get', '/api/v1/audit', 'listAuditEvents'],
        ['get', '/api/v1/models', 'getModels'],
        ['get', '/api/v1/models/user', 'listModelsUser'],
        ['get', '/api/v1/models/count', 'listModelsCount'],
        ['get', '/api/v1/models/{id}', 'retrieveModel'],
        ['get', '/api/v1/model/{author}/{slug}', 'getModel'],
        ['get', '/api/v1/models/{author}/{slug}/endpoints', 'listEndpoints'],
        ['get', '/api/v1/providers', 'listProviders'],
        ['get', '/healthz', 'healthz'],
        ['get', '/readyz', 'readyz'],
      ].toSorted(),
    );
  });

  it('has no dangling references', () => {
    const refs = refsOf(document);
    expect(refs).not.toHaveLength(0);
    expect(refs.filter((ref) => !ref.startsWith('#/'))).toEqual([]);
    expect(refs.filter((ref) => resolvePointer(document, ref) === undefined)).toEqual([]);
  });

  describe.each(creates)('$operationId', ({ operationId, path, body, captured }) => {
    const at = (slug: string) => path.replace('{slug}', slug);

    it.each(captured)('documents as valid: $title', ({ json }) => {
      expect(checks.requestProblems(operationId, JSON.parse(json))).toBeNull();
    });

    it.each(captured)('responds as documented to $title', async ({ json }) => {
      expectAsDocumented(operationId, 200, await server.post(at('captured'), json));
    });

    it('the document and the server reject the same invalid request', async () => {
      const invalid = { ...body, temperature: 'warm', model: 1 };
      expect(checks.requestProblems(operationId, invalid)).toHaveLength(2);
      expectAsDocumented(operationId, 400, await server.post(at('invalid'), invalid));
    });

    it('rejects requests as documented', async () => {
      await server.post(at('archived'), body);
      await server.database.sql(`UPDATE presets SET status = 'archived' WHERE slug = 'archived'`);
      const rejections: [number, Promise<TestResponse>][] = [
        [400, server.post(at('a'), '{"model":')],
        [400, server.post(at('two%20words'), body)],
        [400, server.post(`${at('a')}?workspace_id=none`, body)],
        [401, server.post(at('a'), body, { key: null })],
        [401, server.post(at('a'), body, { key: keys.disabled })],
        [403, server.post(at('a'), body, { key: keys.readOnly })],
        [403, server.post(at('a'), body, { key: keys.ownerHasLeft })],
        [404, server.post(`${at('a')}?workspace_id=${newId()}`, body, { key: managementKey })],
        [404, server.post(at('a'), body, { key: keys.personal })],
        [409, server.post(at('archived'), body)],
        [413, server.post(at('a'), { ...body, user: 'a'.repeat(bodyBytesMax) })],
        [415, server.post(at('a'), body, { headers: { 'content-type': 'text/plain' } })],
      ];
      for (const [status, response] of rejections) expectAsDocumented(operationId, status, await response);
    });

    it('is rate-limited as documented', async () => {
      await limited.post(at('a'), body);
      expectAsDocumented(operationId, 429, await limited.post(at('a'), body));
    });
  });

  it.each([
    ['getModels', '/models'],
    ['listModelsUser', '/models/user'],
    ['listModelsCount', '/models/count'],
  ])('documents the model list of %s', (operationId, path) =>
    documentedCalls(documented, apiKey).expectAsDocumented(operationId, { path }, [
      [200, {}],
      [200, { path: `${path}?offset=100` }],
      [200, { key: keys.readOnly }],
      [400, { path: `${path}?workspace_id=none` }],
      [401, { key: null }],
      [403, { key: keys.ownerHasLeft }],
      [404, { key: keys.personal }],
      [404, { key: managementKey, path: `${path}?workspace_id=${newId()}` }],
    ]),
  );

  it('documents that an offset of the model list is not negative', async () =>
    expectAsDocumented('getModels', 400, await server.get('/api/v1/models?offset=-1')));

  it.each([
    ['retrieveModel', (id: string) => `/models/${encodeURIComponent(id)}`],
    ['getModel', (id: string) => `/model/${id}`],
    ['listEndpoints', (id: string) => `/models/${id}/endpoints`],
  ])('documents a model from %s', async (operationId, path) => {
    for (const slug of ['listed', 'off'])
      await server.post(`/api/v1/presets/${slug}/responses`, { model: 'm' });
    await server.send('PATCH', '/api/v1/presets/off', { status: 'disabled' });
    await documentedCalls(documented, apiKey).expectAsDocumented(
      operationId,
      { path: path('@preset/listed') },
      [
        [200, {}],
        [200, { path: path('@preset/listed@1') }],
        [200, { key: keys.readOnly }],
        [400, { path: `${path('@preset/listed')}?workspace_id=none` }],
        [401, { key: null }],
        [403, { path: path('@preset/off') }],
        [403, { key: keys.ownerHasLeft }],
        [404, { key: keys.personal }],
        [404, { path: path('@preset/unknown') }],
        [404, { path: path('vendor/unknown') }],
      ],
    );
  });

  it('documents the upstreams', () =>
    documentedCalls(documented, apiKey).expectAsDocumented('listProviders', { path: '/providers' }, [
      [200, {}],
      [200, { key: keys.personal }],
      [401, { key: null }],
      [403, { key: keys.ownerHasLeft }],
    ]));

  it.each(['healthz', 'readyz'])('documents that %s needs no key', async (name) => {
    expectAsDocumented(name, 200, await server.get(`/${name}`, { key: null }));
    const operation = operationsOf(document).find(({ operationId }) => operationId === name);
    expect(operation?.security).toEqual([]);
  });

  it('is shown by a page that loads nothing from other servers', async () => {
    for (const page of ['/docs', '/docs/']) {
      const { status, headers, text } = await server.get(page, { key: null });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toMatch(/^text\/html/);
      const references = [...text.matchAll(/<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]*)"/g)];
      expect(references.length).toBeGreaterThanOrEqual(3);
      for (const [, reference = ''] of references) {
        const url = new URL(reference, server.url + page);
        expect(url.origin).toBe(server.url);
        const asset = await server.get(url.pathname, { key: null });
        expect([url.pathname, asset.status]).toEqual([url.pathname, 200]);
        expect(asset.text).not.toBe('');
      }
    }
    // The page's script loads the document from here.
    expect((await server.get('/docs/json', { key: null })).body).toEqual(document);
  });
});
