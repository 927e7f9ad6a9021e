import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
import { type Answer, apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

// The framework says here when the handler of a route begins; what it does not say was answered before it.
const handlerStarts = channel('tracing:fastify.request.handler:start');
let routed = 0;
const count = () => {
  routed += 1;
};

/** Repeats a read that reaches its route: a preset in memory is fresh for a second, and a busy machine may take longer. */
async function onFastPath<Result>(read: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; attempt <= 50; attempt += 1) {
    routed = 0;
    const result = await read();
    if (routed === 0) return result;
  }
  throw new Error('none of 50 reads took the fast path');
}

describe.each(engines)('a preset that is in memory on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
    await server.post('/api/v1/presets/warm/chat/completions', {
      model: 'm',
      messages: [{ role: 'system', content: 'Grüße, 世界' }],
    });
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

  it.each([apiKey, managementKey])('is answered before the framework just as by its route', async (key) => {
    await server.get('/api/v1/presets/warm', { key });
    const ready = await onFastPath(() => server.get('/api/v1/presets/warm', { key }));
    const byRoute = await server.get('/api/v1/presets/warm/', { key });
    expect(routed).toBe(1);
    expect(ready.status).toBe(200);
    expect(seen(ready)).toEqual(seen(byRoute));
    expect(ready.body.data.designated_version.system_prompt).toBe('Grüße, 世界');
  });

  it('is logged like any other, under the id that the caller gave', async () => {
    const lineOf = async (path: string) => {
      const headers = { 'x-request-id': `id-${path.length}` };
      const answer = await server.get(path, { key: apiKey, headers });
      expect(answer.headers.get('x-request-id')).toBe(headers['x-request-id']);
      await expect.poll(() => server.log.at(-1)).toContain(headers['x-request-id']);
      const { time: _time, ms, ...line } = JSON.parse(server.log.at(-1) ?? '');
      expect(ms).toBeGreaterThanOrEqual(0);
      return { ...line, reqId: undefined };
    };
    const ready = await onFastPath(() => lineOf('/api/v1/presets/warm'));
    expect(ready).toMatchObject({ method: 'GET', route: '/api/v1/presets/:slug', status: 200 });
    expect(await lineOf('/api/v1/presets/warm/')).toEqual(ready);
    expect(routed).toBe(1);
  });

  it.each([
    ['a query', '/api/v1/presets/warm?workspace_id=x', {}, 400],
    ['a condition', '/api/v1/presets/warm', { headers: { 'if-none-match': '*' } }, 304],
    ['an escaped slug', '/api/v1/presets/w%61rm', {}, 200],
    ['an unknown slug', '/api/v1/presets/cold', {}, 404],
    ['a slug that is none', '/api/v1/presets/a b', {}, 400],
    ['no key', '/api/v1/presets/warm', { key: null }, 401],
    ['an unknown key', '/api/v1/presets/warm', { key: 'sk-pst-v1-unknown' }, 401],
    ['what lies below it', '/api/v1/presets/warm/versions', {}, 200],
  ])('leaves %s to its route', async (_, path, options, status) => {
    const answer = await server.get(path, { key: apiKey, ...options });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });

  it('is answered as it is now once it has changed', async () => {
    const before = await server.get('/api/v1/presets/warm', { key: apiKey });
    const change = await server.send('PATCH', '/api/v1/presets/warm', { name: 'Changed' });
    const after = await server.get('/api/v1/presets/warm', { key: apiKey });
    expect(after.text).toBe(change.text);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });

  it('closes its connection when the server was told to stop while an earlier answer was under way', async () => {
    const stopping = await startTestServer(engine);
    // More than the two ends of a connection hold for a reader who does not read.
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
    const answers = await text(socket);
    const [, last = ''] = answers.split('HTTP/1.1 200 OK\r\n').slice(1);
    expect(last).toContain('"slug":"warm"');
    expect(last).toMatch(/^connection: close\r$/im);
    await stopped;
  });
});

it('is counted by the rate limit, where there is one', async () => {
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

/** All that a client can see, but for the times and ids that differ by nature. */
function seen({ status, headers, text: body }: Answer) {
  const { date: _date, 'x-request-id': id, ...rest } = Object.fromEntries(headers);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  return { status, rest, body };
}
