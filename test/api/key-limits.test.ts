import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { importLines } from '../support/sample-requests.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import { signInAs } from '../support/sign-in.ts';

const secretPrompt = 'the prompt that only readers may see';

describe('limited keys, and attempts to get around roles', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, {
      PRESETD_UPSTREAM_URL: 'http://127.0.0.1:9',
      OPENROUTER_API_KEY: 'unused',
    });
    for (const slug of ['greeting', 'farewell'])
      await send('POST', `/presets/${slug}/responses`, { model: 'm', instructions: secretPrompt });
    await send('PUT', '/presets/greeting/aliases/hello');
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body?: unknown, key = managementKey, headers = {}) =>
    server.send(method, `/api/v1${path}`, body, { key, headers });
  const dryRun = (body: object, key: string) =>
    send('POST', '/chat/completions', body, key, { 'x-presetd-dry-run': 'true' });

  it('a key that is limited to presets reaches only those names', async () => {
    await send('POST', '/presets/planned/responses', { model: 'm' });
    const { secret } = await makeKey(server, { presets: ['greeting', 'planned'] });
    const statusOf = async (...request: [string, string, unknown?]) =>
      (await send(request[0], request[1], request[2], secret)).status;
    expect(await statusOf('GET', '/presets/greeting')).toBe(200);
    expect(await statusOf('POST', '/presets/planned/responses', { model: 'm' })).toBe(200);
    expect((await dryRun({ preset: 'greeting', messages: [] }, secret)).status).toBe(200);
    const beyond: readonly [string, string, unknown?][] = [
      ['GET', '/presets/farewell'],
      ['GET', '/presets/farewell/versions'],
      ['GET', '/presets/hello'],
      ['GET', '/presets/unknown'],
      ['PATCH', '/presets/farewell', { name: 'Taken over' }],
      ['DELETE', '/presets/farewell'],
      ['POST', '/presets/farewell/responses', { model: 'm' }],
      ['GET', '/presets'],
      ['GET', '/export'],
      ['GET', '/models/@preset/farewell'],
      ['POST', '/chat/completions', { preset: 'farewell', messages: [] }],
      ['POST', '/chat/completions', { model: '@preset/hello', messages: [] }],
      ['POST', '/chat/completions', { model: 'vendor/model', messages: [] }],
      ['POST', '/embeddings', { model: 'vendor/model', input: 'x' }],
      ['GET', '/responses/resp_x'],
      ['GET', '/responses/resp_x/input_items'],
      ['POST', '/responses/resp_x/cancel'],
      ['DELETE', '/responses/resp_x'],
    ];
    for (const [method, path, body] of beyond) {
      const { status, text } = await send(method, path, body, secret);
      expect([method, path, status, text]).toEqual([
        method,
        path,
        403,
        expect.stringMatching(/is limited to the presets greeting, planned\. Use another key/),
      ]);
    }
    const { data } = (await send('GET', '/models', undefined, secret)).body;
    expect(data.map(({ id }: { id: string }) => id).toSorted()).toEqual([
      '@preset/greeting',
      '@preset/planned',
    ]);
    const imported = await send('POST', '/import', importLines('greeting'), secret, {
      'content-type': 'application/x-ndjson',
    });
    expect(imported.status).toBe(403);
    expect((await send('GET', '/presets/farewell')).body.data.name).toBe('farewell');
  });

  it('a key that is limited to presets cannot name a model in another case', async () => {
    const { secret } = await makeKey(server, { presets: ['greeting'], scope: 'call' });
    for (const [path, conversation] of Object.entries({
      '/chat/completions': { messages: [] },
      '/messages': { messages: [] },
      '/responses': { input: 'x' },
      '/embeddings': { input: 'x' },
      '/messages/count_tokens': { messages: [] },
      '/responses/compact': { input: 'x' },
    })) {
      const body = { model: '@preset/greeting', Model: 'vendor/model', ...conversation };
      const { status, text } = await send('POST', path, body, secret);
      expect([path, status, text]).toEqual([path, 400, expect.stringContaining('/Model must be spelled')]);
    }
  });

  it('a key cannot be limited to presets that do not exist', async () => {
    const presets = ['greeting', 'greetings', 'hello', 'greeting', 'farewells'];
    const { status, body } = await send('POST', '/keys', { name: 'Misspelled', presets });
    const message = (name: string) =>
      `is ${name}, which is neither the slug nor an alias of a preset in the workspace`;
    expect([status, body.error.metadata.issues]).toEqual([
      400,
      [
        { path: '/presets/1', message: message('greetings') },
        { path: '/presets/4', message: message('farewells') },
      ],
    ]);
    const { data } = (await send('GET', '/keys')).body;
    expect(data.map(({ name }: { name: string }) => name)).not.toContain('Misspelled');
  });

  it('the presets of a key can be changed, and calls follow within a second', async () => {
    const { id, secret } = await makeKey(server, { presets: ['greeting'] });
    const edit = (presets: unknown) => send('PATCH', `/keys/${id}`, { presets });
    const statusOf = async (slug: string) =>
      (await server.get(`/api/v1/presets/${slug}`, { key: secret })).status;
    expect([await statusOf('greeting'), await statusOf('farewell')]).toEqual([200, 403]);
    expect((await edit(['farewell', 'farewell'])).body.data.presets).toEqual(['farewell']);
    expect([await statusOf('greeting'), await statusOf('farewell')]).toEqual([403, 200]);
    const { status, body } = await edit(['farewell', 'nowhere']);
    expect([status, body.error.metadata.issues]).toEqual([
      400,
      [
        {
          path: '/presets/1',
          message: 'is nowhere, which is neither the slug nor an alias of a preset in the workspace',
        },
      ],
    ]);
    expect((await edit([])).status).toBe(400);
    expect((await edit(null)).body.data.presets).toBeNull();
    expect([await statusOf('greeting'), await statusOf('farewell')]).toEqual([200, 200]);
  });

  it('nobody learns from a new key which presets a workspace has that they cannot read', async () => {
    const workspace_id = await makeWorkspace(server, 'hidden');
    await send('POST', `/presets/hidden-one/responses?workspace_id=${workspace_id}`, { model: 'm' });
    await makeMember(server, 'outsider@example.com');
    const outsider = await signInAs(server, 'outsider@example.com');
    const create = (name: string) =>
      outsider.send('POST', '/keys', { name: 'Probe', scope: 'call', workspace_id, presets: [name] });
    const [existing, missing] = [await create('hidden-one'), await create('hidden-two')];
    expect(existing.status).toBe(400);
    expect(missing.body.error.message).toBe(existing.body.error.message);
  });

  it('a key that is limited to presets moves only to a workspace that has all of them', async () => {
    const workspace_id = await makeWorkspace(server, 'destination');
    const { id } = await makeKey(server, { presets: ['greeting', 'hello', 'farewell'], scope: 'call' });
    const capture = (slug: string) =>
      send('POST', `/presets/${slug}/responses?workspace_id=${workspace_id}`, { model: 'm' });
    const move = () => send('PATCH', `/keys/${id}`, { workspace_id });
    await capture('greeting');
    const { status, body } = await move();
    expect([status, body.error.metadata.issues]).toEqual([
      400,
      [
        {
          path: '/workspace_id',
          message:
            'must be a workspace with all presets that the key is limited to; destination does not have hello, farewell',
        },
      ],
    ]);
    for (const slug of ['hello', 'farewell']) await capture(slug);
    const archived = await send('DELETE', `/presets/farewell?workspace_id=${workspace_id}`);
    expect(archived.status).toBe(200);
    expect((await move()).body.data).toMatchObject({ workspace_id });
  });

  it('a key that is limited to presets lists the ones that exist, by the names it may use', async () => {
    await send('PUT', '/presets/greeting/aliases/removed');
    const { secret } = await makeKey(server, { presets: ['hello', 'removed', 'farewell'], scope: 'call' });
    await send('DELETE', '/presets/greeting/aliases/removed');
    const { data } = (await send('GET', '/models', undefined, secret)).body;
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['@preset/hello', '@preset/farewell']);
  });

  it('a key that is limited to an alias learns no other names when the alias is removed', async () => {
    await send('PUT', '/presets/greeting/aliases/former');
    const { secret } = await makeKey(server, { presets: ['former'], scope: 'read' });
    expect((await dryRun({ preset: 'former', messages: [] }, secret)).status).toBe(200);
    await send('DELETE', '/presets/greeting/aliases/former');
    const references = [
      { preset: 'former' },
      { model: '@preset/former@1' },
      { model: '@preset/former:latest' },
    ];
    for (const reference of references) {
      const { status, body } = await dryRun({ ...reference, messages: [] }, secret);
      expect([status, body.error.message]).toEqual([404, 'There is no preset "former" that you can access.']);
    }
    const other = await dryRun({ preset: 'former', messages: [] }, (await makeKey(server)).secret);
    expect([other.status, other.body.error.message]).toEqual([404, expect.stringContaining('greeting')]);
  });

  it('a key that can only call sees nothing of a preset but its name', async () => {
    const { secret } = await makeKey(server, { scope: 'call' });
    const paths = ['', '/versions', '/versions/1', '/versions/1/diff?against=latest', '/labels', '/events'];
    const responses = [
      ...(await Promise.all(paths.map((path) => send('GET', `/presets/greeting${path}`, undefined, secret)))),
      await send('GET', '/presets', undefined, secret),
      await send('GET', '/export', undefined, secret),
      await dryRun({ preset: 'greeting', messages: [] }, secret),
      await dryRun({ model: 'm@preset/hello', messages: [] }, secret),
    ];
    for (const { status, text } of responses)
      expect([status, text]).toEqual([
        403,
        expect.stringMatching(
          /has the scope call and cannot read presets\. Use a key with the scope read or write/,
        ),
      ]);
    const allowed = [
      await send('GET', '/models', undefined, secret),
      await send('GET', '/models/@preset/greeting', undefined, secret),
      await send('POST', '/chat/completions', { preset: 'greetings', messages: [] }, secret),
    ];
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 404]);
    for (const { text } of [...responses, ...allowed]) expect(text).not.toContain(secretPrompt);
  });

  it('an editor cannot make calls by an alias get another preset', async () => {
    const editorId = await makeMember(server, 'alias-editor@example.com');
    await send('PATCH', `/workspaces/default/members/${editorId}`, { role: 'editor' });
    const { secret } = await makeKey(server, { creator_user_id: editorId });
    expect((await send('DELETE', '/presets/greeting/aliases/hello', undefined, secret)).status).toBe(403);
    expect((await send('PUT', '/presets/farewell/aliases/hello', undefined, secret)).status).toBe(409);
    expect((await send('GET', '/presets/hello')).body.data.slug).toBe('greeting');
  });

  it('an admin of a workspace can stop the keys of others in it, but not start them again', async () => {
    const workspace = await makeWorkspace(server, 'stopped');
    const [adminId, ownerId] = [
      await makeMember(server, 'stopping-admin@example.com'),
      await makeMember(server, 'stopped-owner@example.com'),
    ];
    await send('POST', `/workspaces/${workspace}/members/add`, { user_ids: [adminId, ownerId] });
    const { id } = await makeKey(server, { creator_user_id: ownerId, workspace_id: workspace });
    const headers = ofSession(await makeSession(server, adminId));
    const patch = (body: object) => server.send('PATCH', `/api/v1/keys/${id}`, body, { key: null, headers });
    expect((await patch({ disabled: true })).status).toBe(200);
    for (const body of [
      { disabled: false },
      { name: 'Taken over' },
      { expires_at: null },
      { disabled: true, name: 'Taken over' },
    ]) {
      const { status, text } = await patch(body);
      expect([body, status, text]).toEqual([body, 403, expect.stringContaining('only disable or delete')]);
    }
    expect((await send('GET', `/keys/${id}`)).body.data).toMatchObject({ disabled: true, name: 'A key' });
  });

  it('an admin of the default workspace sees no management keys but their own', async () => {
    const adminId = await makeMember(server, 'default-admin@example.com');
    await send('PATCH', `/workspaces/default/members/${adminId}`, { role: 'admin' });
    const own = await makeKey(server, { creator_user_id: adminId, kind: 'management' });
    const api = await makeKey(server);
    const list = (await send('GET', '/keys', undefined, own.secret)).body.data;
    const management = list.filter(({ kind }: { kind: string }) => kind === 'management');
    expect(management.map(({ hash }: { hash: string }) => hash)).toEqual([own.id]);
    expect(list.map(({ hash }: { hash: string }) => hash)).toContain(api.id);
  });

  it('an admin of one workspace has no power in another', async () => {
    const [own, foreign] = [await makeWorkspace(server, 'own'), await makeWorkspace(server, 'foreign')];
    const [adminId, ownerId] = [
      await makeMember(server, 'own-admin@example.com'),
      await makeMember(server, 'key-owner@example.com'),
    ];
    await send('POST', `/workspaces/${own}/members/add`, { user_ids: [adminId, ownerId] });
    await send('POST', `/workspaces/${foreign}/members/add`, { user_ids: [adminId], role: 'viewer' });
    await send('POST', `/workspaces/${foreign}/members/add`, { user_ids: [ownerId] });
    const key = await makeKey(server, { creator_user_id: ownerId, workspace_id: own });
    const theirs = await makeKey(server, { creator_user_id: ownerId, workspace_id: foreign });
    const headers = ofSession(await makeSession(server, adminId));
    const before = (await send('GET', '/audit?limit=1')).text;
    const attempts: readonly [string, string, unknown?, status?: number][] = [
      ['PATCH', `/keys/${key.id}`, { workspace_id: foreign }],
      ['PATCH', `/keys/${theirs.id}`, { workspace_id: own }, 404],
      ['PATCH', `/keys/${theirs.id}`, { disabled: true }, 404],
      ['DELETE', `/keys/${theirs.id}`, undefined, 404],
      ['POST', `/keys/${key.id}/rotate`],
      ['POST', '/keys', { name: 'x', creator_user_id: ownerId, workspace_id: own }],
      ['PATCH', `/workspaces/${foreign}/members/${adminId}`, { role: 'admin' }],
      ['POST', `/workspaces/${foreign}/members/add`, { user_ids: [adminId], role: 'admin' }],
      ['POST', `/workspaces/${foreign}/members/remove`, { user_ids: [ownerId] }],
      ['PATCH', `/organization/members/${adminId}`, { role: 'org:admin' }],
    ];
    for (const [method, path, body, expected = 403] of attempts) {
      const { status } = await server.send(method, `/api/v1${path}`, body, { key: null, headers });
      expect([method, path, body, status]).toEqual([method, path, body, expected]);
    }
    expect((await send('GET', '/audit?limit=1')).text).toBe(before);
    const exceeding = { name: 'x', workspace_id: foreign, scope: 'write' };
    const refused = await server.send('POST', '/api/v1/keys', exceeding, { key: null, headers });
    expect([refused.status, refused.body.error.metadata.issues[0].path]).toEqual([400, '/scope']);
  });
});
