import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { checksOf, type DocumentChecks, type OpenapiDocument, operationsOf } from './openapi-document.ts';

const conversation = { messages: [{ role: 'user', content: 'Hello' }] };
const control = 'a\u0007b';

/** Bodies that the server rejects: the document must not allow them. */
const rejectedBodies: readonly (readonly [
  operationId: string,
  method: string,
  path: string,
  body: object,
])[] = [
  ['updatePreset', 'PATCH', '/presets/agreed', { name: control }],
  ['updatePreset', 'PATCH', '/presets/agreed', { name: ' \u200b' }],
  ['updatePreset', 'PATCH', '/presets/agreed', { description: 'a\0' }],
  ['updatePreset', 'PATCH', '/presets/agreed', { tags: ['Upper'] }],
  ['updatePreset', 'PATCH', '/presets/agreed', { tags: [''] }],
  ['updatePreset', 'PATCH', '/presets/agreed', { tags: ['a', 'a'] }],
  ['updatePreset', 'PATCH', '/presets/agreed', { tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }],
  ['createKey', 'POST', '/keys', { name: control }],
  ['createKey', 'POST', '/keys', { name: '\t' }],
  ['createWorkspace', 'POST', '/workspaces', { name: control, slug: 'agreed' }],
  ['createWorkspace', 'POST', '/workspaces', { name: 'A', slug: newId() }],
  ['createWorkspace', 'POST', '/workspaces', { name: 'A', slug: 'agreed', description: '\0' }],
  ['addOrganizationMember', 'POST', '/organization/members', { email: '' }],
  ['addOrganizationMember', 'POST', '/organization/members', { email: 'nobody' }],
  ['addOrganizationMember', 'POST', '/organization/members', { email: 'a\u00ad@example.com' }],
  ['addOrganizationMember', 'POST', '/organization/members', { email: 'a@b.c', first_name: control }],
  ['importOrganizationMembers', 'POST', '/organization/members/import', { members: [{ email: '' }] }],
  ['sendChatCompletionRequest', 'POST', '/chat/completions', { ...conversation, preset: '' }],
  ['sendChatCompletionRequest', 'POST', '/chat/completions', { ...conversation, preset: 3 }],
  ['sendChatCompletionRequest', 'POST', '/chat/completions', { ...conversation, model: ['m'] }],
  ['createMessages', 'POST', '/messages', { ...conversation, model: '@preset/' }],
  ['createMessages', 'POST', '/messages', { ...conversation, model: 'm@preset/a b' }],
  ['createMessages', 'POST', '/messages', { ...conversation, model: 'm', models: ['@preset/a'] }],
  ['sendChatCompletionRequest', 'POST', '/chat/completions', { prompt: { id: 'a b' } }],
  ['createMessages', 'POST', '/messages', { ...conversation, prompt: { id: 'agreed', version: ['1'] } }],
  ['createMessages', 'POST', '/messages', { ...conversation, prompt: { id: 'agreed', version: '' } }],
  ['createMessages', 'POST', '/messages', { ...conversation, prompt: { id: 'agreed', vars: {} } }],
  ['createMessages', 'POST', '/messages', { ...conversation, presetd: { draft: null } }],
  ['createMessages', 'POST', '/messages', { ...conversation, presetd: { draft: { dialect: 'responses' } } }],
  ['createResponses', 'POST', '/responses', { presetd: { draft: { dialect: 'other', request: {} } } }],
  ['createResponses', 'POST', '/responses', { prompt: { prompt_id: 5 } }],
  ['createResponses', 'POST', '/responses', { prompt: { id: 'agreed', variables: ['a'] } }],
  ['createResponses', 'POST', '/responses', { model: 'x'.repeat(1_025) }],
  ['createResponses', 'POST', '/responses', { model: 'm', models: Array(101).fill('m') }],
];

/** The same for headers and query parameters. */
const rejectedParameters: readonly (readonly [
  operationId: string,
  method: string,
  path: string,
  parameter: string,
  value: string,
])[] = [
  ['updatePreset', 'PATCH', '/presets/agreed', 'if-match', ''],
  ['updatePreset', 'PATCH', '/presets/agreed', 'if-match', 'unquoted'],
  ['archivePreset', 'DELETE', '/presets/agreed', 'if-match', ''],
  ['createPresetsResponses', 'POST', '/presets/agreed/responses', 'if-match', ''],
  ['createPresetsResponses', 'POST', '/presets/agreed/responses', 'if-none-match', '"tag"'],
  ['createPresetsResponses', 'POST', '/presets/agreed/responses', 'idempotency-key', ''],
  ['createPresetsResponses', 'POST', '/presets/agreed/responses', 'idempotency-key', 'two words'],
  ['createPresetsResponses', 'POST', '/presets/agreed/responses', 'idempotency-key', 'x'.repeat(256)],
  ['diffPresetVersions', 'GET', '/presets/agreed/versions/1/diff', 'against', ''],
  ['diffPresetVersions', 'GET', '/presets/agreed/versions/1/diff', 'against', '0'],
  ['diffPresetVersions', 'GET', '/presets/agreed/versions/1/diff', 'against', 'Upper'],
  ['listPresets', 'GET', '/presets', 'tag', 'Upper'],
  ['listPresets', 'GET', '/presets', 'tag', 'a,'],
  ['listPresets', 'GET', '/presets', 'tag', 'a, b'],
  ['listPresets', 'GET', '/presets', 'tag', Array(21).fill('a').join()],
  ['listAuditEvents', 'GET', '/audit', 'kind', ''],
  ['listAuditEvents', 'GET', '/audit', 'kind', 'preset.eaten'],
  ['listAuditEvents', 'GET', '/audit', 'cursor', 'somewhere'],
];

/** Values that the gateway forwards although no current upstream would accept them. */
const forwardedBodies: readonly (readonly [operationId: string, path: string, body: object])[] = [
  ['sendChatCompletionRequest', '/chat/completions', { model: 'm' }],
  ['sendChatCompletionRequest', '/chat/completions', { model: 'm', messages: 'later', temperature: 'hot' }],
  [
    'sendChatCompletionRequest',
    '/chat/completions',
    { ...conversation, model: null, tools: 5, new_field: 1 },
  ],
  ['createMessages', '/messages', { model: 'm', max_tokens: -1, thinking: [] }],
  ['createResponses', '/responses', { model: 'm', input: 5, service_tier: 'warp' }],
  ['sendChatCompletionRequest', '/chat/completions', { model: 'm', prompt: 'Once upon a time' }],
  ['sendChatCompletionRequest', '/chat/completions', { prompt: { id: 'agreed', version: 1 } }],
  ['createMessages', '/messages', { ...conversation, prompt: { prompt_id: 'agreed', variables: null } }],
  ['createResponses', '/responses', { model: '@preset/agreed', prompt: { version: '1', variables: {} } }],
  ['createResponses', '/responses', { model: 'm', presetd: { any: 'thing' } }],
];

describe('the OpenAPI document and the server', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  let document: OpenapiDocument;
  let checks: DocumentChecks;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream, {}, anyEngine);
    await server.capture('agreed', { model: 'm' }, 'responses');
    document = (await server.get('/openapi.json')).body;
    checks = checksOf(document);
  });
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  const keyFor = (operationId: string) => (isInference(operationId) ? apiKey : managementKey);
  const isInference = (operationId: string) =>
    operationsOf(document)
      .find((each) => each.operationId === operationId)
      ?.tags?.includes('Inference');

  it.each(rejectedBodies)('both reject %s: %s %s %j', async (operationId, method, path, body) => {
    const response = await server.send(method, `/api/v1${path}`, body, { key: keyFor(operationId) });
    expect([response.status, response.text]).toEqual([400, expect.any(String)]);
    expect(checks.requestProblems(operationId, body)).toEqual(expect.any(Array));
  });

  it.each(rejectedParameters)(
    'both reject %s: %s %s with %s: %j',
    async (operationId, method, path, name, value) => {
      const operation = operationsOf(document).find((each) => each.operationId === operationId);
      const parameter = operation?.parameters?.find((each) => each.name === name);
      const isQuery = parameter?.in === 'query';
      const response = await server.send(
        method,
        `/api/v1${path}${isQuery ? `?${name}=${encodeURIComponent(value)}` : ''}`,
        operation?.requestBody === undefined ? undefined : { name: 'A' },
        { key: managementKey, ...(!isQuery && { headers: { [name]: value } }) },
      );
      expect([response.status, response.text]).toEqual([400, expect.any(String)]);
      expect(checks.valueProblems(parameter?.schema ?? {}, value)).toEqual(expect.any(Array));
    },
  );

  it.each(forwardedBodies)('both accept %s: %s %j', async (operationId, path, body) => {
    upstream.clear();
    const response = await server.post(`/api/v1${path}`, body);
    expect([response.status, response.text]).toEqual([200, expect.any(String)]);
    expect(upstream.requests).toHaveLength(1);
    expect(checks.requestProblems(operationId, body)).toBeNull();
  });

  it('the document describes the items of every array', () => {
    expect(arraysWithoutItems(document, '')).toEqual([]);
  });
});

function arraysWithoutItems(part: unknown, path: string): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const isArray = 'type' in part && [part.type].flat().includes('array');
  const own = isArray && !('items' in part) ? [path] : [];
  return [
    ...own,
    ...Object.entries(part).flatMap(([name, value]) => arraysWithoutItems(value, `${path}/${name}`)),
  ];
}
