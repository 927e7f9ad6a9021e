import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engines } from '../support/engines.ts';
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

describe.each(engines)('what is too much on %s', (engine) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(engine);
    await server.post('/api/v1/presets/known/responses', {});
  });
  afterAll(() => server.stop());

  it.each(['1e999', '-1e999', 'Infinity', '-Infinity', 'NaN', '1e9', '-1', '1.5'])(
    'is a page that begins or ends at %s',
    async (number) => {
      for (const path of lists) {
        const names = path === '/audit' ? ['limit'] : path === '/keys' ? ['offset'] : ['offset', 'limit'];
        for (const name of names) {
          if (number === '1e9' && name === 'offset') continue;
          const answer = await server.get(`/api/v1${path}?${name}=${number}`);
          expect([path, name, answer.status, answer.body.error?.metadata.issues[0].path]).toEqual([
            path,
            name,
            400,
            `/${name}`,
          ]);
        }
      }
    },
  );

  it('is a body of more than 64 KiB where something is changed, with whatever key', async () => {
    for (const [method, path, body] of changes) {
      for (const key of [apiKey, managementKey]) {
        const long = JSON.stringify({ ...body, filler: 'x'.repeat(65_536) });
        const answer = await server.send(method, `/api/v1${path}`, long, { key });
        expect([method, path, answer.status, answer.body.error.message]).toEqual([
          method,
          path,
          413,
          'The request body is larger than the 65536 bytes that are accepted here. Send less.',
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

  it('is more than one wrong person in an import, each of whom is told', async () => {
    const members = [
      { email: 'good@example.com' },
      { email: 'bad' },
      { email: 'fine@example.com', last_name: 'two\nlines' },
    ];
    const answer = await server.send(
      'POST',
      '/api/v1/organization/members/import',
      { members },
      { key: managementKey },
    );
    expect(answer.status).toBe(400);
    expect(answer.body.error.metadata.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/members/1/email',
      '/members/2/last_name',
    ]);
    expect((await server.get('/api/v1/organization/members/good@example.com')).status).toBe(404);
  });

  it('is a key of the kind read_only that is to write', async () => {
    const body = { name: 'x', kind: 'read_only', read_only: false };
    const answer = await server.send('POST', '/api/v1/keys', body, { key: managementKey });
    expect([answer.status, answer.body.error.metadata.issues[0].path]).toEqual([400, '/read_only']);
  });
});
