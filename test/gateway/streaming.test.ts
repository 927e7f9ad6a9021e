import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/preset.ts';
import { openStream } from '../support/event-stream.ts';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import {
  body as answer,
  beginStream,
  compressed,
  flood,
  stall,
  stream,
  trickle,
} from '../support/upstream-scripts.ts';
import { dialects, pathOf, recordingOf, recordings } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

describe('a stream', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  const streamed: readonly (readonly [keyof typeof recordings, Dialect])[] = [
    ['openai-chat', 'chat-completions'],
    ['openai-chat-tool', 'chat-completions'],
    ['openrouter-chat', 'chat-completions'],
    ['openrouter-chat-tool', 'chat-completions'],
    ['anthropic-messages', 'messages'],
    ['anthropic-messages-tool', 'messages'],
    ['openai-responses', 'responses'],
    ['openai-responses-tool', 'responses'],
  ];

  it.each(streamed)('passes byte for byte, at once or byte by byte: %s', async (name, dialect) => {
    const bytes = recordings[name].stream;
    for (const script of [stream(bytes), trickle(bytes)]) {
      upstream.respondWith(script);
      const opened = await openStream(server, dialect, question);
      expect(opened.status).toBe(200);
      expect(opened.headers.get('content-type')).toMatch(/^text\/event-stream/);
      expect(opened.headers.get('x-presetd-overhead-ms')).toMatch(/^\d+(\.\d+)?$/);
      expect(await opened.end()).toBe(bytes.toString());
    }
  });

  it('passes with the line ends that it has, and events of several lines', async () => {
    const bytes = recordings['openai-chat'].stream;
    for (const text of [
      bytes.toString().replaceAll('\n', '\r\n'),
      `id: 7\nretry: 100\n${bytes}`,
      `: OPENROUTER PROCESSING\r\n\r\n${bytes}`,
    ]) {
      upstream.respondWith(trickle(Buffer.from(text)));
      const opened = await openStream(server, 'chat-completions', question);
      expect(await opened.end()).toBe(text);
    }
  });

  it.each(dialects)('passes as it comes: every event before the next is sent, in %s', async (dialect) => {
    const events = recordingOf[dialect].stream.toString().split(/(?<=\n\n)/);
    upstream.respondWith(stall);
    const opening = openStream(server, dialect, question);
    const { response } = await upstream.nextExchange();
    beginStream(response).write(events[0]);
    const opened = await opening;
    await opened.until(events[0] ?? '');
    for (const event of events.slice(1)) {
      response.write(event);
      await opened.until(event);
    }
    response.end();
    expect(await opened.end()).toBe(events.join(''));
  });

  it('passes its keep-alive comments as they come', async () => {
    upstream.respondWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response } = await upstream.nextExchange();
    beginStream(response).write(': OPENROUTER PROCESSING\n\n');
    const opened = await opening;
    await opened.until(': OPENROUTER PROCESSING\n\n');
    response.end(recordings['openai-chat'].stream);
    await opened.end();
  });

  it.each(dialects)('is cancelled at the upstream when the client hangs up, in %s', async (dialect) => {
    const [first = ''] = recordingOf[dialect].stream.toString().split(/(?<=\n\n)/);
    upstream.respondWith(stall);
    const opening = openStream(server, dialect, question);
    const { response, ended } = await upstream.nextExchange();
    beginStream(response).write(first);
    const opened = await opening;
    await opened.until(first);
    opened.abort();
    // The upstream is silent: nothing but the leaving of the client tells presetd to end this.
    expect(await ended).toBe('disconnected');
  });

  it('is cancelled when the client hangs up before its first byte, streaming or not', async () => {
    for (const wantsStream of [true, false]) {
      upstream.respondWith(stall);
      const socket = send({ ...question, stream: wantsStream });
      const { ended } = await upstream.nextExchange();
      socket.destroy();
      expect(await ended).toBe('disconnected');
    }
  });

  it('is cancelled when the client hangs up in the middle of an answer that is not streamed', async () => {
    upstream.respondWith(stall);
    const socket = send(question);
    const { response, ended } = await upstream.nextExchange();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":');
    socket.destroy();
    expect(await ended).toBe('disconnected');
  });

  it('is paused while the client does not read, and comes whole once it does', async () => {
    const piece = Buffer.from(`data: ${'x'.repeat(65_000)}\n\n`);
    const offered = piece.length * 1_000;
    let written = 0;
    upstream.respondWith(
      flood(piece, offered, (bytes) => {
        written = bytes;
      }),
    );
    const response = await unread({ ...question, stream: true });
    await untilStill(() => written);
    // What the buffers of two connections hold, and far from the 65 MB that wait.
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    const paused = written;

    const expected = createHash('sha256');
    for (let bytes = 0; bytes < offered; bytes += piece.length) expected.update(piece);
    expected.update('data: [DONE]\n\n');
    const received = createHash('sha256');
    for await (const chunk of response) received.update(chunk);
    expect(written).toBeGreaterThan(paused);
    expect(received.digest('hex')).toBe(expected.digest('hex'));
  });

  it('is no reason for another to wait: a client that does not read holds up only itself', async () => {
    const piece = Buffer.from(`data: ${'x'.repeat(65_000)}\n\n`);
    let written = 0;
    upstream.respondWith(
      flood(piece, piece.length * 1_000, (bytes) => {
        written = bytes;
      }),
    );
    const response = await unread({ ...question, stream: true });
    const { ended } = await upstream.nextExchange();
    await untilStill(() => written);
    const opened = await openStream(server, 'chat-completions', question);
    expect(await opened.end()).toBe(recordings['openai-chat'].stream.toString());
    response.destroy();
    expect(await ended).toBe('disconnected');
  });

  it('may be one of many at the same time, none of which gets a byte of another', async () => {
    const bytes = recordings['openai-chat'].stream.toString();
    upstream.respondAlways((exchange) =>
      trickle(Buffer.from(bytes.replaceAll('Regen', `Regen ${exchange.request.body.user}`)))(exchange),
    );
    const texts = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const opened = await openStream(server, 'chat-completions', { ...question, user: `of-${index}` });
        return opened.end();
      }),
    );
    for (const [index, text] of texts.entries())
      expect(text).toBe(bytes.replaceAll('Regen', `Regen of-${index}`));
  });

  it('that was asked for and is answered with JSON passes as JSON', async () => {
    upstream.respondWith(answer(200, 'application/json', recordings['openai-chat'].json));
    const opened = await openStream(server, 'chat-completions', question);
    expect(opened.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await opened.end()).toBe(recordings['openai-chat'].json.toString());
  });

  it('is not needed: answers at once pass byte for byte, small and large', async () => {
    const { json } = recordings['openai-chat'];
    const large = Buffer.from(JSON.stringify({ choices: [], text: 'ü'.repeat(4 * 1024 * 1024) }));
    for (const bytes of [json, large]) {
      upstream.respondWith(answer(200, 'application/json', bytes), ({ response }) => {
        // Without a length, in chunks.
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(bytes.subarray(0, 100));
        response.end(bytes.subarray(100));
      });
      expect((await server.call(question)).text).toBe(bytes.toString());
      expect((await server.call(question)).text).toBe(bytes.toString());
    }
  });

  it.each(dialects)('is asked for as one, and other answers as JSON, in %s', async (dialect) => {
    await server.call({ ...question, stream: true }, { dialect, headers: { accept: 'application/json' } });
    await server.call(question, { dialect, headers: { accept: 'text/event-stream' } });
    await server.call({ ...question, stream: false }, { dialect });
    expect(upstream.requests.map(({ headers }) => headers.accept)).toEqual([
      'text/event-stream',
      'application/json',
      'application/json',
    ]);
  });

  it('is not asked for in a form that would have to be unpacked, and not passed on in one', async () => {
    await server.call(question, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(upstream.requests[0]?.headers['accept-encoding']).toBe('identity');
    upstream.respondWith(compressed(recordings['openai-chat'].json));
    const { status, body } = await server.call(question);
    expect([status, body.error.message]).toEqual([424, expect.stringContaining('compressed')]);
  });

  it('that its client does not take for too long is given up, and cancelled at the upstream', async () => {
    server.useConfigFile({
      upstreams: [
        { name: 'fast', kind: 'openai-compatible', base_url: upstream.url, timeouts: { idle_ms: 300 } },
      ],
    });
    upstream.respondWith(flood(Buffer.from(`data: ${'x'.repeat(65_000)}\n\n`), Infinity, () => undefined));
    const response = await unread({ ...question, stream: true });
    const { ended } = await upstream.nextExchange();
    expect(await ended).toBe('disconnected');
    response.destroy();
  });

  /** The answer to a request, of which nothing is read yet. */
  async function unread(body: object): Promise<IncomingMessage> {
    const asked = request(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    }).end(JSON.stringify(body));
    const [response] = await once(asked, 'response');
    return response;
  }

  /** Sends a request and leaves everything that follows to the test. */
  function send(body: object, dialect: Dialect = 'chat-completions'): Socket {
    const { hostname, port } = new URL(server.url);
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(
      `POST /api/v1${pathOf[dialect]} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${apiKey}\r\n` +
        `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return socket;
  }
});

/** Waits until a number has not changed for so long that what changes it must be waiting for something itself. */
async function untilStill(value: () => number): Promise<void> {
  let [last, looks] = [-1, 0];
  await expect
    .poll(
      () => {
        looks = value() === last && last > 0 ? looks + 1 : 0;
        last = value();
        return looks;
      },
      { interval: 20 },
    )
    .toBeGreaterThanOrEqual(10);
}
