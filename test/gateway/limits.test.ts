import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStream, parseEvents } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import type { Script } from '../support/upstream-scripts.ts';
import {
  body,
  flood,
  json,
  recorded,
  stall,
  stallAfter,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];

/** A body without length or chunks, which ends when the connection closes. */
const untilClose =
  (text: string): Script =>
  ({ socket }) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n${text}`);

/** Larger than the socket buffers of any client. */
const endless = flood(Buffer.from(`data: ${'x'.repeat(100_000)}\n\n`), 100_000_000, () => undefined);

describe('limits of a call', () => {
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let server: GatewayServer;
  let file: Readonly<Record<string, unknown>>;
  beforeAll(async () => {
    [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    file = {
      upstreams: [
        compatible('first', first, {
          models: ['one/*', '*/*:free'],
          concurrency_max: 1,
          queue_max: 0,
          dialects: ['chat-completions', 'messages'],
        }),
        compatible('second', second, { models: ['two/*'] }),
        compatible('unset', second, { models: ['unset/*'], api_key_env: 'NOT_SET' }),
        {
          name: 'claude',
          kind: 'anthropic',
          base_url: second.url,
          api_key_env: 'CLAUDE_KEY',
          models: ['anthropic/*'],
          strip_prefix: 'anthropic/',
        },
      ],
    };
    server = await startWithFile(file, { CLAUDE_KEY: 'sk-ant-0123456789' });
  });
  beforeEach(() => {
    first.clear();
    second.clear();
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    await server.stop();
  });

  it.each([
    ['too many models', Array.from({ length: 101 }, (_, index) => `one/${index}`), '/models'],
    ['an overlong model name', ['one/a', '/'.repeat(100_000)], '/models/1'],
    ['a preset in models that are not a list', '@preset/mail', '/models'],
    ['a preset in a nested list', [['@preset/mail']], '/models/0'],
  ])('a call that falls back to %s is rejected', async (_title, models, path) => {
    const { status, body: response } = await server.call({ model: 'one/a', models, messages });
    expect([status, response.error.metadata.issues[0].path]).toEqual([400, path]);
    expect(first.requests).toEqual([]);
  });

  it('a call gets the failure of the last model tried, even if a later one lacks its key', async () => {
    first.respondWith(upstreamError(429, 'Slow down', { 'retry-after': '7' }));
    const { status, headers } = await server.call({ model: 'one/b', models: ['unset/c'], messages });
    expect([status, headers.get('retry-after'), headers.get('x-presetd-fallbacks')]).toEqual([
      429,
      '7',
      'unset%2Fc;no-key',
    ]);
  });

  it('a call ignores the Retry-After of an error that is not retryable', async () => {
    first.respondWith(upstreamError(400, 'No', { 'retry-after': '60' }));
    await server.call({ model: 'one/d', messages });
    const { headers } = await server.call({ model: 'one/d', models: ['two/e'], messages });
    expect([headers.get('x-presetd-upstream'), headers.get('x-presetd-fallbacks')]).toEqual(['first', null]);
  });

  it('a call still counts against concurrency_max after a reload that leaves the upstream unchanged', async () => {
    first.respondWith(stallAfter(recordings['openai-chat'].stream.subarray(0, 500)));
    const opened = await openStream(server, 'chat-completions', { model: 'one/f', messages, stream: true });
    expect((await server.call({ model: 'one/g', messages })).status).toBe(503);
    server.useConfigFile(file, { CLAUDE_KEY: 'sk-ant-0123456789' });
    expect((await server.call({ model: 'one/g', messages })).status).toBe(503);
    opened.abort();
    await expect.poll(async () => (await server.call({ model: 'one/g', messages })).status).toBe(200);
  });

  it('a call gets a generic message for a compressed error response', async () => {
    const packed = gzipSync('{"error":{"message":"secret of the archive"}}');
    first.respondWith(({ response }) =>
      response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(packed),
    );
    const { status, headers, body: response } = await server.call({ model: 'one/h', messages });
    expect([status, headers.get('content-encoding'), response.error.message]).toEqual([
      400,
      null,
      expect.stringContaining('returned 400'),
    ]);
  });

  it('a call keeps the status of an overlong error response', async () => {
    first.respondWith(body(400, 'text/plain', 'x'.repeat(2_000_000)));
    const { status, headers } = await server.call({ model: 'one/i', models: ['two/j'], messages });
    expect([status, headers.get('x-presetd-fallbacks')]).toEqual([400, null]);
  });

  it('a call never gets a truncated body whose end is only marked by the closed connection', async () => {
    first.respondWith(
      untilClose('{"id":"x","choices":[{"message":{"content":"half"}'),
      untilClose('{"id":"x"}'),
    );
    expect((await server.call({ model: 'one/k', messages })).status).toBe(502);
    expect((await server.call({ model: 'one/k', messages })).text).toBe('{"id":"x"}');
  });

  it('a call for several choices gets an error event unless the stream ends with [DONE]', async () => {
    const chunk = (index: number, finish: string | null) =>
      `data: ${JSON.stringify({ id: 'c', choices: [{ index, delta: { content: 'a' }, finish_reason: finish }] })}\n\n`;
    const chunks = [chunk(1, null), ...Array.from({ length: 9 }, () => chunk(0, null)), chunk(0, 'stop')];
    first.respondWith(stream(chunks.join('')));
    const { text } = await server.call({ model: 'one/l', n: 2, stream: true, messages });
    expect(parseEvents(text).events.at(-1)?.data).toContain('"finish_reason":"error"');
  });

  it("a call sends the client's anthropic-version, or a default", async () => {
    const request = { model: 'one/m', max_tokens: 5, messages };
    await server.call(request, { dialect: 'messages', headers: { 'anthropic-version': '2031-01-01' } });
    await server.call(request, { dialect: 'messages', headers: { 'anthropic-beta': 'new-things' } });
    expect(first.requests.map(({ headers }) => headers)).toEqual([
      expect.objectContaining({ 'anthropic-version': '2031-01-01' }),
      expect.objectContaining({ 'anthropic-version': '2023-06-01', 'anthropic-beta': 'new-things' }),
    ]);
  });

  it("a call strips the prefix in Anthropic's own fallbacks", async () => {
    second.respondWith(json({ type: 'message' }));
    const fallbacks = [{ model: 'anthropic/b' }, 'odd'];
    await server.call({ model: 'anthropic/a', max_tokens: 5, messages, fallbacks }, { dialect: 'messages' });
    expect(second.requests[0]?.body).toMatchObject({ model: 'a', fallbacks: [{ model: 'b' }, 'odd'] });
  });

  it('a call drops a web search tool that only OpenRouter supports', async () => {
    const tools = [{ type: 'web_search' }, { type: 'function', function: { name: 'f' } }];
    const { headers } = await server.call({ model: 'one/n', messages, tools });
    expect([headers.get('x-presetd-dropped-fields'), first.requests[0]?.body.tools]).toEqual([
      'tools.web_search',
      [tools[1]],
    ]);
  });

  it('a call ends if the client does not read the end of a broken-off stream', async () => {
    server.useConfigFile({
      upstreams: [compatible('first', first, { timeouts: { total_ms: 300, idle_ms: 400 } })],
    });
    first.respondWith(endless);
    const socket = send('one/o').pause();
    const isLogged = () => server.log.some((line) => /"status":504.*"upstream":"first"/.test(line));
    await expect.poll(isLogged).toBe(true);
    socket.destroy();
  });

  it('a call that is pipelined behind another is sent when that has ended', async () => {
    server.useConfigFile({ upstreams: [compatible('first', first)] });
    first.respondWith(stall);
    const socket = send('one/p', 'one/q').resume();
    const exchange = await first.nextExchange();
    // By the time of this response, the server has read both calls.
    expect((await server.get('/healthz')).status).toBe(200);
    expect(first.requests.map(({ body }) => body.model)).toEqual(['one/p']);
    recorded(recordings['openai-chat'])(exchange);
    await expect.poll(() => first.requests.map(({ body }) => body.model)).toEqual(['one/p', 'one/q']);
    socket.destroy();
  });

  /** Sends calls over one connection without waiting for responses. */
  function send(...models: readonly string[]): Socket {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    for (const model of models) {
      const text = JSON.stringify({ model, messages, stream: true });
      socket.write(
        `POST /api/v1/chat/completions HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${apiKey}\r\n` +
          `content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
      );
    }
    return socket;
  }

  it.each(['@Preset/mail', '@presets/mail', 'one/a@preset', '@preset'])(
    'a call with an almost correct preset reference gets a hint: %s',
    async (model) => {
      const { status, text } = await server.call({ model, messages });
      expect([status, text]).toEqual([404, expect.stringContaining('@preset/slug')]);
      expect(first.requests).toEqual([]);
    },
  );
});
