import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import {
  apiKey,
  managementKey,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../support/server.ts';

// Fastify publishes here when a route handler starts; the fast path bypasses it.
const handlerStarts = channel('tracing:fastify.request.handler:start');
let routed = 0;
const count = () => {
  routed += 1;
};

/**
 * Retries a read that reaches its route: cached presets are fresh for a second, and a busy machine
 * may take longer.
 */
async function onFastPath<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= 50; attempt += 1) {
    routed = 0;
    const result = await read();
    if (routed === 0) return result;
  }
  throw new Error('none of 50 reads took the fast path');
}

describe('the fast path for presets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    await server.post('/api/v1/presets/warm/chat/completions', {
      model: 'm',
      messages: [{ role: 'system', content: 'Grüße, 世界' }],
    });
    await server.send('PUT', '/api/v1/presets/warm/aliases/warm-alias');
    await server.get('/api/v1/presets/warm', { key: apiKey });
    handlerStarts.subscribe(count);
  });
  afterAll(async () => {
    handlerStarts.unsubscribe(count);
    await server.stop();
  });
  beforeEach(() => {
    routed = 0;
  });

  it('the fast path serves a preset by an alias like by its slug', async () => {
    const byAlias = await onFastPath(() => server.get('/api/v1/presets/warm-alias', { key: apiKey }));
    const bySlug = await server.get('/api/v1/presets/warm', { key: apiKey });
    expect(byAlias.status).toBe(200);
    expect(visibleParts(byAlias)).toEqual(visibleParts(bySlug));
  });

  it.each([apiKey, managementKey])('the fast path returns the same response as the route', async (key) => {
    await server.get('/api/v1/presets/warm', { key });
    const fast = await onFastPath(() => server.get('/api/v1/presets/warm', { key }));
    const byRoute = await server.get('/api/v1/presets/warm/', { key });
    expect(routed).toBe(1);
    expect(fast.status).toBe(200);
    expect(visibleParts(fast)).toEqual(visibleParts(byRoute));
    expect(fast.body.data.designated_version.system_prompt).toBe('Grüße, 世界');
  });

  it('the fast path logs the same line as the route, with the request id of the caller', async () => {
    const lineOf = async (path: string) => {
      const headers = { 'x-request-id': `id-${path.length}` };
      const response = await server.get(path, { key: apiKey, headers });
      expect(response.headers.get('x-request-id')).toBe(headers['x-request-id']);
      await expect.poll(() => server.log.at(-1)).toContain(headers['x-request-id']);
      const { time: _time, ms, ...line } = JSON.parse(server.log.at(-1) ?? '');
      expect(ms).toBeGreaterThanOrEqual(0);
      return { ...line, reqId: undefined };
    };
    const fast = await onFastPath(() => lineOf('/api/v1/presets/warm'));
    expect(fast).toMatchObject({ method: 'GET', route: '/api/v1/presets/:slug', status: 200 });
    expect(await lineOf('/api/v1/presets/warm/')).toEqual(fast);
    expect(routed).toBe(1);
  });

  it.each([
    ['a query', '/api/v1/presets/warm?workspace_id=x', {}, 400],
    ['a precondition', '/api/v1/presets/warm', { headers: { 'if-none-match': '*' } }, 304],
    ['an escaped slug', '/api/v1/presets/w%61rm', {}, 200],
    ['an unknown slug', '/api/v1/presets/cold', {}, 404],
    ['an invalid slug', '/api/v1/presets/a b', {}, 400],
    ['no key', '/api/v1/presets/warm', { key: null }, 401],
    ['an unknown key', '/api/v1/presets/warm', { key: 'sk-pst-v1-unknown' }, 401],
    ['a subresource', '/api/v1/presets/warm/versions', {}, 200],
  ])('a read with %s falls back to the route', async (_, path, options, status) => {
    const response = await server.get(path, { key: apiKey, ...options });
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).not.toBeNull();
  });

  it('the fast path serves a changed preset immediately', async () => {
    const before = await server.get('/api/v1/presets/warm', { key: apiKey });
    const change = await server.send('PATCH', '/api/v1/presets/warm', { name: 'Changed' });
    const after = await server.get('/api/v1/presets/warm', { key: apiKey });
    expect(after.text).toBe(change.text);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('during shutdown, the fast path closes a connection with an earlier response in flight', async () => {
    const stopping = await startTestServer(anyEngine);
    // More than both kernels buffer for a client that does not read.
    for (let version = 0; version < 20; version += 1) {
      await stopping.post('/api/v1/presets/long/responses', { instructions: 'x'.repeat(1_000_000) });
    }
    await stopping.post('/api/v1/presets/warm/responses', {});
    const head = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
    const socket = connect(Number(new URL(stopping.url).port), '127.0.0.1');
    socket.write(head('/api/v1/export'));
    await once(socket, 'readable');
    await stopping.get('/api/v1/presets/warm', { key: apiKey });
    const stopped = stopping.stop();
    await expect.poll(() => fetch(stopping.url).then(Boolean, () => false)).toBe(false);
    socket.write(head('/api/v1/presets/warm'));
    const responses = await text(socket);
    const [, last = ''] = responses.split('HTTP/1.1 200 OK\r\n').slice(1);
    expect(last).toContain('"slug":"warm"');
    expect(last).toMatch(/^connection: close\r$/im);
    await stopped;
  });
});

it('the fast path for presets counts toward the rate limit', async () => {
  const server = await startTestServer('sqlite', { PRESETD_RATE_LIMIT: '3' });
  try {
    await server.post('/api/v1/presets/warm/responses', {});
    const statuses: number[] = [];
    for (let call = 0; call < 4; call += 1) {
      statuses.push((await server.get('/api/v1/presets/warm', { key: apiKey })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
  } finally {
    await server.stop();
  }
});

/** Everything a client sees of a response, without the date and the request id. */
function visibleParts({ status, headers, text: body }: TestResponse) {
  const { date: _date, 'x-request-id': id, ...rest } = Object.fromEntries(headers);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  return { status, rest, body };
}
