import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStream, parseEvents } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import type { Script } from '../support/upstream-scripts.ts';
import {
  cut,
  garbage,
  halfHeaders,
  html,
  redirect,
  reset,
  stall,
  stallAfterHeaders,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];

describe('falling back to another model', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let third: ScriptedUpstream;
  let server: GatewayServer;
  let unreachable: string;
  beforeAll(async () => {
    [first, second, third] = (await startUpstreams(3)) as [
      ScriptedUpstream,
      ScriptedUpstream,
      ScriptedUpstream,
    ];
    unreachable = await closedPort();
    server = await startWithFile({
      attempts_max: 3,
      upstreams: [
        compatible('first', first, { models: ['one/*'], timeouts: { first_byte_ms: 300 } }),
        compatible('second', second, { models: ['two/*'], strip_prefix: 'two/' }),
        compatible('third', third, { models: ['three/*'] }),
        compatible('down', { url: unreachable }, { models: ['down/*'] }),
        compatible('unset', third, { models: ['unset/*'], api_key_env: 'NOT_SET' }),
      ],
    });
  });
  beforeEach(() => {
    for (const upstream of [first, second, third]) upstream.clear();
  });
  afterAll(async () => {
    await Promise.all([first, second, third].map((upstream) => upstream.stop()));
    await server.stop();
  });

  const call = (model: string, models: unknown, rest: object = {}) =>
    server.call({ model, models, messages, ...rest });

  it.each<[string, Script, string]>([
    ['returns 408', upstreamError(408, 'Too slow'), '408'],
    ['returns 429', upstreamError(429, 'Too many'), '429'],
    ['returns 500', upstreamError(500, 'Oops'), '500'],
    ['returns 502 with an HTML page', html(502), '502'],
    ['returns 503', upstreamError(503, 'Busy'), '503'],
    ['returns 529', upstreamError(529, 'Overloaded'), '529'],
    ['resets the connection', reset, 'reset'],
    ['redirects', redirect('http://127.0.0.1:1/'), 'garbage'],
    ['does not speak HTTP', garbage, 'garbage'],
    ['does not respond', stall, 'timeout'],
    ['sends headers but no body', stallAfterHeaders, 'timeout'],
  ])('happens if an upstream %s', async (_title, script, reason) => {
    first.respondWith(script);
    const response = await call('one/a', ['two/b']);
    expect(response.status).toBe(200);
    expect(response.body.choices[0].message.content).toBe(completionText);
    expect(response.headers.get('x-presetd-upstream')).toBe('second');
    expect(response.headers.get('x-presetd-fallbacks')).toBe(`${encodeURIComponent('one/a')};${reason}`);
    expect(first.requests.map(({ body }) => body)).toEqual([{ model: 'one/a', messages }]);
    expect(second.requests.map(({ body }) => body)).toEqual([{ model: 'b', messages }]);
  });

  it.each<[string, Script]>([
    ['closes the connection at once', ({ socket }) => socket.destroy()],
    ['closes the connection within its headers', halfHeaders],
  ])('happens if an upstream %s', async (_title, script) => {
    first.respondWith(script);
    const response = await call('one/a', ['two/b']);
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
  });

  it('happens if an upstream is unreachable', async () => {
    const response = await call('down/a', ['two/b']);
    expect([response.status, response.headers.get('x-presetd-fallbacks')]).toEqual([200, 'down%2Fa;connect']);
    expect(response.headers.get('x-presetd-failure')).toBeNull();
    const alone = await call('down/a', undefined);
    expect([alone.status, alone.headers.get('x-presetd-failure')]).toEqual([502, 'connect']);
  });

  it.each([400, 402, 404, 413, 422])(
    'does not happen after a %i, which no other model would change',
    async (status) => {
      first.respondWith(upstreamError(status, 'Your request is wrong'));
      const response = await call('one/a', ['two/b']);
      expect([response.status, response.body.error.message]).toEqual([status, 'Your request is wrong']);
      expect(response.headers.get('x-presetd-fallbacks')).toBeNull();
      expect(second.requests).toEqual([]);
    },
  );

  it('another model is not tried if the upstream rejects the key', async () => {
    first.respondWith(upstreamError(401, 'Wrong key'));
    expect((await call('one/a', ['two/b'])).status).toBe(424);
    expect(second.requests).toEqual([]);
  });

  it('skips a model that sent Retry-After if there is another', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    for (const [model, retryAfter] of [
      ['one/seconds', '30'],
      ['one/date', inAMinute],
    ] as const) {
      first.respondWith(upstreamError(429, 'Too many', { 'retry-after': retryAfter }));
      await call(model, ['two/b']);
      const next = await call(model, ['two/b']);
      expect([next.status, next.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
      expect(next.headers.get('x-presetd-fallbacks')).toBe(`${encodeURIComponent(model)};retry-after`);
      const alone = await call(model, undefined);
      expect([alone.status, alone.headers.get('x-presetd-upstream')]).toEqual([200, 'first']);
      const other = await call('one/other', ['two/b']);
      expect(other.headers.get('x-presetd-upstream')).toBe('first');
    }
    expect(first.requests).toHaveLength(6);
  });

  it('skips an upstream whose key is not set if there is another', async () => {
    const response = await call('unset/a', ['two/b']);
    expect([response.status, response.headers.get('x-presetd-fallbacks')]).toEqual([200, 'unset%2Fa;no-key']);
    expect((await call('unset/a', undefined)).status).toBe(424);
  });

  it('skips an upstream whose key is not set even if the other one sent Retry-After', async () => {
    first.respondWith(upstreamError(429, 'Too many', { 'retry-after': '30' }));
    await call('one/limited', undefined);
    const response = await call('unset/a', ['one/limited']);
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'first']);
    expect(third.requests).toEqual([]);
  });

  it('tries models in order and reports the reason for each', async () => {
    first.respondWith(upstreamError(500, 'Oops'), reset);
    const response = await call('one/a', ['one/b c', 'three/d']);
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'third']);
    expect(response.headers.get('x-presetd-fallbacks')).toBe('one%2Fa;500, one%2Fb%20c;reset');
    expect(first.requests.map(({ body }) => body.model)).toEqual(['one/a', 'one/b c']);
  });

  it('stops after attempts_max', async () => {
    first.respondAlways(upstreamError(503, 'Busy'));
    const response = await call('one/a', ['one/b', 'one/c', 'one/d', 'two/e']);
    expect(response.status).toBe(503);
    expect(first.requests.map(({ body }) => body.model)).toEqual(['one/a', 'one/b', 'one/c']);
    expect(second.requests).toEqual([]);
  });

  it('returns the last failure and reports the earlier ones', async () => {
    first.respondAlways(upstreamError(500, 'First failure'));
    second.respondAlways(upstreamError(429, 'Second failure', { 'retry-after': '12' }));
    const response = await call('one/a', ['two/tired']);
    expect(response.status).toBe(429);
    expect(response.body.error.message).toContain('Second failure');
    expect(response.headers.get('retry-after')).toBe('12');
    expect(response.headers.get('x-presetd-fallbacks')).toContain('one%2Fa;500');
  });

  it('tries each model once, no matter how often it is listed', async () => {
    first.respondAlways(upstreamError(500, 'Oops'));
    await call('one/a', ['one/a', 'two/b', 'one/a']);
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(1);
  });

  it('uses the models of a preset unless the request replaces or removes them', async () => {
    await server.capture('listed', { model: 'one/a', models: ['two/b'], messages });
    first.respondAlways(upstreamError(503, 'Busy'));
    const fromPreset = await server.call({ model: '@preset/listed', messages });
    expect([fromPreset.status, fromPreset.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
    expect(second.requests[0]?.body).toEqual({ model: 'b', messages });
    const fromRequest = await server.call({ model: '@preset/listed', models: ['three/c'], messages });
    expect(fromRequest.headers.get('x-presetd-upstream')).toBe('third');
    const none = await server.call({ model: '@preset/listed', models: null, messages });
    expect([none.status, none.headers.get('x-presetd-fallbacks')]).toEqual([503, null]);
  });

  it('starts with the first entry of models if there is no model', async () => {
    const response = await server.call({ models: ['one/a', 'two/b'], messages });
    expect([response.status, first.requests[0]?.body.model]).toEqual([200, 'one/a']);
  });

  it('does not happen once a byte of the response was sent', async () => {
    const { stream } = recordings['openai-chat'];
    first.respondWith(cut(stream.subarray(0, 600)));
    const opened = await openStream(server, 'chat-completions', {
      model: 'one/a',
      models: ['two/b'],
      messages,
    });
    const { events, rest } = parseEvents(await opened.end());
    expect(opened.status).toBe(200);
    expect(rest).toBe('');
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({ error: { message: expect.any(String) } });
    expect(second.requests).toEqual([]);
  });

  it('happens for a stream that breaks off before its first byte', async () => {
    first.respondWith(cut(Buffer.alloc(0)));
    const opened = await openStream(server, 'chat-completions', {
      model: 'one/a',
      models: ['two/b'],
      messages,
    });
    expect(await opened.end()).toBe(recordings['openai-chat'].stream.toString());
    expect(opened.headers.get('x-presetd-upstream')).toBe('second');
  });

  it('is delegated to OpenRouter, which falls back itself', async () => {
    server.useConfigFile(
      { upstreams: [{ name: 'router', kind: 'openrouter', base_url: first.url }] },
      { OPENROUTER_API_KEY: 'sk-upstream-0123456789' },
    );
    first.respondAlways(upstreamError(503, 'Busy'));
    const response = await server.call({ model: 'one/a', models: ['two/b'], messages });
    expect(response.status).toBe(503);
    expect(first.requests.map(({ body }) => body)).toEqual([{ model: 'one/a', models: ['two/b'], messages }]);
  });

  it.each([['text'], [7], [{ a: 1 }], [[7, null, 'two/b']]])(
    'tolerates malformed models: %j',
    async (models) => {
      const response = await call('one/a', models);
      expect([200, 400]).toContain(response.status);
      expect(first.requests.length).toBe(response.status === 200 ? 1 : 0);
    },
  );
});

/** The URL of a port without a listener. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/v1`;
}
