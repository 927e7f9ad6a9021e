import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStream } from '../support/event-stream.ts';
import {
  compatible,
  type GatewayServer,
  startUpstreams,
  startWithFile,
  useUpstream,
} from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import type { Script } from '../support/upstream-scripts.ts';
import { json, stream, upstreamError } from '../support/upstream-scripts.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

/** Writes these lines as latin1, one byte per character, and closes the connection. */
function raw(...lines: readonly string[]): Script {
  return ({ socket }) => socket.end(lines.join('\r\n'), 'latin1');
}

const utf8 = (text: string) => Buffer.from(text).toString('latin1');

describe('unusual upstream responses', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  it.each([
    ['in UTF-8', utf8('Zürich ☔')],
    ['of invalid UTF-8', '\xff\xfe\x80'],
    ['with tabs', 'a\tb'],
    ['that is empty', ''],
  ])('an upstream may send a header %s with a body, an error and a stream', async (_title, value) => {
    upstream.respondWith(
      raw(
        'HTTP/1.1 200 OK',
        'content-type: application/json',
        `x-odd: ${value}`,
        'content-length: 2',
        '',
        '{}',
      ),
      raw(
        'HTTP/1.1 400 No',
        'content-type: application/json',
        `x-odd: ${value}`,
        'content-length: 2',
        '',
        '{}',
      ),
      raw(
        'HTTP/1.1 200 OK',
        'content-type: text/event-stream',
        `x-odd: ${value}`,
        'content-length: 14',
        '',
        'data: [DONE]\n\n',
      ),
    );
    expect((await server.call(question)).text).toBe('{}');
    expect((await server.call(question)).status).toBe(400);
    expect((await server.call(question)).text).toBe('data: [DONE]\n\n');
    expect((await server.call(question)).status).toBe(200);
  });

  it('an upstream may send duplicate headers, early hints, trailers and a custom reason phrase', async () => {
    upstream.respondWith(
      raw(
        'HTTP/1.1 103 Early Hints',
        'link: </style.css>',
        '',
        'HTTP/1.1 200 Quite fine, thank you',
        'content-type: application/json',
        'x-ratelimit-remaining: 1',
        'x-ratelimit-remaining: 2',
        'transfer-encoding: chunked',
        'trailer: x-cost',
        '',
        '2',
        '{}',
        '0',
        'x-cost: 7',
        '',
        '',
      ),
    );
    const response = await server.call(question);
    expect([response.status, response.text]).toEqual([200, '{}']);
    expect(response.headers.get('x-ratelimit-remaining')).toBe('1, 2');
    expect(response.headers.get('link')).toBeNull();
  });

  it.each<[string, Script]>([
    [
      'too many headers',
      raw(
        'HTTP/1.1 200 OK',
        ...Array.from({ length: 100 }, (_, index) => `x-${index}: ${'x'.repeat(1_000)}`),
        '',
        '{}',
      ),
    ],
    [
      'less than its content length',
      ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}'),
    ],
    ['204 without a body', raw('HTTP/1.1 204 No Content', '', '')],
    ['a greeting of another protocol', raw('SSH-2.0-OpenSSH_9.6', '', '')],
    ['an invalid content length', raw('HTTP/1.1 200 OK', 'content-length: two', '', '{}')],
    ['two content lengths', raw('HTTP/1.1 200 OK', 'content-length: 2', 'content-length: 3', '', '{}')],
    [
      'a protocol switch',
      raw('HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: upgrade', '', ''),
    ],
  ])(
    'an upstream that sends %s causes a 502 and does not affect the next request',
    async (_title, script) => {
      upstream.respondWith(script);
      const response = await server.call(question);
      expect([response.status, response.body.error.code]).toEqual([502, 502]);
      // A request sent while the upstream closes the connection would fail for another reason.
      await expect.poll(() => upstream.openConnections()).toBe(0);
      expect((await server.call(question)).status).toBe(200);
    },
  );

  it('bytes beyond the content length of an upstream response are cut off', async () => {
    upstream.respondWith(({ socket }) =>
      socket.end(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}{"more":true}',
      ),
    );
    const response = await server.call(question);
    expect([200, 502]).toContain(response.status);
    expect(response.text).not.toContain('more');
    expect((await server.call(question)).status).toBe(200);
  });

  it('an upstream may send an event of several megabytes', async () => {
    const text = `data: {"text":"${'ü'.repeat(1_500_000)}"}\n\ndata: [DONE]\n\n`;
    upstream.respondWith(stream(text));
    const opened = await openStream(server, 'chat-completions', question);
    expect((await opened.end()) === text).toBe(true);
  });

  it('an upstream may mark the end of a body by closing the connection', async () => {
    upstream.respondWith(({ socket }) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"a":1}'),
    );
    expect((await server.call(question)).body).toEqual({ a: 1 });
  });

  it('an upstream may omit the content type', async () => {
    upstream.respondWith(raw('HTTP/1.1 200 OK', 'content-length: 2', '', '{}'));
    const response = await server.call(question);
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([
      200,
      '{}',
      'application/json',
    ]);
  });

  it('an upstream error with status 200 is forwarded unchanged', async () => {
    const sent = {
      error: { code: 502, message: 'Provider returned error' },
      choices: [{ finish_reason: 'error' }],
    };
    upstream.respondWith(json(sent));
    const response = await server.call(question);
    expect([response.status, response.body]).toEqual([200, sent]);
  });

  it("an upstream error that repeats presetd's key does not leak it to the client", async () => {
    upstream.respondWith((exchange) =>
      upstreamError(422, `Odd header: ${exchange.request.headers.authorization}`)(exchange),
    );
    const response = await server.call(question);
    expect([response.status, response.text]).toEqual([422, expect.not.stringContaining('sk-upstream')]);
  });
});

describe('unusual requests', () => {
  let upstreams: [ScriptedUpstream, ScriptedUpstream];
  let server: GatewayServer;
  beforeAll(async () => {
    upstreams = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile({
      upstreams: [
        compatible('first', upstreams[0], { models: ['one/*'] }),
        compatible('second', upstreams[1], { models: ['two/*'] }),
      ],
    });
    await server.capture('weather', { model: 'one/preset', messages: question.messages });
  });
  beforeEach(() => {
    for (const upstream of upstreams) upstream.clear();
  });
  afterAll(async () => {
    await Promise.all(upstreams.map((upstream) => upstream.stop()));
    await server.stop();
  });

  it('a request may begin with a byte order mark, which is removed', async () => {
    const text = '\uFEFF{"model":"one/a","messages":[]}';
    expect((await server.call(text)).status).toBe(200);
    expect(upstreams[0].requests[0]?.bytes.toString()).toBe(text.slice(1));
    const shown = await server.call(text, { headers: { 'x-presetd-dry-run': 'true' } });
    expect(shown.body?.data.body).toEqual({ model: 'one/a', messages: [] });
  });

  it('a request may have long model names without making the response headers too long', async () => {
    upstreams[0].respondAlways(upstreamError(500, 'Oops'));
    const [model, ...models] = ['a', 'b', 'c'].map((letter) => `one/${letter}${'☔'.repeat(1_000)}`);
    const response = await server.call({ ...question, model, models: [...models, 'two/b'] });
    expect([response.status, response.headers.get('x-presetd-upstream')]).toEqual([200, 'second']);
    expect(response.headers.get('x-presetd-fallbacks')).toContain(';500');
  });

  it('a request with an overlong model name gets a short error', async () => {
    const response = await server.call({ ...question, model: 'one/'.repeat(25_000) });
    expect([response.status, response.text.length < 10_000]).toEqual([400, true]);
  });

  it.each([
    [{ preset: 'weather', model: '' }],
    [{ preset: 'weather', model: null }],
    [{ preset: '@preset/weather' }],
    [{ preset: null, model: '@preset/weather' }],
  ])('a request that names its preset as %j uses the model of the preset', async (reference) => {
    const response = await server.call({ messages: question.messages, ...reference });
    expect([response.status, upstreams[0].requests.map((request) => request.body)]).toEqual([
      200,
      [{ model: 'one/preset', messages: question.messages }],
    ]);
  });

  it('a request with a null preset is forwarded without the field', async () => {
    await server.call({ model: 'one/a', preset: null, messages: [] });
    expect(upstreams[0].requests[0]?.body).toEqual({ model: 'one/a', messages: [] });
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('a request with the method %s is rejected', async (method) => {
    const response = await server.send(
      method,
      '/api/v1/chat/completions',
      method === 'GET' ? undefined : question,
    );
    expect([404, 405]).toContain(response.status);
    expect(upstreams[0].requests).toEqual([]);
  });
});
