import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

const lists = [
  '/presets',
  '/presets/known/versions',
  '/presets/known/events',
  '/keys',
  '/workspaces',
  '/workspaces/default/members',
  '/organization/members',
  '/audit',
];

const changes: readonly [string, string, object][] = [
  ['PATCH', '/presets/known', { name: 'x' }],
  ['PUT', '/presets/known/labels/a', { version: 1 }],
  ['POST', '/keys', { name: 'x' }],
  ['PATCH', '/keys/none', { name: 'x' }],
  ['POST', '/keys/none/rotate', {}],
  ['POST', '/workspaces', { name: 'x', slug: 'x' }],
  ['PATCH', '/workspaces/default', { name: 'x' }],
  ['POST', '/workspaces/default/members/add', { user_ids: ['x'] }],
  ['POST', '/workspaces/default/members/remove', { user_ids: ['x'] }],
  ['POST', '/organization/members', { email: 'x@example.com' }],
  ['PATCH', '/organization/members/none', { first_name: 'x' }],
];

describe('bounds of requests', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    await server.post('/api/v1/presets/known/responses', {});
  });
  afterAll(() => server.stop());

  it.each(['1e999', '-1e999', 'Infinity', '-Infinity', 'NaN', '1e9', '-1', '1.5'])(
    'rejects the offset or limit %s in every list',
    async (number) => {
      for (const path of lists) {
        const names = path === '/audit' ? ['limit'] : path === '/keys' ? ['offset'] : ['offset', 'limit'];
        for (const name of names) {
          if (number === '1e9' && name === 'offset') continue;
          const response = await server.get(`/api/v1${path}?${name}=${number}`);
          expect([path, name, response.status, response.body.error?.metadata.issues[0].path]).toEqual([
            path,
            name,
            400,
            `/${name}`,
          ]);
        }
      }
    },
  );

  it('rejects bodies over 64 KiB on changes, regardless of the key, and over 1 MiB on member imports', async () => {
    for (const [method, path, body] of changes) {
      for (const key of [apiKey, managementKey]) {
        const long = JSON.stringify({ ...body, filler: 'x'.repeat(65_536) });
        const response = await server.send(method, `/api/v1${path}`, long, { key });
        expect([method, path, response.status, response.body.error.message]).toEqual([
          method,
          path,
          413,
          'The request body exceeds the limit of 65536 bytes. Send a smaller one.',
        ]);
      }
    }
    const members = Array.from({ length: 500 }, (_, index) => ({
      email: `${'long'.repeat(55)}.${index}@example.com`,
      first_name: 'ä'.repeat(200),
      last_name: 'ö'.repeat(200),
    }));
    const path = '/api/v1/organization/members/import';
    expect((await server.send('POST', path, { members }, { key: managementKey })).body.added_count).toBe(500);
    const filler = 'x'.repeat(1_048_576);
    expect((await server.send('POST', path, { members, filler }, { key: managementKey })).status).toBe(413);
  });

  it('reports every invalid person of a member import, and adds nobody', async () => {
    const members = [
      { email: 'good@example.com' },
      { email: 'bad' },
      { email: 'fine@example.com', last_name: 'two\nlines' },
    ];
    const response = await server.send(
      'POST',
      '/api/v1/organization/members/import',
      { members },
      { key: managementKey },
    );
    expect(response.status).toBe(400);
    expect(response.body.error.metadata.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/members/1/email',
      '/members/2/last_name',
    ]);
    expect((await server.get('/api/v1/organization/members/good@example.com')).status).toBe(404);
  });

  it('rejects a key of kind read_only with read_only: false', async () => {
    const body = { name: 'x', kind: 'read_only', read_only: false };
    const response = await server.send('POST', '/api/v1/keys', body, { key: managementKey });
    expect([response.status, response.body.error.metadata.issues[0].path]).toEqual([400, '/read_only']);
  });
});
