import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { type NamedRequest, sampleRows, unknownNames } from '../support/sample-requests.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

/** A request of every operation on presets. Each finds what it needs; the last restore it. */
const all = sampleRows
  .filter(({ operation, access }, index) => {
    const isFirst = sampleRows.findIndex((row) => row.operation === operation) === index;
    return isFirst && ['read', 'write', 'release'].includes(access);
  })
  .map(({ request }) => request({ ...unknownNames(), slug: 'known', alias: 'known-alias' }))
  .toSorted((one, other) => turnOf(one) - turnOf(other));

/** Reads, then removals, of the preset last, then the restore, then everything else. */
function turnOf({ method, path, body }: NamedRequest): number {
  if (method === 'DELETE') return 1 / path.length;
  if (method === 'GET') return 0;
  return body === undefined ? 1 : 2;
}

const reads = all.flatMap(({ method, path }) => (method === 'GET' ? [path] : []));

describe('access to presets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    for (const model of ['one', 'two']) await server.post('/api/v1/presets/known/responses', { model });
    await server.send('PUT', '/api/v1/presets/known/aliases/known-alias');
    await server.send('PUT', '/api/v1/presets/known/labels/production', { version: 1 });
    await server.send('PUT', '/api/v1/presets/known/cases/confidential', {});
    await server.send('PUT', '/api/v1/presets/known/draft', { text: '', dialect: null, base_version: 1 });
  });
  afterAll(() => server.stop());

  const send = (method: string, path: string, body: unknown, key: string | null = apiKey) =>
    server.send(method, `/api/v1${path}`, body, {
      key,
      ...(path.startsWith('/import') && { headers: { 'content-type': 'application/x-ndjson' } }),
    });
  const inWorkspace = (path: string, id: string) =>
    `${path}${path.includes('?') ? '&' : '?'}workspace_id=${id}`;
  it('an API key and a management key can do everything in their workspace', async () => {
    const { workspace_id: id } = (await server.get('/api/v1/presets/known')).body.data;
    const forms = [
      (path: string) => path,
      ...[id, id.toUpperCase()].map((each) => (path: string) => inWorkspace(path, each)),
    ];
    for (const key of [apiKey, managementKey]) {
      for (const form of forms) {
        for (const { method, path, body } of all) {
          const response = await send(method, form(path), body, key);
          expect([method, form(path), response.status]).toEqual([method, form(path), 200]);
        }
      }
    }
  });

  it.each([
    ['an unknown workspace', newId()],
    ['an unknown workspace with an id in capitals', newId().toUpperCase()],
  ])('%s is 404 for every operation', async (_, id) => {
    for (const key of [apiKey, managementKey]) {
      for (const { method, path, body } of all) {
        const response = await send(method, inWorkspace(path, id), body, key);
        expect([method, path, response.status, response.body.error?.code]).toEqual([method, path, 404, 404]);
      }
    }
  });

  it('the workspace of another organization is 404 for every operation', async () => {
    const [organizationId, workspaceId] = [newId(), newId()];
    await server.database.transaction(
      `INSERT INTO organizations (id, name, default_workspace_id, created_at) VALUES ('${organizationId}', 'x', '${workspaceId}', '2026-01-01T00:00:00.000Z')`,
      `INSERT INTO workspaces (id, organization_id, slug, name, created_at) VALUES ('${workspaceId}', '${organizationId}', 'x', 'x', '2026-01-01T00:00:00.000Z')`,
    );
    for (const { method, path, body } of all) {
      const response = await send(method, inWorkspace(path, workspaceId), body, managementKey);
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
  });

  it.each(['none', `urn:uuid:${newId()}`, `{${newId()}}`, newId().replaceAll('-', ''), `${newId()}%00`])(
    'rejects the workspace_id %s',
    async (id) => {
      for (const { method, path, body } of all) {
        const response = await send(method, inWorkspace(path, id), body, managementKey);
        expect([method, path, response.status]).toEqual([method, path, 400]);
      }
    },
  );

  it('every operation rejects an invalid slug', async () => {
    for (const slug of ['two%20words', 'a'.repeat(129), '%C3%A4', '%00', 'a%2Fb']) {
      for (const { method, path, body } of all.filter((each) => each.path.includes('known'))) {
        if (path.includes('?')) continue;
        const response = await send(method, path.replace('known', slug), body);
        expect([method, path, slug, response.status]).toEqual([method, path, slug, 400]);
      }
    }
  });

  it('a slug that looks like a database error is an ordinary slug', async () => {
    const slug = 'connection-timeout';
    expect((await send('PATCH', `/presets/${slug}`, { name: 'x' })).status).toBe(404);
    expect((await send('POST', `/presets/${slug}/responses`, {})).status).toBe(200);
    await send('DELETE', `/presets/${slug}`, undefined);
    expect((await send('PATCH', `/presets/${slug}`, { name: 'x' })).status).toBe(409);
    expect((await send('PUT', `/presets/${slug}/labels/a`, { version: 1 })).status).toBe(409);
  });

  it('HEAD returns the headers of GET without the body', async () => {
    for (const path of reads) {
      const got = await server.get(`/api/v1${path}`);
      const head = await fetch(`${server.url}/api/v1${path}`, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${managementKey}` },
      });
      expect([path, head.status, await head.text()]).toEqual([path, 200, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control'])
        expect([path, name, head.headers.get(name)]).toEqual([path, name, got.headers.get(name)]);
    }
    const etag = (await server.get('/api/v1/presets/known')).headers.get('etag') ?? '';
    const known = await fetch(`${server.url}/api/v1/presets/known`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${managementKey}`, 'if-none-match': etag },
    });
    expect([known.status, known.headers.get('etag')]).toEqual([304, etag]);
    const absent = await fetch(`${server.url}/api/v1/presets/absent`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${managementKey}` },
    });
    expect(absent.status).toBe(404);
  });

  it.each([
    ['DELETE', '/presets/bodiless', ''],
    ['DELETE', '/presets/bodiless', 'content-length: 0\r\n'],
    ['DELETE', '/presets/bodiless', 'content-type: application/json\r\n'],
    ['DELETE', '/presets/bodiless', 'content-type: application/json\r\ncontent-length: 0\r\n'],
    ['DELETE', '/presets/bodiless', 'content-type: application/json\r\ntransfer-encoding: chunked\r\n'],
    ['DELETE', '/presets/bodiless/labels/a', 'content-type: application/json\r\ncontent-length: 0\r\n'],
    ['PUT', '/presets/bodiless/aliases/a', ''],
    ['PUT', '/presets/bodiless/aliases/a', 'content-length: 0\r\n'],
    ['PUT', '/presets/bodiless/aliases/a', 'content-type: application/json\r\ncontent-length: 0\r\n'],
    ['POST', '/presets/bodiless/restore', 'content-length: 0\r\n'],
    ['POST', '/presets/bodiless/restore', 'content-type: application/json\r\ncontent-length: 0\r\n'],
    [
      'POST',
      '/presets/bodiless/restore',
      'content-type: application/json; charset=utf-8\r\ncontent-length: 0\r\n',
    ],
    [
      'POST',
      '/presets/bodiless/restore',
      'content-type: application/x-www-form-urlencoded\r\ncontent-length: 0\r\n',
    ],
    ['DELETE', '/presets/bodiless', 'content-type: text/plain\r\ncontent-length: 0\r\n'],
    ['DELETE', '/presets/bodiless', 'content-type: text/plain\r\n'],
    ['GET', '/presets/bodiless', 'content-type: text/plain\r\n'],
  ])('%s %s needs no body, regardless of the headers: %j', async (method, path, headers) => {
    await send('POST', '/presets/bodiless/restore', undefined);
    await send('POST', '/presets/bodiless/responses', {});
    await send('PUT', '/presets/bodiless/labels/a', { version: 1 });
    const end = headers.includes('chunked') ? '0\r\n\r\n' : '';
    const response = await raw(
      `${method} /api/v1${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${apiKey}\r\n${headers}\r\n${end}`,
    );
    expect(response).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('an unneeded body must still be JSON, and is ignored', async () => {
    await send('POST', '/presets/bodily/responses', {});
    const bodies: [string, number][] = [
      ['{"status":"disabled"}', 200],
      ['{', 400],
    ];
    for (const [body, status] of bodies)
      expect([body, (await send('DELETE', '/presets/bodily', body)).status]).toEqual([body, status]);
    const text = { headers: { 'content-type': 'text/plain' } };
    expect((await server.send('POST', '/api/v1/presets/bodily/restore', 'x', text)).status).toBe(415);
  });

  it('rejects an edit without a JSON object as its body', async () => {
    for (const body of ['', ' ', 'null', '[]', '"x"', '1'])
      expect([body, (await send('PATCH', '/presets/known', body)).status]).toEqual([body, 400]);
    expect((await send('PUT', '/presets/known/labels/a', '')).status).toBe(400);
  });

  async function raw(request: string): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(request);
    let text = '';
    for await (const chunk of socket) text += chunk;
    return text;
  }
});
