import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStream, parseEvents } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { Script, ScriptedUpstream } from '../support/scripted-upstream.ts';
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

describe('a list of models', () => {
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
        compatible('gone', { url: unreachable }, { models: ['gone/*'] }),
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

  const ask = (model: string, models: unknown, rest: object = {}) =>
    server.call({ model, models, messages, ...rest });

  it.each<[string, Script, string]>([
    ['answers 408', upstreamError(408, 'Too slow'), '408'],
    ['answers 429', upstreamError(429, 'Too many'), '429'],
    ['answers 500', upstreamError(500, 'Oops'), '500'],
    ['answers 502 with a page of HTML', html(502), '502'],
    ['answers 503', upstreamError(503, 'Busy'), '503'],
    ['answers 529', upstreamError(529, 'Overloaded'), '529'],
    ['resets the connection', reset, 'reset'],
    ['redirects', redirect('http://127.0.0.1:1/'), 'garbage'],
    ['answers what is no HTTP', garbage, 'garbage'],
    ['does not answer', stall, 'timeout'],
    ['sends headers and no byte', stallAfterHeaders, 'timeout'],
  ])('is gone on with where an upstream %s', async (_title, script, reason) => {
    first.respondWith(script);
    const answer = await ask('one/a', ['two/b']);
    expect(answer.status).toBe(200);
    expect(answer.body.choices[0].message.content).toBe(completionText);
    expect(answer.headers.get('x-presetd-upstream')).toBe('second');
    expect(answer.headers.get('x-presetd-fallbacks')).toBe(`${encodeURIComponent('one/a')};${reason}`);
    expect(first.requests.map(({ body }) => body)).toEqual([{ model: 'one/a', messages }]);
    expect(second.requests.map(({ body }) => body)).toEqual([{ model: 'b', messages }]);
  });

  it.each<[string, Script]>([
    ['hangs up at once', ({ socket }) => socket.destroy()],
    ['hangs up in the middle of its headers', halfHeaders],
  ])('is gone on with where an upstream %s', async (_title, script) => {
    first.respondWith(script);
    const answer = await ask('one/a', ['two/b']);
    expect([answer.status, answer.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
  });

  it('is gone on with where an upstream is not there', async () => {
    const answer = await ask('gone/a', ['two/b']);
    expect([answer.status, answer.headers.get('x-presetd-fallbacks')]).toEqual([200, 'gone%2Fa;connect']);
  });

  it.each([400, 402, 404, 413, 422])(
    'ends with an answer that no other model would change: %i',
    async (status) => {
      first.respondWith(upstreamError(status, 'Your request is wrong'));
      const answer = await ask('one/a', ['two/b']);
      expect([answer.status, answer.body.error.message]).toEqual([status, 'Your request is wrong']);
      expect(answer.headers.get('x-presetd-fallbacks')).toBeNull();
      expect(second.requests).toEqual([]);
    },
  );

  it('is not a way around a key that is refused', async () => {
    first.respondWith(upstreamError(401, 'Wrong key'));
    expect((await ask('one/a', ['two/b'])).status).toBe(424);
    expect(second.requests).toEqual([]);
  });

  it('leaves a model alone that asked for it by Retry-After, while there is another', async () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    for (const [model, retryAfter] of [
      ['one/seconds', '30'],
      ['one/date', inAMinute],
    ] as const) {
      first.respondWith(upstreamError(429, 'Too many', { 'retry-after': retryAfter }));
      await ask(model, ['two/b']);
      const next = await ask(model, ['two/b']);
      expect([next.status, next.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
      expect(next.headers.get('x-presetd-fallbacks')).toBe(`${encodeURIComponent(model)};retry-after`);
      const alone = await ask(model, undefined);
      expect([alone.status, alone.headers.get('x-presetd-upstream')]).toEqual([200, 'first']);
      const other = await ask('one/other', ['two/b']);
      expect(other.headers.get('x-presetd-upstream')).toBe('first');
    }
    expect(first.requests).toHaveLength(6);
  });

  it('passes over an upstream whose key is not set, while there is another', async () => {
    const answer = await ask('unset/a', ['two/b']);
    expect([answer.status, answer.headers.get('x-presetd-fallbacks')]).toEqual([200, 'unset%2Fa;no-key']);
    expect((await ask('unset/a', undefined)).status).toBe(424);
  });

  it('is followed in order, each with its own reason', async () => {
    first.respondWith(upstreamError(500, 'Oops'), reset);
    const answer = await ask('one/a', ['one/b c', 'three/d']);
    expect([answer.status, answer.headers.get('x-presetd-upstream')]).toEqual([200, 'third']);
    expect(answer.headers.get('x-presetd-fallbacks')).toBe('one%2Fa;500, one%2Fb%20c;reset');
    expect(first.requests.map(({ body }) => body.model)).toEqual(['one/a', 'one/b c']);
  });

  it('is followed no further than the configured number of attempts', async () => {
    first.respondAlways(upstreamError(503, 'Busy'));
    const answer = await ask('one/a', ['one/b', 'one/c', 'one/d', 'two/e']);
    expect(answer.status).toBe(503);
    expect(first.requests.map(({ body }) => body.model)).toEqual(['one/a', 'one/b', 'one/c']);
    expect(second.requests).toEqual([]);
  });

  it('that fails to its end answers with the last failure and tells of those before', async () => {
    first.respondAlways(upstreamError(500, 'First trouble'));
    second.respondAlways(upstreamError(429, 'Second trouble', { 'retry-after': '12' }));
    const answer = await ask('one/a', ['two/tired']);
    expect(answer.status).toBe(429);
    expect(answer.body.error.message).toContain('Second trouble');
    expect(answer.headers.get('retry-after')).toBe('12');
    expect(answer.headers.get('x-presetd-fallbacks')).toContain('one%2Fa;500');
  });

  it('tries a model once, however often it is named', async () => {
    first.respondAlways(upstreamError(500, 'Oops'));
    await ask('one/a', ['one/a', 'two/b', 'one/a']);
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(1);
  });

  it('may stand in a preset', async () => {
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

  it('stands for the model where there is no other', async () => {
    const answer = await server.call({ models: ['one/a', 'two/b'], messages });
    expect([answer.status, first.requests[0]?.body.model]).toEqual([200, 'one/a']);
  });

  it('is not followed once a byte of an answer has been passed on', async () => {
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

  it('is followed for a stream as well, while nothing of it has come', async () => {
    first.respondWith(cut(Buffer.alloc(0)));
    const opened = await openStream(server, 'chat-completions', {
      model: 'one/a',
      models: ['two/b'],
      messages,
    });
    expect(await opened.end()).toBe(recordings['openai-chat'].stream.toString());
    expect(opened.headers.get('x-presetd-upstream')).toBe('second');
  });

  it('is left to OpenRouter, which does this itself', async () => {
    server.useConfigFile(
      { upstreams: [{ name: 'router', kind: 'openrouter', base_url: first.url }] },
      { OPENROUTER_API_KEY: 'sk-upstream-0123456789' },
    );
    first.respondAlways(upstreamError(503, 'Busy'));
    const answer = await server.call({ model: 'one/a', models: ['two/b'], messages });
    expect(answer.status).toBe(503);
    expect(first.requests.map(({ body }) => body)).toEqual([{ model: 'one/a', models: ['two/b'], messages }]);
  });

  it.each([['text'], [7], [{ a: 1 }], [[7, null, 'two/b']]])('that is %j does no harm', async (models) => {
    const answer = await ask('one/a', models);
    expect([200, 400]).toContain(answer.status);
    expect(first.requests.length).toBe(answer.status === 200 ? 1 : 0);
  });
});

/** A port that was free a moment ago, and at which nobody listens. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/v1`;
}
