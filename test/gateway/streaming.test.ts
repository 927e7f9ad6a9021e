import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { inSeveralLines, openStream, parseEvents } from '../support/event-stream.ts';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import {
  beginStream,
  compressed,
  flood,
  body as respondWith,
  stall,
  stream,
  trickle,
} from '../support/upstream-scripts.ts';
import { dialects, pathOf, recordingOf, recordings } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

describe('streams', () => {
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

  it.each(streamed)(
    'a stream is forwarded byte for byte, in one piece or byte by byte: %s',
    async (name, dialect) => {
      const bytes = recordings[name].stream;
      for (const script of [stream(bytes), trickle(bytes)]) {
        upstream.respondWith(script);
        const opened = await openStream(server, dialect, question);
        expect(opened.status).toBe(200);
        expect(opened.headers.get('content-type')).toMatch(/^text\/event-stream/);
        expect(opened.headers.get('x-presetd-overhead-ms')).toMatch(/^\d+(\.\d+)?$/);
        expect(await opened.end()).toBe(bytes.toString());
      }
    },
  );

  it('a stream keeps its line endings and events of several lines', async () => {
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

  it.each(dialects)('data of several lines reaches a client of %s in one', async (dialect) => {
    const text = recordingOf[dialect].stream.toString();
    const dataOf = (stream: string) =>
      parseEvents(stream).events.map(({ name, data = '' }) => [
        name,
        data === '[DONE]' ? data : JSON.parse(data),
      ]);
    for (const split of [inSeveralLines(text), inSeveralLines(text).replaceAll('\n', '\r\n')])
      for (const script of [stream(split), trickle(Buffer.from(split))]) {
        upstream.respondWith(script);
        const received = await (await openStream(server, dialect, question)).end();
        expect(dataOf(received)).toEqual(dataOf(text));
        expect(received.match(/^data:/gm)).toHaveLength(dataOf(text).length);
      }
  });

  it.each(dialects)('a stream is forwarded event by event as it arrives, in %s', async (dialect) => {
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

  it('keep-alive comments are forwarded as they arrive', async () => {
    upstream.respondWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response } = await upstream.nextExchange();
    beginStream(response).write(': OPENROUTER PROCESSING\n\n');
    const opened = await opening;
    await opened.until(': OPENROUTER PROCESSING\n\n');
    response.end(recordings['openai-chat'].stream);
    await opened.end();
  });

  it.each(dialects)(
    'a stream is canceled at the upstream when the client disconnects, in %s',
    async (dialect) => {
      const [first = ''] = recordingOf[dialect].stream.toString().split(/(?<=\n\n)/);
      upstream.respondWith(stall);
      const opening = openStream(server, dialect, question);
      const { response, ended } = await upstream.nextExchange();
      beginStream(response).write(first);
      const opened = await opening;
      await opened.until(first);
      opened.abort();
      // The upstream is silent: only the client's disconnect can end this.
      expect(await ended).toBe('disconnected');
    },
  );

  it('a call is canceled when the client disconnects before the first byte, streaming or not', async () => {
    for (const isStream of [true, false]) {
      upstream.respondWith(stall);
      const socket = send({ ...question, stream: isStream });
      const { ended } = await upstream.nextExchange();
      socket.destroy();
      expect(await ended).toBe('disconnected');
    }
  });

  it('a call is canceled when the client disconnects during a response that is not streamed', async () => {
    upstream.respondWith(stall);
    const socket = send(question);
    const { response, ended } = await upstream.nextExchange();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"choices":');
    socket.destroy();
    expect(await ended).toBe('disconnected');
  });

  it('a stream pauses while the client does not read, and is complete once it does', async () => {
    const event = Buffer.from(`data: ${'x'.repeat(65_000)}\n\n`);
    const offered = event.length * 1_000;
    let written = 0;
    upstream.respondWith(
      flood(event, offered, (bytes) => {
        written = bytes;
      }),
    );
    const response = await unread({ ...question, stream: true });
    await untilStill(() => written);
    // The buffers of two connections hold some of it, but far less than the 65 MB on offer.
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(32 * 1024 * 1024);
    const paused = written;

    const expected = createHash('sha256');
    for (let bytes = 0; bytes < offered; bytes += event.length) expected.update(event);
    expected.update('data: [DONE]\n\n');
    const received = createHash('sha256');
    for await (const chunk of response) received.update(chunk);
    expect(written).toBeGreaterThan(paused);
    expect(received.digest('hex')).toBe(expected.digest('hex'));
  });

  it('the stream of a client that does not read does not delay other clients', async () => {
    const event = Buffer.from(`data: ${'x'.repeat(65_000)}\n\n`);
    let written = 0;
    upstream.respondWith(
      flood(event, event.length * 1_000, (bytes) => {
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

  it('a stream never gets a byte of a concurrent stream', async () => {
    const bytes = recordings['openai-chat'].stream.toString();
    upstream.respondAlways((exchange) =>
      trickle(Buffer.from(bytes.replaceAll('Regen', `Regen ${exchange.request.body.user}`)))(exchange),
    );
    const texts = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const opened = await openStream(server, 'chat-completions', { ...question, user: `of-${index}` });
        return opened.end();
      }),
    );
    for (const [index, text] of texts.entries())
      expect(text).toBe(bytes.replaceAll('Regen', `Regen of-${index}`));
  });

  it('JSON that the upstream returns instead of a stream is forwarded as JSON', async () => {
    upstream.respondWith(respondWith(200, 'application/json', recordings['openai-chat'].json));
    const opened = await openStream(server, 'chat-completions', question);
    expect(opened.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await opened.end()).toBe(recordings['openai-chat'].json.toString());
  });

  it('small and large responses without a stream are forwarded byte for byte', async () => {
    const { json } = recordings['openai-chat'];
    const large = Buffer.from(JSON.stringify({ choices: [], text: 'ü'.repeat(4 * 1024 * 1024) }));
    for (const bytes of [json, large]) {
      upstream.respondWith(respondWith(200, 'application/json', bytes), ({ response }) => {
        // Chunked, without a content length.
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(bytes.subarray(0, 100));
        response.end(bytes.subarray(100));
      });
      expect((await server.call(question)).text).toBe(bytes.toString());
      expect((await server.call(question)).text).toBe(bytes.toString());
    }
  });

  it.each(dialects)(
    'the stream field decides the accept header of the upstream request, in %s',
    async (dialect) => {
      await server.call({ ...question, stream: true }, { dialect, headers: { accept: 'application/json' } });
      await server.call(question, { dialect, headers: { accept: 'text/event-stream' } });
      await server.call({ ...question, stream: false }, { dialect });
      expect(upstream.requests.map(({ headers }) => headers.accept)).toEqual([
        'text/event-stream',
        'application/json',
        'application/json',
      ]);
    },
  );

  it('a response is requested without compression, and a compressed one is rejected', async () => {
    await server.call(question, { headers: { 'accept-encoding': 'gzip, br' } });
    expect(upstream.requests[0]?.headers['accept-encoding']).toBe('identity');
    upstream.respondWith(compressed(recordings['openai-chat'].json));
    const { status, body } = await server.call(question);
    expect([status, body.error.message]).toEqual([424, expect.stringContaining('compressed')]);
  });

  it('a stream is canceled at the upstream if its client stops reading for too long', async () => {
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

  /** Sends a request and returns the response without reading its body. */
  async function unread(body: object): Promise<IncomingMessage> {
    const sent = request(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    }).end(JSON.stringify(body));
    const [response] = await once(sent, 'response');
    return response;
  }

  /** Sends a request and leaves the rest to the test. */
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

/** Waits until a number has stopped changing, which means that its writer is blocked. */
async function untilStill(value: () => number): Promise<void> {
  let [last, unchangedPolls] = [-1, 0];
  await expect
    .poll(
      () => {
        unchangedPolls = value() === last && last > 0 ? unchangedPolls + 1 : 0;
        last = value();
        return unchangedPolls;
      },
      { interval: 20 },
    )
    .toBeGreaterThanOrEqual(10);
}
