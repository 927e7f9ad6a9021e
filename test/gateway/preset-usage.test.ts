import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startWithFile } from '../support/gateway-server.ts';
import { makeKey } from '../support/organizations.ts';
import { connectResponses } from '../support/responses-socket.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey, startServerOn } from '../support/server.ts';
import { makeSession, ofSession } from '../support/sessions.ts';
import { json, upstreamError } from '../support/upstream-scripts.ts';

describe('the last call of a preset', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  let session: string;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithFile({
      upstreams: [
        compatible('main', upstream, {
          dialects: ['chat-completions', 'messages', 'responses'],
          endpoints: ['embeddings'],
        }),
      ],
    });
    session = await makeSession(server, (await server.get('/api/v1/key')).body.data.creator_user_id);
  });
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  const usage = async (slug: string) => (await server.get(`/api/v1/presets/${slug}/usage`)).body;
  const question = { messages: [{ role: 'user', content: 'Hi' }] };
  let presets = 0;
  const capture = async () => {
    presets += 1;
    await server.capture(`preset-${presets}`, { model: 'a-model' }, 'responses');
    return `preset-${presets}`;
  };

  const counted: readonly (readonly [string, (slug: string) => Promise<unknown>])[] = [
    ['chat completions', (slug) => server.call({ ...question, model: `@preset/${slug}` })],
    [
      'messages',
      (slug) => server.call({ ...question, preset: slug, max_tokens: 9 }, { dialect: 'messages' }),
    ],
    ['responses', (slug) => server.call({ input: 'Hi', prompt: { id: slug } }, { dialect: 'responses' })],
    ['a version', (slug) => server.call({ ...question, model: `@preset/${slug}@1` })],
    ['a label', (slug) => server.call({ ...question, model: `@preset/${slug}:latest` })],
    [
      'an alias',
      async (slug) => {
        await server.send('PUT', `/api/v1/presets/${slug}/aliases/${slug}-alias`);
        await server.call({ ...question, model: `@preset/${slug}-alias` });
      },
    ],
    [
      'an endpoint that is passed on',
      async (slug) => {
        upstream.respondWith(json({ object: 'list', data: [] }));
        await server.post('/api/v1/embeddings', { model: `@preset/${slug}`, input: 'Hi' });
      },
    ],
    [
      'a WebSocket',
      async (slug) => {
        const client = await connectResponses(server);
        await client.turn({ model: `@preset/${slug}`, input: 'Hi', store: false });
        await client.close();
      },
    ],
    [
      'a key of its own',
      async (slug) => {
        const { secret } = await makeKey(server);
        await server.call({ ...question, model: `@preset/${slug}` }, { key: secret });
      },
    ],
    [
      'a call that the upstream rejects',
      async (slug) => {
        upstream.respondWith(upstreamError(500, 'broken'));
        await server.call({ ...question, model: `@preset/${slug}` });
      },
    ],
  ];

  it.each(counted)('is updated by %s', async (_, call) => {
    const slug = await capture();
    expect(await usage(slug)).toEqual({ data: { last_called_at: null } });
    const before = new Date().toISOString();
    await call(slug);
    const { last_called_at: at } = (await usage(slug)).data;
    expect(at >= before && at <= new Date().toISOString()).toBe(true);
  });

  const uncounted: readonly (readonly [
    string,
    (slug: string) => Promise<{ readonly status: number }>,
    number,
  ])[] = [
    [
      'a dry run',
      (slug) =>
        server.call({ ...question, model: `@preset/${slug}` }, { headers: { 'x-presetd-dry-run': 'true' } }),
      200,
    ],
    [
      'a draft',
      (slug) =>
        server.call({
          ...question,
          model: `@preset/${slug}`,
          presetd: {
            draft: { dialect: 'responses', request: { model: 'other-model' } },
          },
        }),
      200,
    ],
    [
      'a run in the dashboard',
      (slug) =>
        server.call({ ...question, model: `@preset/${slug}` }, { key: null, headers: ofSession(session) }),
      200,
    ],
    [
      'a version that does not exist',
      (slug) => server.call({ ...question, model: `@preset/${slug}@9` }),
      404,
    ],
    [
      'a call of a disabled preset',
      async (slug) => {
        await server.send('PATCH', `/api/v1/presets/${slug}`, { status: 'disabled' });
        return server.call({ ...question, model: `@preset/${slug}` });
      },
      403,
    ],
    ['a read', (slug) => server.get(`/api/v1/presets/${slug}`), 200],
    ['a call without a preset', () => server.call({ ...question, model: 'a-model' }), 200],
  ];

  it.each(uncounted)('is not updated by %s', async (_, call, status) => {
    const slug = await capture();
    expect((await call(slug)).status).toBe(status);
    expect(await usage(slug)).toEqual({ data: { last_called_at: null } });
  });

  it('has no row, event or new ETag until it is stored', async () => {
    const slug = await capture();
    const etag = async () => (await server.get(`/api/v1/presets/${slug}`)).headers.get('etag');
    const before = await etag();
    await server.call({ ...question, model: `@preset/${slug}` });
    expect(await etag()).toBe(before);
    expect((await server.get(`/api/v1/presets/${slug}/events`)).body.total_count).toBe(1);
    expect(await server.database.sql('SELECT * FROM preset_calls')).toEqual([]);
  });

  it('can be read by a management key, under an alias and of an archived preset', async () => {
    const slug = await capture();
    await server.call({ ...question, model: `@preset/${slug}` });
    await server.send('PUT', `/api/v1/presets/${slug}/aliases/${slug}-alias`);
    await server.send('DELETE', `/api/v1/presets/${slug}`);
    const expected = await usage(slug);
    expect(expected.data.last_called_at).not.toBeNull();
    for (const name of [slug, `${slug}-alias`])
      expect((await server.get(`/api/v1/presets/${name}/usage`, { key: managementKey })).body).toEqual(
        expected,
      );
  });

  it('is stored on shutdown, for all servers on the database', async () => {
    const slug = await capture();
    const other = await startServerOn(server.database, { PRESETD_UPSTREAM_URL: upstream.url });
    const before = new Date().toISOString();
    await other.post('/api/v1/chat/completions', { ...question, model: `@preset/${slug}` });
    expect(await usage(slug)).toEqual({ data: { last_called_at: null } });
    await other.stop();
    const { last_called_at: first } = (await usage(slug)).data;
    expect(first >= before).toBe(true);
    await server.call({ ...question, model: `@preset/${slug}` });
    expect((await usage(slug)).data.last_called_at > first).toBe(true);
  });
});
