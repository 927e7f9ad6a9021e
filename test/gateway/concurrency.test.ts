import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStream } from '../support/event-stream.ts';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { respondInDialect, stall, stallAfter, upstreamError } from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];

describe('an upstream with concurrency_max', () => {
  let narrow: ScriptedUpstream;
  let wide: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    [narrow, wide] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile({
      upstreams: [
        compatible('one', narrow, { models: ['one/*'], concurrency_max: 1, queue_max: 1 }),
        compatible('two', narrow, { models: ['two/*'], concurrency_max: 2, queue_max: 100 }),
        compatible('impatient', narrow, {
          models: ['impatient/*'],
          concurrency_max: 1,
          timeouts: { first_byte_ms: 300 },
        }),
        compatible('fair', narrow, {
          models: ['fair/*'],
          concurrency_max: 1,
          timeouts: { first_byte_ms: 10_000 },
        }),
        compatible('wide', wide, { models: ['wide/*'] }),
      ],
    });
  });
  beforeEach(() => {
    narrow.clear();
    wide.clear();
  });
  afterAll(async () => {
    await Promise.all([narrow.stop(), wide.stop()]);
    await server.stop();
  });

  const call = (model: string, rest: object = {}) => server.call({ model, messages, ...rest });

  it('queues one request, rejects the rest with Retry-After, and later serves the queued one', async () => {
    narrow.respondWith(stall);
    const first = call('one/a');
    const firstExchange = await narrow.nextExchange();
    const others = [call('one/b'), call('one/c'), call('one/d')];
    // One of the three is queued, the other two are rejected at once.
    for (const response of await settledFirst(others, 2)) {
      expect([429, 503]).toContain(response.status);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(response.body.error.message).toContain('one');
    }
    expect(narrow.requests).toHaveLength(1);
    respondInDialect(firstExchange);
    expect((await first).status).toBe(200);
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(narrow.requests).toHaveLength(2);
  });

  it('falls back to the next model when its queue is full', async () => {
    narrow.respondWith(stall);
    const first = call('one/a');
    const firstExchange = await narrow.nextExchange();
    const others = [
      call('one/b'),
      call('one/c', { models: ['wide/c'] }),
      call('one/d', { models: ['wide/d'] }),
    ];
    const [response] = await settledFirst(others, 1);
    expect([response?.status, response?.headers.get('x-presetd-upstream')]).toEqual([200, 'wide']);
    expect(response?.headers.get('x-presetd-fallbacks')).toMatch(/^one%2F[cd];busy$/);
    respondInDialect(firstExchange);
    expect((await first).status).toBe(200);
    await Promise.all(others);
  });

  it('never gets more concurrent requests, no matter how they end', async () => {
    let inFlight = 0;
    let inFlightMax = 0;
    const scripts = [respondInDialect, upstreamError(500, 'Oops'), upstreamError(429, 'Slow down')];
    narrow.respondAlways(async (exchange) => {
      inFlight += 1;
      inFlightMax = Math.max(inFlightMax, inFlight);
      exchange.ended.then(() => {
        inFlight -= 1;
      });
      scripts[narrow.requests.length % scripts.length]?.(exchange);
    });
    const responses = await Promise.all(Array.from({ length: 60 }, () => call('two/a')));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(inFlightMax).toBeLessThanOrEqual(2);
    expect(narrow.requests).toHaveLength(60);
  });

  it('keeps a slot occupied until a stream ends', async () => {
    const { stream } = recordings['openai-chat'];
    narrow.respondWith(stallAfter(stream.subarray(0, 500)));
    const opened = await openStream(server, 'chat-completions', { model: 'one/a', messages });
    const { response } = await narrow.nextExchange();
    const waiting = call('one/b');
    // As soon as another request is rejected, this one is in the queue.
    await expect.poll(async () => (await call('one/c')).status).not.toBe(200);
    expect(narrow.requests).toHaveLength(1);
    response.end(stream.subarray(500));
    expect(await opened.end()).toBe(stream.toString());
    expect((await waiting).status).toBe(200);
  });

  it('frees the slot of a client that disconnects, in flight or queued', async () => {
    narrow.respondAlways(stall);
    const aborters = [new AbortController(), new AbortController()];
    const begin = (aborter: AbortController) =>
      fetch(`${server.url}/api/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'one/a', messages }),
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        signal: aborter.signal,
      }).catch(() => undefined);
    const [front, queued] = aborters as [AbortController, AbortController];
    begin(front);
    const firstExchange = await narrow.nextExchange();
    begin(queued);
    await expect.poll(async () => (await call('one/x')).status).not.toBe(200);
    queued.abort();
    front.abort();
    expect(await firstExchange.ended).toBe('disconnected');
    narrow.respondAlways(respondInDialect);
    await expect.poll(async () => (await call('one/b')).status).toBe(200);
    expect((await Promise.all([call('two/c'), call('two/d')])).map(({ status }) => status)).toEqual([
      200, 200,
    ]);
  });

  it('never gives a slot to a client that left the queue, which would block the others', async () => {
    narrow.respondWith(stall);
    const first = call('fair/a');
    const firstExchange = await narrow.nextExchange();
    const body = JSON.stringify({ model: 'fair/left', messages });
    const { hostname, port } = new URL(server.url);
    const leaving = connect(Number(port), hostname).on('error', () => undefined);
    // Over a connection that is already in use, the server reads in the order of writing.
    leaving.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(leaving, 'data');
    const head = `authorization: Bearer ${apiKey}\r\nx-request-id: left-the-queue\r\ncontent-type: application/json`;
    await new Promise((written) =>
      leaving.write(
        `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        written,
      ),
    );
    // As soon as a third request is rejected, the second one is in the queue.
    await expect.poll(async () => (await call('fair/x')).status).toBe(503);
    leaving.destroy();
    await expect.poll(() => server.log.join('')).toContain('left-the-queue');
    respondInDialect(firstExchange);
    expect((await first).status).toBe(200);
    expect((await call('fair/b')).status).toBe(200);
    expect(narrow.requests.map(({ body }) => body.model)).toEqual(['fair/a', 'fair/b']);
  });

  it('returns 503 without sending a request that waited too long in the queue', async () => {
    narrow.respondWith(stallAfter(recordings['openai-chat'].stream.subarray(0, 500)));
    const opened = await openStream(server, 'chat-completions', { model: 'impatient/a', messages });
    expect((await call('impatient/b')).status).toBe(503);
    expect(narrow.requests).toHaveLength(1);
    opened.abort();
  });
});

/** The first results, in the order in which they arrive. */
function settledFirst<T>(promises: readonly Promise<T>[], count: number): Promise<readonly T[]> {
  const settled: T[] = [];
  return new Promise((resolve, reject) => {
    for (const promise of promises)
      promise.then((value) => {
        settled.push(value);
        if (settled.length === count) resolve([...settled]);
      }, reject);
  });
}

describe('calls queued for an upstream', () => {
  it('queued calls do not count against PRESETD_REQUESTS_IN_FLIGHT', async () => {
    const [upstream] = (await startUpstreams(1)) as [ScriptedUpstream];
    const server = await startWithFile(
      { upstreams: [compatible('slow', upstream, {})] },
      { PRESETD_RATE_LIMIT: '1000', PRESETD_REQUESTS_IN_FLIGHT: '2' },
    );
    upstream.respondWith(stall, stall, stall);
    const calls = Array.from({ length: 3 }, () => server.call({ model: 'a/b', messages }));
    const exchanges = [
      await upstream.nextExchange(),
      await upstream.nextExchange(),
      await upstream.nextExchange(),
    ];
    const other = await fetch(`${server.url}/api/v1/presets`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(other.status).toBe(200);
    for (const exchange of exchanges) respondInDialect(exchange);
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await server.stop();
    await upstream.stop();
  });
});
