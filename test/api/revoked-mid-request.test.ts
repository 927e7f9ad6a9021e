import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine, engines } from '../support/engines.ts';
import { makeKey } from '../support/organizations.ts';
import { managementKey, startTestServer, type TestServer } from '../support/server.ts';

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
