import { chatRequestToJSON, messagesRequestToJSON, responsesRequestToJSON } from '@openrouter/sdk/models';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { splitRoute } from '../../src/api/operation.ts';
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

  // A name that changes by accident fails the access table, and a path docs/api.md.
  it('lists exactly the operations of the contract and the health checks', () => {
    const operations = Object.entries(contract).map(([route, { id }]) => {
      const { method, path } = splitRoute(route);
      return [method.toLowerCase(), `/api/v1${path.replaceAll(/:(\w+)/g, '{$1}')}`, id];
    });
    const listed = operationsOf(document).map(({ method, path, operationId }) => [method, path, operationId]);
    expect(listed.toSorted()).toEqual(
      [...operations, ['get', '/healthz', 'healthz'], ['get', '/readyz', 'readyz']].toSorted(),
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
