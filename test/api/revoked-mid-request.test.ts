import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noPeers } from '../../src/cluster/worker-peers.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { anyEngine, engines } from '../support/engines.ts';
import { makeKey } from '../support/organizations.ts';
import { connectResponses } from '../support/responses-socket.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';

const disable = async (server: TestServer, id: string) => {
  const done = await server.send('PATCH', `/api/v1/keys/${id}`, { disabled: true }, { key: managementKey });
  expect(done.status).toBe(200);
};

describe('a key disabled during a long response', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    // More than the kernel buffers for a client that does not read.
    for (let version = 1; version <= 14; version += 1) {
      const content = `${version} ${'x'.repeat(1_000_000)}`;
      const messages = [{ role: 'system', content }];
      await server.post('/api/v1/presets/long/chat/completions', { model: 'm', messages });
    }
  });
  afterAll(() => server.stop());

  it.each([
    ['an export', '/export', '"type":"end"'],
    ['a list of versions', '/presets/long/versions?limit=100', '"total_count"'],
  ])('a key disabled mid-stream does not get the end of %s', async (_, path, end) => {
    const { id, secret } = await makeKey(server, { kind: 'api' });
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `GET /api/v1${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${secret}\r\n\r\n`,
    );
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
    socket.pause();
    await disable(server, id);
    await delay(200);
    let rest = '';
    for await (const chunk of socket) rest += chunk;
    expect(rest).not.toContain(end);
    // Without the empty last chunk, every HTTP client sees the response as incomplete.
    expect(rest).not.toMatch(/\r\n0\r\n\r\n$/);
  });
});

describe('a key disabled while the supervisor counts its request', () => {
  let upstream: ScriptedUpstream;
  let database: TestDatabase;
  let server: TestServer;
  /** Set while requests of the key are held: called when one is about to be counted. */
  let onCount: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    database = await createMigratedDatabase(anyEngine);
    server = await startServerOn(
      database,
      {
        PRESETD_UPSTREAM_URL: upstream.url,
        OPENROUTER_API_KEY: 'sk-upstream-1',
        PRESETD_RATE_LIMIT: '1000',
      },
      {
        ...noPeers,
        async countRequest() {
          const hold = onCount;
          onCount = undefined;
          await hold?.();
          return { count: 1, resetsInMs: 1_000 };
        },
      },
    );
    await server.post('/api/v1/presets/warm/responses', { model: 'vendor/model' });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
    await upstream.stop();
  });

  const call = { model: '@preset/warm', messages: [{ role: 'user', content: 'Hi' }] };
  const authorization = (key: string) => ({ authorization: `Bearer ${key}` });
  const post = async (key: string, type: string) => {
    const headers = { 'content-type': type };
    return (await server.post('/api/v1/chat/completions', JSON.stringify(call), { key, headers })).status;
  };
  const statusOfUpgrade = (key: string) =>
    connectResponses(server, authorization(key)).then(
      async (client) => {
        await client.close();
        return 101;
      },
      (error: Error) => Number(/\d+$/.exec(error.message)?.[0]),
    );

  it.each<[what: string, send: (key: string) => Promise<number>]>([
    ['a read on the fast path', async (key) => (await server.get('/api/v1/presets/warm', { key })).status],
    ['a read by its route', async (key) => (await server.get('/api/v1/presets/warm/', { key })).status],
    ['an export', async (key) => (await server.get('/api/v1/export', { key })).status],
    ['a call on the fast path', (key) => post(key, 'application/json')],
    ['a call by its route', (key) => post(key, 'application/json; charset=utf-8')],
    ['a WebSocket', statusOfUpgrade],
  ])('a key disabled while its request is counted is rejected for %s', async (_, send) => {
    const { id, secret } = await makeKey(server, { kind: 'api' });
    // So that the key is cached.
    expect([101, 200]).toContain(await send(secret));
    upstream.clear();
    onCount = () => disable(server, id);
    expect([await send(secret), onCount, upstream.requests]).toEqual([401, undefined, []]);
  });

  it.each(['warm', 'warm/'])(
    'a key moved to another workspace while its request is counted does not read /presets/%s of the old one',
    async (path) => {
      const { id, secret } = await makeKey(server, { kind: 'api' });
      expect((await server.get(`/api/v1/presets/${path}`, { key: secret })).status).toBe(200);
      onCount = async () => {
        const options = { key: managementKey };
        const moved = await server.post(
          '/api/v1/workspaces',
          { name: path, slug: `empty-${path.length}` },
          options,
        );
        const body = { workspace_id: moved.body.data.id };
        expect((await server.send('PATCH', `/api/v1/keys/${id}`, body, options)).status).toBe(200);
        // Caches the moved key, which the fast path then finds.
        expect((await server.get('/api/v1/key', { key: secret })).status).toBe(200);
      };
      expect((await server.get(`/api/v1/presets/${path}`, { key: secret })).status).toBe(404);
    },
  );

  it('a key disabled while its request is counted is rejected for a request over a WebSocket', async () => {
    const { id, secret } = await makeKey(server, { kind: 'api' });
    const client = await connectResponses(server, authorization(secret));
    upstream.clear();
    onCount = () => disable(server, id);
    expect(await client.turn({ model: '@preset/warm', input: 'Hi' })).toMatchObject([
      { type: 'error', status: 401 },
    ]);
    expect(upstream.requests).toEqual([]);
    await client.close();
  });
});

describe.each(engines)('a key disabled during an import on %s', (engine) => {
  it('does not import the remaining presets', async () => {
    const server = await startTestServer(engine);
    const { id, secret } = await makeKey(server, { kind: 'api' });
    const count = 1_000;
    for (const model of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      await server.post('/api/v1/presets/template/responses', { model });
    const exported = (await server.get('/api/v1/export')).text.split('\n');
    const template = exported.filter((line) => line.includes('"template"')).join('\n');
    const lines = Array.from({ length: count }, (_, index) =>
      template.replaceAll('"template"', `"imported-${index}"`),
    );
    const imported = server.post('/api/v1/import', lines.join('\n'), {
      key: secret,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await expect
      .poll(async () => (await server.get('/api/v1/presets/imported-0')).status, { interval: 5 })
      .toBe(200);
    await disable(server, id);
    const response = await imported;
    expect([response.status, response.text]).toEqual([401, expect.stringContaining('disabled')]);
    expect((await server.get(`/api/v1/presets/imported-${count - 1}`)).status).toBe(404);
  });
});
