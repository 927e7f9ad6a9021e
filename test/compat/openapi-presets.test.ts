import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, type TestServer } from '../support/server.ts';
import { type Call, type DocumentedCalls, documentedCalls, type Expected } from './documented-calls.ts';
import { bodyBytesMax, type DocumentedServer, startDocumentedServer } from './documented-server.ts';
import { type OpenapiDocument, operationsOf, resolvePointer } from './openapi-document.ts';
import type { UnusualKeys } from './unusual-keys.ts';

const large = JSON.stringify({ name: 'x'.repeat(bodyBytesMax) });

describe('the preset endpoints of the OpenAPI document', () => {
  let documented: DocumentedServer;
  let server: TestServer;
  let keys: UnusualKeys;
  let document: OpenapiDocument;
  let calls: DocumentedCalls;
  let etag: string;
  let versionEtag: string;

  beforeAll(async () => {
    documented = await startDocumentedServer(anyEngine);
    ({ server, keys, document } = documented);
    calls = documentedCalls(documented, apiKey);
    const push = async (slug: string, body: unknown) =>
      expect((await server.post(`/api/v1/presets/${slug}/responses`, body)).status).toBe(200);
    await push('known', '{"model":"m","temperature":0.10000000000000000555}');
    await push('known', {
      model: 'n',
      instructions: 'Be kind.',
      tools: [{ type: 'function', name: 't', parameters: {} }],
    });
    await send({ method: 'PUT', path: 'known/labels/a', body: { version: 1 } });
    await send({ method: 'PUT', path: 'known/aliases/known-alias' });
    await send({
      method: 'PATCH',
      path: 'known',
      body: { name: 'Known', description: 'x', status: 'disabled' },
    });
    await send({ method: 'PATCH', path: 'known', body: { status: 'active', designated_version: 1 } });
    await push('shelved', {});
    await send({ method: 'DELETE', path: 'shelved' });
    await push('off', {});
    await send({ method: 'PATCH', path: 'off', body: { status: 'disabled' } });
    etag = (await send({ path: 'known' })).headers.get('etag') ?? '';
    versionEtag = (await send({ path: 'known/versions/1' })).headers.get('etag') ?? '';
  });
  afterAll(() => documented.stop());

  const send = (call: Call) => calls.send(at(call));
  const responsesOf = (operationId: string) =>
    operationsOf(document).find((operation) => operation.operationId === operationId)?.responses ?? {};
  const check: DocumentedCalls['check'] = (...parameters) => calls.check(...parameters);

  function expectAsDocumented(operationId: string, call: Call, expected: readonly Expected[]): Promise<void> {
    const query = (more: string) => `${call.path}${call.path.includes('?') ? '&' : '?'}${more}`;
    const common: readonly Expected[] = [
      [400, { path: query('workspace_id=none') }],
      [401, { key: null }],
      [401, { key: keys.disabled }],
      [403, { key: keys.ownerHasLeft }],
      [404, { key: keys.personal }],
      [404, { key: managementKey, path: query(`workspace_id=${newId()}`) }],
    ];
    return calls.expectAsDocumented(
      operationId,
      at(call),
      [...expected, ...common].map(([status, changes]) => [status, at(changes)]),
    );
  }

  it('list presets as documented', () =>
    expectAsDocumented('listPresets', { path: '' }, [
      [200, {}],
      [200, { path: '?status=all&q=known' }],
      [200, { path: '?offset=100' }],
      [200, { path: '?tag=a&q=known' }],
      [200, { path: '?tag=a,b' }],
      [400, { path: '?tag=A' }],
      [200, { key: keys.readOnly }],
      [400, { path: '?limit=0' }],
      [400, { path: '?status=none' }],
      [400, { path: `?q=${Array.from({ length: 41 }, (_, index) => `w${index}`).join('+')}` }],
    ]));

  it('return a preset as documented', () =>
    expectAsDocumented('getPreset', { path: 'known' }, [
      [200, {}],
      [200, { path: 'shelved' }],
      [200, { headers: { 'if-none-match': '"other"' } }],
      [304, { headers: { 'if-none-match': etag } }],
      [304, { headers: { 'if-none-match': '*' } }],
      [400, { path: 'two%20words' }],
      [404, { path: 'absent' }],
    ]));

  it('update a preset as documented', () =>
    expectAsDocumented('updatePreset', { method: 'PATCH', path: 'known', body: { name: 'Known' } }, [
      [409, { body: { slug: 'off' } }],
      [400, { body: { slug: 'two words' } }],
      [200, {}],
      [200, { body: { description: null, status: 'active', tags: ['a', 'b'], designated_version: 1 } }],
      [200, { body: { tags: [] } }],
      [400, { body: { tags: ['A'] } }],
      [400, { body: { tags: ['a', 'a'] } }],
      [400, { body: {} }],
      [400, { body: '{' }],
      [400, { headers: { 'if-match': 'unquoted' } }],
      [403, { key: keys.readOnly }],
      [404, { path: 'absent' }],
      [404, { body: { designated_version: 99 } }],
      [409, { path: 'shelved' }],
      [412, { headers: { 'if-match': '"other"' } }],
      [412, { headers: { 'if-none-match': '*' } }],
      [413, { body: large }],
      [415, { headers: { 'content-type': 'text/plain' } }],
    ]));

  it('archive a preset as documented', async () => {
    await server.post('/api/v1/presets/to-archive/responses', {});
    await expectAsDocumented('archivePreset', { method: 'DELETE', path: 'to-archive' }, [
      [412, { headers: { 'if-match': '"other"' } }],
      [200, {}],
      [200, {}],
      [400, { path: 'two%20words' }],
      [403, { key: keys.readOnly }],
      [404, { path: 'absent' }],
      [409, { path: 'off' }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]);
  });

  it('restore a preset as documented', async () => {
    await server.post('/api/v1/presets/to-restore/responses', {});
    await send({ method: 'DELETE', path: 'to-restore' });
    const call = { method: 'POST', path: 'to-restore/restore' };
    await expectAsDocumented('restorePreset', call, [
      [412, { headers: { 'if-match': '"other"' } }],
      [200, {}],
      [200, {}],
      [200, { path: 'off/restore' }],
      [400, { path: 'two%20words/restore' }],
      [403, { key: keys.readOnly }],
      [404, { path: 'absent/restore' }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]);
  });

  it('list versions as documented', () =>
    expectAsDocumented('listPresetVersions', { path: 'known/versions' }, [
      [200, {}],
      [200, { path: 'known/versions?offset=9' }],
      [400, { path: 'known/versions?limit=101' }],
      [404, { path: 'absent/versions' }],
    ]));

  it('return a version as documented', () =>
    expectAsDocumented('getPresetVersion', { path: 'known/versions/2' }, [
      [200, {}],
      [304, { path: 'known/versions/1', headers: { 'if-none-match': versionEtag } }],
      [400, { path: 'known/versions/latest' }],
      [404, { path: 'known/versions/3' }],
      [404, { path: 'absent/versions/1' }],
    ]));

  it('compare versions as documented', () =>
    expectAsDocumented('diffPresetVersions', { path: 'known/versions/2/diff' }, [
      [200, {}],
      [200, { path: 'known/versions/1/diff?against=a' }],
      [200, { path: 'known/versions/1/diff?against=latest' }],
      [400, { path: 'known/versions/1/diff' }],
      [400, { path: 'known/versions/2/diff?against=A' }],
      [404, { path: 'known/versions/2/diff?against=b' }],
      [404, { path: 'known/versions/3/diff' }],
    ]));

  it('list labels as documented', () =>
    expectAsDocumented('listPresetLabels', { path: 'known/labels' }, [
      [200, {}],
      [200, { path: 'off/labels' }],
      [400, { path: 'two%20words/labels' }],
      [404, { path: 'absent/labels' }],
    ]));

  it('list tags as documented', () =>
    expectAsDocumented('listPresetTags', { path: 'known/tags' }, [
      [200, {}],
      [200, { path: 'off/tags' }],
      [400, { path: 'two%20words/tags' }],
      [404, { path: 'absent/tags' }],
    ]));

  it('set a label as documented', () =>
    expectAsDocumented('setPresetLabel', { method: 'PUT', path: 'known/labels/b', body: { version: 1 } }, [
      [200, {}],
      [200, { body: { version: 2 } }],
      [400, { path: 'known/labels/latest' }],
      [400, { body: { version: 0 } }],
      [400, { body: { version: 1, more: 1 } }],
      [403, { key: keys.readOnly }],
      [404, { body: { version: 3 } }],
      [404, { path: 'absent/labels/b' }],
      [409, { path: 'shelved/labels/b' }],
      [412, { headers: { 'if-match': '"other"' } }],
      [413, { body: large }],
      [415, { headers: { 'content-type': 'text/plain' } }],
    ]));

  it('remove a label as documented', async () => {
    await send({ method: 'PUT', path: 'known/labels/gone', body: { version: 1 } });
    await expectAsDocumented('removePresetLabel', { method: 'DELETE', path: 'known/labels/gone' }, [
      [412, { headers: { 'if-match': '"other"' } }],
      [200, {}],
      [404, {}],
      [400, { path: 'known/labels/designated' }],
      [403, { key: keys.readOnly }],
      [409, { path: 'shelved/labels/gone' }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]);
  });

  it('list aliases as documented', () =>
    expectAsDocumented('listPresetAliases', { path: 'known/aliases' }, [
      [200, {}],
      [200, { path: 'known-alias/aliases' }],
      [400, { path: 'two%20words/aliases' }],
      [404, { path: 'absent/aliases' }],
    ]));

  it('read an alias as documented', () =>
    expectAsDocumented('getPresetAlias', { path: 'known/aliases/known-alias' }, [
      [200, {}],
      [400, { path: 'known/aliases/two%20words' }],
      [404, { path: 'known/aliases/absent' }],
      [404, { path: 'absent/aliases/known-alias' }],
    ]));

  it('add an alias as documented', () =>
    expectAsDocumented('addPresetAlias', { method: 'PUT', path: 'known/aliases/b' }, [
      [200, {}],
      [200, {}],
      [400, { path: 'known/aliases/two%20words' }],
      [403, { key: keys.readOnly }],
      [404, { path: 'absent/aliases/b' }],
      [409, { path: 'known/aliases/off' }],
      [409, { path: 'shelved/aliases/b' }],
      [412, { headers: { 'if-match': '"other"' } }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]));

  it('remove an alias as documented', async () => {
    await send({ method: 'PUT', path: 'known/aliases/gone' });
    await expectAsDocumented('removePresetAlias', { method: 'DELETE', path: 'known/aliases/gone' }, [
      [412, { headers: { 'if-match': '"other"' } }],
      [200, {}],
      [404, {}],
      [400, { path: 'known/aliases/two%20words' }],
      [403, { key: keys.readOnly }],
      [409, { path: 'shelved/aliases/gone' }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]);
  });

  const testCase = {
    variables: { city: 'Bern', days: 3 },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ type: 'function', id: 'c1', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Sunny' },
    ],
    note: 'With a tool',
  };

  it('save a case as documented', () =>
    expectAsDocumented('savePresetCase', { method: 'PUT', path: 'known/cases/A%20trip', body: testCase }, [
      [200, {}],
      [200, {}],
      [200, { body: {} }],
      [200, { body: { name: 'A longer trip' } }],
      [404, { path: 'known/cases/absent', body: { name: 'A trip' } }],
      [200, {}],
      [409, { body: { name: 'A longer trip' } }],
      [400, { path: 'known/cases/%20' }],
      [400, { path: `known/cases/${'x'.repeat(101)}` }],
      [400, { body: { name: '.' } }],
      [400, { body: { messages: [{ role: 'system', content: 'x' }] } }],
      [400, { body: { variables: [] } }],
      [400, { body: { more: 1 } }],
      [403, { key: keys.readOnly }],
      [404, { path: 'absent/cases/A%20trip' }],
      [409, { path: 'shelved/cases/A%20trip' }],
      [412, { headers: { 'if-match': '"other"' } }],
      [413, { body: large }],
      [415, { headers: { 'content-type': 'text/plain' } }],
    ]));

  it('list cases as documented', () =>
    expectAsDocumented('listPresetCases', { path: 'known/cases' }, [
      [200, {}],
      [200, { path: 'known/cases?offset=9' }],
      [400, { path: 'known/cases?limit=0' }],
      [404, { path: 'absent/cases' }],
    ]));

  it('read a case as documented', async () => {
    const path = 'known/cases/A%20case';
    const { body } = await send({ method: 'PUT', path, body: testCase });
    await expectAsDocumented('getPresetCase', { path }, [
      [200, {}],
      [200, { path: `${path}?at=${body.data.event_number}` }],
      [400, { path: `${path}?at=0` }],
      [404, { path: `${path}?at=1` }],
      [404, { path: 'known/cases/absent' }],
      [404, { path: 'absent/cases/A%20case' }],
    ]);
  });

  it('remove a case as documented', async () => {
    await send({ method: 'PUT', path: 'known/cases/gone', body: {} });
    await expectAsDocumented('removePresetCase', { method: 'DELETE', path: 'known/cases/gone' }, [
      [412, { headers: { 'if-match': '"other"' } }],
      [200, {}],
      [404, {}],
      [400, { path: 'known/cases/%20' }],
      [403, { key: keys.readOnly }],
      [409, { path: 'shelved/cases/gone' }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]);
  });

  const draft = { text: '{', dialect: null, base_version: 1 };

  it('save a draft as documented', () =>
    expectAsDocumented('savePresetDraft', { method: 'PUT', path: 'known/draft', body: draft }, [
      [412, { headers: { 'if-match': '*' } }],
      [200, { headers: { 'if-none-match': '*' } }],
      [200, { body: { ...draft, dialect: 'messages' } }],
      [200, { path: 'shelved/draft' }],
      [400, { body: { ...draft, text: 1 } }],
      [400, { body: { ...draft, more: 1 } }],
      [400, { headers: { 'if-none-match': '"x"' } }],
      [403, { key: keys.readOnly }],
      [404, { body: { ...draft, base_version: 99 } }],
      [404, { path: 'absent/draft' }],
      [412, { headers: { 'if-match': '"other"' } }],
      [413, { body: large }],
      [415, { headers: { 'content-type': 'text/plain' } }],
    ]));

  it('read a draft as documented', async () => {
    const { headers } = await send({ method: 'PUT', path: 'known/draft', body: draft });
    await expectAsDocumented('getPresetDraft', { path: 'known/draft' }, [
      [200, {}],
      [200, { path: 'known-alias/draft' }],
      [304, { headers: { 'if-none-match': headers.get('etag') ?? '' } }],
      [400, { path: 'two%20words/draft' }],
      [404, { path: 'off/draft' }],
      [404, { path: 'absent/draft' }],
    ]);
  });

  it('list drafts as documented', async () => {
    await send({ method: 'PUT', path: 'known/draft', body: draft });
    await expectAsDocumented('listPresetDrafts', { path: 'known/drafts' }, [
      [200, {}],
      [200, { path: 'known/drafts?offset=9' }],
      [400, { path: 'known/drafts?limit=0' }],
      [404, { path: 'absent/drafts' }],
    ]);
  });

  it('discard a draft as documented', async () => {
    await send({ method: 'PUT', path: 'known/draft', body: draft });
    await expectAsDocumented('discardPresetDraft', { method: 'DELETE', path: 'known/draft' }, [
      [412, { headers: { 'if-match': '"other"' } }],
      [200, {}],
      [404, {}],
      [400, { path: 'two%20words/draft' }],
      [403, { key: keys.readOnly }],
      [413, { body: large }],
      [415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
    ]);
  });

  it('find out when a preset was last called as documented', () =>
    expectAsDocumented('getPresetUsage', { path: 'known/usage' }, [
      [200, {}],
      [200, { path: 'known-alias/usage' }],
      [200, { path: 'shelved/usage' }],
      [400, { path: 'two%20words/usage' }],
      [404, { path: 'absent/usage' }],
    ]));

  it('list the events of a preset as documented', () =>
    expectAsDocumented('listPresetEvents', { path: 'known/events' }, [
      [200, {}],
      [200, { path: 'known/events?offset=99' }],
      [200, { path: 'shelved/events' }],
      [400, { path: 'known/events?offset=-1' }],
      [404, { path: 'absent/events' }],
    ]));

  it('document dry runs, idempotency keys and preconditions of a capture', async () => {
    const operationId = 'createPresetsResponses';
    const post = (query: string, headers: Record<string, string> = {}) =>
      send({ method: 'POST', path: `created/responses${query}`, body: { model: 'm' }, headers });
    const once = { 'idempotency-key': 'k' };
    check(operationId, 200, await post('?dry_run=true'), { of: 'dry run' });
    const uncaptured = {
      input: 'x',
      stream: true,
      instructions: 'x',
      seed: 1,
      user: 'x',
      preset: 'x',
      top_p: null,
    };
    const preview = await send({ method: 'POST', path: 'created/responses?dry_run=true', body: uncaptured });
    check(operationId, 200, preview, { of: 'dry run with uncaptured fields' });
    expect(preview.body.left_out).toHaveLength(7);
    check(operationId, 200, await post('', once), { of: 'first' });
    const again = await post('', once);
    check(operationId, 200, again, { of: 'replay' });
    check(operationId, 200, await post('?dry_run=true'), { of: 'dry run for an existing preset' });
    check(operationId, 400, await post('?dry_run=maybe'), { of: 'maybe' });
    check(operationId, 400, await post('', { 'idempotency-key': 'two words' }), { of: 'two words' });
    const other = { method: 'POST', path: 'created/responses', body: {}, headers: once };
    check(operationId, 409, await send(other), { of: 'another' });
    check(operationId, 412, await post('', { 'if-none-match': '*' }), { of: 'new' });
    check(operationId, 412, await post('', { 'if-match': '"other"' }), { of: 'match' });
    for (const name of ['etag', 'idempotent-replayed']) {
      expect(again.headers.get(name)).not.toBeNull();
      expect(resolvePointer(responsesOf(operationId), `/200/headers/${name}`)).toBeDefined();
    }
  });

  it.each(['getPreset', 'updatePreset', 'archivePreset', 'restorePreset', 'getPresetVersion'])(
    'document the ETag of %s',
    (operationId) => {
      expect(resolvePointer(responsesOf(operationId), '/200/headers/etag')).toBeDefined();
    },
  );
});

/** Prefixes a path with `/presets`. */
function at<T extends Partial<Call>>(call: T): T {
  const { path } = call;
  if (path === undefined) return call;
  return { ...call, path: `/presets${path === '' || path.startsWith('?') ? '' : '/'}${path}` };
}
