import type { IncomingMessage, RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/server-config.ts';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { type StubServer, startStubServer } from '../support/stub-server.ts';
import { writeUpstreams } from '../support/upstream-file.ts';

const ids = (body: { data: readonly { id: string }[] }) => body.data.map(({ id }) => id);

describe('the list of models', () => {
  let server: TestServer;
  let upstream: StubServer;
  beforeAll(async () => {
    upstream = await startStubServer((_request, response) =>
      response.end(JSON.stringify({ data: [{ id: 'a/one', name: 'One' }, { id: 'b/two' }] })),
    );
    const environment = { PRESETD_UPSTREAM_URL: `${upstream.url}/v1`, OPENROUTER_API_KEY: 'sk-upstream' };
    server = await startTestServer(anyEngine, environment);
    for (const slug of ['first', 'second', 'off', 'shelved'])
      await server.post(`/api/v1/presets/${slug}/responses`, { model: 'm', instructions: 'Secret.' });
    await server.send('PATCH', '/api/v1/presets/first', { name: 'The first', description: 'Does it.' });
    await server.send('PATCH', '/api/v1/presets/off', { status: 'disabled' });
    await server.send('DELETE', '/api/v1/presets/shelved');
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  const list = (query = '', key = apiKey) => server.get(`/api/v1/models${query}`, { key });

  it('the model list has active presets, most recently changed first, then upstream models', async () => {
    const { status, headers, body, text } = await list();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toMatchObject({
      object: 'list',
      has_more: false,
      first_id: '@preset/first',
      last_id: 'b/two',
      total_count: 4,
      links: { next: null },
    });
    expect(ids(body)).toEqual(['@preset/first', '@preset/second', 'a/one', 'b/two']);
    expect(body.data[0]).toMatchObject({ name: 'The first', description: 'Does it.', owned_by: 'presetd' });
    expect(body.data[2]).toMatchObject({ name: 'One', object: 'model' });
    expect(text).not.toContain('Secret.');
  });

  it('the model list has only presets of the workspace', async () => {
    const workspaceId = await makeWorkspace(server, 'elsewhere');
    const { secret } = await makeKey(server, { workspace_id: workspaceId });
    await server.post('/api/v1/presets/theirs/responses', { model: 'm' }, { key: secret });
    const theirs = ['@preset/theirs', 'a/one', 'b/two'];
    expect(ids((await list('', secret)).body)).toEqual(theirs);
    expect(ids((await list(`?workspace_id=${workspaceId}`, managementKey)).body)).toEqual(theirs);
    expect(ids((await list('', managementKey)).body)).toEqual(ids((await list()).body));
    expect((await list(`?workspace_id=${workspaceId}`)).status).toBe(404);
  });

  it('the model list shows changes to presets immediately', async () => {
    await server.send('PATCH', '/api/v1/presets/second', { status: 'disabled' });
    expect(ids((await list()).body)).not.toContain('@preset/second');
    await server.send('PATCH', '/api/v1/presets/second', { status: 'active' });
    expect((await list()).body.first_id).toBe('@preset/second');
  });

  it('the model list has the thousand most recently changed presets', async () => {
    const { secret } = await makeKey(server, { workspace_id: await makeWorkspace(server, 'crowded') });
    const push = (slug: string) =>
      server.post(`/api/v1/presets/${slug}/responses`, { model: 'm' }, { key: secret });
    await push('oldest');
    await Promise.all(Array.from({ length: 999 }, (_, index) => push(`p-${index}`)));
    await push('newest');
    const { body } = await list('', secret);
    expect(body).toMatchObject({ first_id: '@preset/newest', total_count: 1_002 });
    expect(ids(body)).not.toContain('@preset/oldest');
  });

  it('offset skips entries of the model list, which is empty past its end', async () => {
    const { body } = await list('?offset=3');
    expect(body).toMatchObject({ data: [{ id: 'b/two' }], first_id: 'b/two', total_count: 4 });
    expect((await list('?offset=4')).body).toMatchObject({ data: [], first_id: null, last_id: null });
    expect((await list('?offset=-1')).status).toBe(400);
  });

  it('clients of Anthropic get presets under an id that Claude Code offers', async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    const { body } = await server.get('/api/v1/models?limit=1000', { key: apiKey, headers });
    expect(ids(body).toSorted()).toEqual([
      'a/one',
      'anthropic/@preset/first',
      'anthropic/@preset/second',
      'b/two',
    ]);
    expect(body.data[0]).toMatchObject({ canonical_slug: expect.stringMatching(/^@preset\//) });
  });

  it('the list for a user is the model list, and the count is its length', async () => {
    expect((await server.get('/api/v1/models/user', { key: apiKey })).text).toBe((await list()).text);
    expect((await server.get('/api/v1/models/user?offset=3', { key: apiKey })).text).toBe(
      (await list('?offset=3')).text,
    );
    expect((await server.get('/api/v1/models/count', { key: apiKey })).body).toEqual({ data: { count: 4 } });
  });

  const retrieve = (path: string, key = apiKey) => server.get(`/api/v1${path}`, { key });

  it('a model of an upstream is found by its id, whether its slashes are encoded or not', async () => {
    const [one] = (await list('?offset=2')).body.data;
    for (const path of ['/models/a/one', '/models/a%2Fone', '/models/a/one/'])
      expect([path, (await retrieve(path)).body]).toEqual([path, one]);
    expect((await retrieve('/model/a/one')).body).toEqual({ data: one });
  });

  it.each([
    '@preset/first',
    '@preset/first@1',
    '@preset/first:latest',
    '@preset/alias',
    'a/one@preset/first',
  ])('a preset is found by the reference %s', async (id) => {
    await server.send('PUT', '/api/v1/presets/first/aliases/alias');
    const expected = {
      id,
      canonical_slug: '@preset/first',
      name: 'The first',
      description: 'Does it.',
      owned_by: 'presetd',
    };
    for (const path of [`/models/${id}`, `/models/${encodeURIComponent(id)}`])
      expect((await retrieve(path)).body).toMatchObject(expected);
    const [author = '', ...rest] = id.split('/');
    const { body } = await retrieve(`/model/${author}/${encodeURIComponent(rest.join('/'))}`);
    expect(body.data).toMatchObject(expected);
  });

  it.each([
    [
      'nothing',
      404,
      'No upstream lists the model "nothing". GET /api/v1/models lists all models and presets, except models of upstreams that cannot be reached.',
    ],
    ['c/none@preset/first', 404, 'No upstream lists the model "c/none".'],
    ['@preset/nothing', 404, 'There is no preset "nothing" in this workspace. It has '],
    ['@preset/first@9', 404, 'version 9'],
    ['@preset/first:live', 404, 'The preset "first" has no label "live"'],
    ['@preset/shelved', 404, 'The preset "shelved" is archived.'],
    ['@preset/off', 403, 'The preset "off" is disabled.'],
    ['@presets/first', 404, 'does not name a preset. Write a preset as "@preset/slug".'],
    ['@preset/two words', 404, 'does not name a preset. Write a preset as "@preset/slug".'],
  ])('an id that cannot be called is an error that says what to change: %s', async (id, status, message) => {
    const { body, ...response } = await retrieve(`/models/${encodeURIComponent(id)}`);
    expect([response.status, body.error.code]).toEqual([status, status]);
    expect(body.error.message).toContain(message);
  });

  it('a preset of another workspace is not found', async () => {
    const workspaceId = await makeWorkspace(server, 'distant');
    const { secret } = await makeKey(server, { workspace_id: workspaceId });
    expect((await retrieve('/models/@preset/first', secret)).status).toBe(404);
    await server.post('/api/v1/presets/distant/responses', { model: 'm' }, { key: secret });
    const path = `/models/@preset/distant?workspace_id=${workspaceId}`;
    expect((await retrieve(path, managementKey)).body).toMatchObject({ id: '@preset/distant' });
    expect((await retrieve(path)).status).toBe(404);
  });

  it('the endpoints of a preset are those of its model', async () => {
    await server.post('/api/v1/presets/routed/responses', { model: 'a/one' });
    const endpoints = async (id: string) => (await retrieve(`/models/${id}/endpoints`)).body.data;
    const [{ endpoints: found, ...model }, preset] = [
      await endpoints('a/one'),
      await endpoints('@preset/routed'),
    ];
    expect(model).toMatchObject({ id: 'a/one', name: 'One', description: '' });
    expect(found).toMatchObject([{ name: 'openrouter | a/one', provider_name: 'openrouter' }]);
    expect(preset).toMatchObject({ id: '@preset/routed', name: 'routed', endpoints: found });
    expect(await endpoints('@preset/second')).toMatchObject({ endpoints: [] });
    expect(await endpoints('b/two@preset%2Frouted')).toMatchObject({ endpoints: [{ model_id: 'b/two' }] });
    await server.send('DELETE', '/api/v1/presets/routed');
  });

  it('providers are the names of the upstreams, without their URLs and keys', async () => {
    const { body, text } = await retrieve('/providers');
    expect(body).toEqual({
      data: [
        {
          name: 'openrouter',
          slug: 'openrouter',
          privacy_policy_url: null,
          terms_of_service_url: null,
          status_page_url: null,
          headquarters: null,
          datacenters: null,
        },
      ],
    });
    expect(text).not.toContain('127.0.0.1');
  });
});

describe('fetching the models of upstreams', () => {
  let running: TestServer;
  beforeAll(async () => {
    running = await startTestServer(anyEngine);
  });
  afterAll(() => running.stop());

  const stubs: StubServer[] = [];
  afterEach(async () => {
    for (const each of stubs.splice(0)) await each.stop();
  });

  async function stub(respond: RequestListener): Promise<string> {
    const server = await startStubServer(respond);
    stubs.push(server);
    return server.url;
  }

  function load(upstreams: readonly object[], environment: Readonly<Record<string, string>> = {}): void {
    const file = writeUpstreams(upstreams);
    running.reload(loadConfig({ PRESETD_CONFIG: file.path, ...environment }));
    file.remove();
  }

  /** The server with these upstreams, and its log from now on. */
  function serverWith(...settings: Parameters<typeof load>): TestServer {
    load(...settings);
    const start = running.log.length;
    return {
      ...running,
      get log() {
        return running.log.slice(start);
      },
    };
  }

  it('upstreams get their own key in their own header, and nothing of the caller', async () => {
    const requests: IncomingMessage[] = [];
    const base_url = await stub((request, response) => {
      requests.push(request);
      response.end('{"data":[]}');
    });
    const server = serverWith(
      [
        { name: 'a', kind: 'openrouter', base_url: `${base_url}/a` },
        { name: 'b', kind: 'anthropic', base_url: `${base_url}/b`, headers: { 'x-more': 'yes' } },
        { name: 'c', kind: 'openai-compatible', base_url: `${base_url}/c` },
        { name: 'd', kind: 'openai', base_url: `${base_url}/d` },
      ],
      { OPENROUTER_API_KEY: 'sk-router', ANTHROPIC_API_KEY: 'sk-ant' },
    );
    await server.get('/api/v1/models', { key: apiKey, headers: { 'x-session-id': 's', cookie: 'c=1' } });
    const sent = Object.fromEntries(requests.map(({ url, headers }) => [url, headers]));
    expect(Object.keys(sent).sort()).toEqual(['/a/models', '/b/models?limit=1000', '/c/models']);
    expect(sent['/a/models']).toMatchObject({
      authorization: 'Bearer sk-router',
      accept: 'application/json',
    });
    expect(sent['/b/models?limit=1000']).toMatchObject({
      'x-api-key': 'sk-ant',
      'anthropic-version': '2023-06-01',
      'x-more': 'yes',
    });
    expect(sent['/b/models?limit=1000']).not.toHaveProperty('authorization');
    expect(sent['/c/models']).not.toHaveProperty('authorization');
    for (const headers of Object.values(sent)) {
      expect(JSON.stringify(headers)).not.toContain(apiKey);
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('x-session-id');
    }
  });

  it('lists the deployments that the settings name for Azure, which only lists what could be deployed', async () => {
    const azure = { name: 'a', kind: 'azure-openai', base_url: 'http://127.0.0.1:9/openai/v1' };
    const models = ['azure/chat', 'azure/embed', 'azure/*'];
    const settings = { ...azure, models, strip_prefix: 'azure/' };
    const server = serverWith([settings], { AZURE_OPENAI_API_KEY: 'k' });
    const list = async () => ids((await server.get('/api/v1/models', { key: apiKey })).body);
    expect(await list()).toEqual(['azure/chat', 'azure/embed']);
    load([{ ...settings, models: ['azure/new'] }], { AZURE_OPENAI_API_KEY: 'k' });
    expect(await list()).toEqual(['azure/new']);
  });

  const megabyte = Buffer.alloc(1024 ** 2, ' ');
  it.each<[what: string, reason: RegExp, answer: RequestListener]>([
    ['refuses', /status 401/, (_, response) => response.writeHead(401).end('{"error":"sk-upstream"}')],
    ['breaks down', /status 500/, (_, response) => response.writeHead(500).end('x'.repeat(500_000))],
    ['sends on', /status 302/, (_, response) => response.writeHead(302, { location: '/other' }).end()],
    ['talks of something else', /is not JSON/, (_, response) => response.end('sk-upstream <html>')],
    ['has no list', /is not a list of models/, (_, response) => response.end('{"data":{}}')],
    ['says nothing', /is not a list of models/, (_, response) => response.end('null')],
    ['hangs up', /cannot list/, (request) => request.socket.destroy()],
    [
      'hangs up in the middle',
      /cannot list/,
      (request, response) => response.write('{"data":[', () => request.socket.destroy()),
    ],
    ['sends without end', /longer than 33554432 bytes/, (_, response) => flood(response)],
    ['never responds', /timeout/, () => undefined],
  ])('an upstream that %s is skipped, and the log says why without its key', async (_, reason, respond) => {
    const [broken, good] = [
      await stub(respond),
      await stub((_request, response) => response.end('[{"id":"x"}]')),
    ];
    const server = serverWith(
      [
        { name: 'broken', kind: 'openrouter', base_url: broken, models: ['y'] },
        { name: 'good', kind: 'openai-compatible', base_url: good },
      ],
      { OPENROUTER_API_KEY: 'sk-upstream' },
    );
    const { status, body } = await server.get('/api/v1/models', { key: apiKey });
    expect([status, ids(body)]).toEqual([200, ['x']]);
    const warnings = server.log.filter((line) => line.includes('"level":40'));
    expect(warnings).toEqual([expect.stringMatching(/cannot list the models of upstream broken: /)]);
    expect(warnings[0]).toMatch(reason);
    expect(server.log.join()).not.toContain('sk-upstream');
    expect((await server.get('/api/v1/models', { key: apiKey })).status).toBe(200);
    expect(server.log.filter((line) => line.includes('"level":40'))).toHaveLength(1);
  });

  function flood(response: Parameters<RequestListener>[1]): void {
    const write = () => {
      while (!response.destroyed && response.write(megabyte));
    };
    response.on('drain', write);
    write();
  }

  it('after a reload, models come from the new upstreams only', async () => {
    const one = await stub((_, response) => response.end('{"data":[{"id":"one"}]}'));
    const two = await stub((_, response) => response.end('{"data":[{"id":"two"}]}'));
    const entry = (base_url: string) => ({ name: 'a', kind: 'openai-compatible', base_url });
    const server = serverWith([entry(one)]);
    expect(ids((await server.get('/api/v1/models', { key: apiKey })).body)).toEqual(['one']);
    load([entry(two)]);
    expect(ids((await server.get('/api/v1/models', { key: apiKey })).body)).toEqual(['two']);
  });

  it('ids that look like other paths are found, except count and user', async () => {
    const ids = ['count', 'user', 'a/endpoints', 'a/b/endpoints', 'accounts/x/models/y', 'a%2Fb', 'c?d=e#f'];
    const base_url = await stub((_, response) => response.end(JSON.stringify(ids.map((id) => ({ id })))));
    const server = serverWith([{ name: 'a', kind: 'openai-compatible', base_url }]);
    const get = async (path: string) => (await server.get(`/api/v1/models/${path}`, { key: apiKey })).body;
    for (const id of ids.slice(2)) expect(await get(encodeURIComponent(id))).toMatchObject({ id });
    expect(await get('accounts/x/models/y')).toMatchObject({ id: 'accounts/x/models/y' });
    expect((await get('accounts/x%2Fmodels%2Fy/endpoints')).data).toMatchObject({
      id: 'accounts/x/models/y',
      endpoints: [{ provider_name: 'a', context_length: 0 }],
    });
    expect(await get('a/endpoints')).toMatchObject({ id: 'a/endpoints' });
    expect(await get('count')).toEqual({ data: { count: ids.length } });
    expect(await get('user')).toMatchObject({ object: 'list', total_count: ids.length });
  });

  it('a preset is found without its upstreams', async () => {
    const requests: unknown[] = [];
    const base_url = await stub(({ url }) => requests.push(url));
    const server = serverWith([{ name: 'a', kind: 'openai-compatible', base_url }]);
    await server.post('/api/v1/presets/quick/responses', { model: 'm' });
    expect((await server.get('/api/v1/models/@preset/quick')).status).toBe(200);
    expect(requests).toEqual([]);
    await server.send('DELETE', '/api/v1/presets/quick');
  });
});
