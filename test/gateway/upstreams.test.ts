import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
  upstreamKey,
} from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { dialects } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];

describe('multiple upstreams', () => {
  let upstreams: ScriptedUpstream[];
  let server: GatewayServer;
  beforeAll(async () => {
    upstreams = await startUpstreams(4);
    const [router, openai, claude, local] = upstreams as [
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
    ];
    server = await startWithFile(
      {
        upstreams: [
          {
            name: 'openai',
            kind: 'openai',
            base_url: openai.url,
            models: ['openai/*', 'gpt-*'],
            strip_prefix: 'openai/',
          },
          {
            name: 'claude',
            kind: 'anthropic',
            base_url: claude.url,
            models: ['anthropic/*'],
            strip_prefix: 'anthropic/',
          },
          compatible('local', local, {
            models: ['local/*'],
            strip_prefix: 'local/',
            headers: { 'x-team': 'weather' },
          }),
          { name: 'router', kind: 'openrouter', base_url: `${router.url}/`, models: ['vendor/*'] },
        ],
      },
      { OPENAI_API_KEY: upstreamKey, ANTHROPIC_API_KEY: upstreamKey, OPENROUTER_API_KEY: upstreamKey },
    );
  });
  beforeEach(() => {
    for (const upstream of upstreams) upstream.clear();
  });
  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
    await server.stop();
  });

  const received = () => upstreams.flatMap(({ requests }) => requests);

  it.each([
    ['openai/gpt-5.2', 'chat-completions', 'openai', 'gpt-5.2'],
    ['gpt-5.2', 'responses', 'openai', 'gpt-5.2'],
    ['anthropic/claude-opus-5', 'messages', 'claude', 'claude-opus-5'],
    ['local/llama/8b', 'chat-completions', 'local', 'llama/8b'],
    ['vendor/model:free', 'chat-completions', 'router', 'vendor/model:free'],
    ['vendor/model', 'messages', 'router', 'vendor/model'],
    ['vendor/model', 'responses', 'router', 'vendor/model'],
  ] as const)('are selected by model: %s in %s goes to %s as %s', async (model, dialect, name, sentModel) => {
    const response = await server.call({ model, messages, max_tokens: 5 }, { dialect });
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, name]);
    expect(received().map(({ body }) => body.model)).toEqual([sentModel]);
    expect(received()[0]?.path).toMatch(/^\/v1\/[a-z]+(\/completions)?$/);
  });

  it('get their configured headers', async () => {
    await server.call({ model: 'local/llama', messages });
    expect(received()[0]?.headers['x-team']).toBe('weather');
  });

  it.each(dialects)('do not get a %s request for a model that none of them serves', async (dialect) => {
    const response = await server.call({ model: 'unknown/model', messages }, { dialect });
    expect([response.status, response.body.error.message]).toEqual([
      400,
      expect.stringContaining('unknown/model'),
    ]);
    expect(received()).toEqual([]);
  });

  it.each([
    ['anthropic/claude-opus-5', 'chat-completions', 'claude', '/v1/messages'],
    ['anthropic/claude-opus-5', 'responses', 'claude', '/v1/messages'],
    ['openai/gpt-5.2', 'messages', 'openai', '/v1/responses'],
    ['local/llama', 'messages', 'local', '/v1/chat/completions'],
    ['local/llama', 'responses', 'local', '/v1/chat/completions'],
  ] as const)('get requests in a dialect that they support: %s in %s', async (model, dialect, name, path) => {
    const response = await server.call({ model, messages, input: 'Will it rain?' }, { dialect });
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, name]);
    expect(received().map((request) => request.path)).toEqual([path]);
  });

  it("are selected by the request's model, or else by the preset's", async () => {
    await server.capture('routed', { model: 'local/llama', messages });
    const preset = await server.call({ model: '@preset/routed', messages });
    const request = await server.call({ model: 'vendor/model@preset/routed', messages });
    expect([preset, request].map(({ headers }) => headers.get('x-presetd-upstream'))).toEqual([
      'local',
      'router',
    ]);
  });

  const routing = {
    provider: { order: ['a'] },
    plugins: [{ id: 'web' }],
    route: 'fallback',
    session_id: 'session',
    trace: { trace_id: 'trace' },
    temperature: 0.5,
    messages,
  };

  it('upstreams of the kind openrouter get all fields', async () => {
    const response = await server.call({ model: 'vendor/model', models: ['vendor/other'], ...routing });
    expect(received()[0]?.body).toEqual({ model: 'vendor/model', models: ['vendor/other'], ...routing });
    expect(response.headers.get('x-presetd-dropped-fields')).toBeNull();
  });

  it.each([
    ['openai/gpt-5.2', 'chat-completions'],
    ['local/llama', 'chat-completions'],
    ['anthropic/claude-opus-5', 'messages'],
  ] as const)("upstreams of other kinds do not get OpenRouter's fields: %s", async (model, dialect) => {
    const response = await server.call({ model, ...routing }, { dialect });
    expect(response.status).toBe(200);
    const [request] = received();
    expect(request?.body).toEqual({ model: model.slice(model.indexOf('/') + 1), temperature: 0.5, messages });
    expect(response.headers.get('x-presetd-dropped-fields')?.split(/, ?/).toSorted()).toEqual([
      'plugins',
      'provider',
      'route',
      'session_id',
      'trace',
    ]);
  });

  it('do not get fields of a preset that they would reject', async () => {
    await server.capture('picky', { model: 'openai/gpt-5.2', ...routing });
    const response = await server.call({ model: '@preset/picky', messages });
    expect(received()[0]?.body).toEqual({ model: 'gpt-5.2', temperature: 0.5, messages });
    expect(response.headers.get('x-presetd-dropped-fields')?.split(/, ?/).toSorted()).toEqual([
      'plugins',
      'provider',
      'route',
    ]);
  });

  it('get the fields, roles and key header of their kind', async () => {
    const [one, two] = upstreams as [ScriptedUpstream, ScriptedUpstream];
    server.useConfigFile(
      {
        upstreams: [
          { name: 'azure', kind: 'azure-openai', base_url: `${one.url}/openai/v1`, models: ['chat'] },
          { name: 'mistral', kind: 'mistral', base_url: two.url },
        ],
      },
      { AZURE_OPENAI_API_KEY: upstreamKey, MISTRAL_API_KEY: upstreamKey },
    );
    const part = { type: 'text', text: 'Hi' };
    const cached = { ...part, cache_control: { type: 'ephemeral' } };
    const request = {
      messages: [{ role: 'developer', content: [cached] }],
      max_completion_tokens: 9,
      user: 'u',
    };
    const azure = await server.call({ model: 'chat', ...request });
    const mistral = await server.call({ model: 'mistral-large', ...request });
    const dropped = [azure, mistral].map(({ headers }) => headers.get('x-presetd-dropped-fields'));
    expect(dropped).toEqual([
      'messages.*.content.*.cache_control',
      'user, messages.*.content.*.cache_control',
    ]);
    expect(one.requests).toMatchObject([
      {
        path: expect.stringMatching(/\/openai\/v1\/chat\/completions$/),
        headers: { 'api-key': upstreamKey },
        body: { ...request, messages: [{ role: 'developer', content: [part] }] },
      },
    ]);
    expect(one.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(two.requests).toMatchObject([
      {
        headers: { authorization: `Bearer ${upstreamKey}` },
        body: { messages: [{ role: 'system', content: [part] }], max_tokens: 9 },
      },
    ]);
  });

  it('upstreams of other kinds than openrouter require a model', async () => {
    const [, , , local] = upstreams as [unknown, unknown, unknown, ScriptedUpstream];
    server.useConfigFile({ upstreams: [compatible('local', local)] });
    const response = await server.call({ messages });
    expect([response.status, response.body.error.message]).toEqual([400, expect.stringContaining('model')]);
    expect(received()).toEqual([]);
  });

  it('are called over keep-alive connections', async () => {
    const [, , , local] = upstreams;
    for (let time = 0; time < 20; time += 1)
      expect((await server.call({ model: 'local/llama', messages })).status).toBe(200);
    expect(local?.openConnections()).toBeLessThan(5);
  });

  it('may close the connection after any response', async () => {
    const [, , , local] = upstreams;
    for (let time = 0; time < 20; time += 1) {
      const pending = server.call({ model: 'local/llama', messages });
      const { ended, socket } = (await local?.nextExchange()) ?? {};
      await ended;
      socket?.destroy();
      expect((await pending).status).toBe(200);
    }
  });
});
