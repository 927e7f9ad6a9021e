import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine, engines } from '../support/engines.ts';
import { addMember, newMember, removeMemberFrom } from '../support/members.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';
import { addKey, withStorage } from '../support/storage-access.ts';

const create = '/api/v1/presets/p/chat/completions';
const members = '/api/v1/organization/members';
const chat = { messages: [{ role: 'user', content: 'Hi' }] };

describe('errors', () => {
  let server: TestServer;
  let userId: string;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, { PRESETD_BODY_LIMIT: '2MiB' });
    userId = (await server.get(members)).body.data[0].id;
  });
  afterAll(() => server.stop());

  it.each([
    [
      'no header',
      null,
      {},
      'Missing API key. Send it as "Authorization: Bearer <key>" or "x-api-key: <key>".',
    ],
    ['an unsupported scheme', null, { authorization: 'Basic abc' }, 'Malformed Authorization header.'],
    ['a scheme without a key', null, { authorization: 'Bearer ' }, 'Malformed Authorization header.'],
    ['an unknown key', 'sk-pst-v1-unknown', {}, 'Unknown API key.'],
  ])('401 for %s', async (_, key, headers, message) => {
    for (const response of [
      await server.post(create, chat, { key, headers }),
      await server.get(members, { key, headers }),
    ]) {
      expect(response.status).toBe(401);
      expect(response.body).toEqual({ error: { code: 401, message: expect.stringContaining(message) } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('401 for a disabled key and for an expired key', async () => {
    const disabled = await addKey(server.database, { disabled: true });
    const expired = await addKey(server.database, { expiresAt: '2020-01-01T00:00:00.000Z' });
    const valid = await addKey(server.database, { expiresAt: '2999-01-01T00:00:00.000Z' });
    expect((await server.post(create, chat, { key: disabled })).body.error).toMatchObject({
      code: 401,
      message: expect.stringContaining('is disabled'),
    });
    expect((await server.post(create, chat, { key: expired })).body.error).toMatchObject({
      code: 401,
      message: expect.stringContaining('expired at 2020-01-01T00:00:00.000Z'),
    });
    expect((await server.post(create, chat, { key: valid })).status).toBe(200);
  });

  it('401 for an API key on the member list', async () => {
    const { status, body } = await server.get(members, { key: apiKey });
    expect(status).toBe(401);
    expect(body).toEqual({
      error: { code: 401, message: 'Listing members requires a management key; this is an API key.' },
      user_id: userId,
    });
  });

  it('403 for a read-only management key that writes, 200 when it reads', async () => {
    const key = await addKey(server.database, { readOnly: true });
    const { status, body } = await server.post(create, chat, { key });
    expect(status).toBe(403);
    expect(body).toEqual({
      error: { code: 403, message: expect.stringContaining('is read-only') },
      user_id: userId,
    });
    expect((await server.get(members, { key })).status).toBe(200);
  });

  it('403 for a key whose owner has left the organization', async () => {
    const leaver = newMember();
    await withStorage(server.database, ({ storage, organization }) =>
      addMember(storage, organization.id, leaver),
    );
    const key = await addKey(server.database, { ownerId: leaver.id });
    await withStorage(server.database, ({ storage, organization }) =>
      removeMemberFrom(storage, organization.id, leaver.id),
    );
    for (const response of [await server.post(create, chat, { key }), await server.get(members, { key })]) {
      expect(response.status).toBe(403);
      expect(response.body.error.message).toContain('no longer a member');
    }
  });

  it('404 for a personal management key, on members and on captures', async () => {
    const key = await addKey(server.database, { organizationId: null });
    for (const response of [await server.post(create, chat, { key }), await server.get(members, { key })]) {
      expect(response.status).toBe(404);
      expect(response.body.error.message).toContain('belongs to no organization');
    }
  });

  it('404 for a workspace without access, whether it exists or not', async () => {
    const foreign = { organization: newId(), workspace: newId() };
    await server.database.transaction(
      `INSERT INTO organizations (id, name, default_workspace_id, created_at)
       VALUES ('${foreign.organization}', 'Other', '${foreign.workspace}', '2026-01-01T00:00:00.000Z')`,
      `INSERT INTO workspaces (id, organization_id, slug, name, created_at)
       VALUES ('${foreign.workspace}', '${foreign.organization}', 'default', 'Default', '2026-01-01T00:00:00.000Z')`,
    );
    for (const id of [newId(), foreign.workspace]) {
      for (const key of [managementKey, apiKey]) {
        const { status, body } = await server.post(`${create}?workspace_id=${id}`, chat, { key });
        expect(status).toBe(404);
        expect(body.error.message).toBe(`There is no workspace "${id}" that you can access.`);
      }
    }
  });

  it.each(['/nothing', '/api/v1/nothing', '/api/v1/presets/x/nothing'])(
    '404 for the route %s',
    async (path) => {
      const { status, body } = await server.post(path, chat);
      expect(status).toBe(404);
      expect(body.error).toEqual({ code: 404, message: `There is no route POST ${path}. See /docs.` });
    },
  );

  it.each([
    [
      '/v1/chat/completions',
      'POST /api/v1/chat/completions: the base URL of your client must end in /api/v1.',
    ],
    ['/responses', 'POST /api/v1/responses: the base URL of your client must end in /api/v1.'],
    [
      '/api/v1/v1/messages',
      "POST /api/v1/messages: the base URL of your client must end in /api for Anthropic's SDK, which adds /v1 itself, and in /api/v1 for others.",
    ],
  ])('404 for %s says which base URL to use', async (path, hint) => {
    const { status, body } = await server.post(path, chat);
    expect([status, body.error.message]).toEqual([404, `There is no route POST ${path}. Use ${hint}`]);
  });

  it('404 for an unknown route without parsing the body', async () => {
    for (const body of ['{', '[1,', Uint8Array.from([0xff])]) {
      const { status, headers } = await server.post('/api/v1/nothing', body, { key: null });
      expect(status).toBe(404);
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('409 for a capture to an archived preset', async () => {
    await server.post('/api/v1/presets/old/chat/completions', chat);
    await server.database.sql(`UPDATE presets SET status = 'archived' WHERE slug = 'old' RETURNING id`);
    const { status, body } = await server.post('/api/v1/presets/old/chat/completions', chat);
    expect(status).toBe(409);
    expect(body).toEqual({
      error: { code: 409, message: 'The preset "old" is archived. Restore it before adding a version.' },
      user_id: userId,
    });
  });

  it('413 for a body over the limit, with and without a declared length', async () => {
    const large = JSON.stringify({ ...chat, user: 'x'.repeat(2 * 1024 * 1024) });
    const declared = await server.post(create, large);
    expect(declared.status).toBe(413);
    expect(declared.body.error.message).toContain('PRESETD_BODY_LIMIT');
    const streamed = await fetch(server.url + create, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
  });

  it('413 if the part to be saved is over 1 MiB, counted in bytes', async () => {
    const system = (text: string) => ({ messages: [{ role: 'system', content: text }] });
    const { status, body } = await server.post(create, system('ü'.repeat(524_288)));
    expect(status).toBe(413);
    expect(body.error.message).toBe(
      'The captured config and system prompt are 1048578 bytes; a version can hold at most 1048576.',
    );
    expect((await server.post(create, system('ü'.repeat(524_287)))).status).toBe(200);
    const dropped = { messages: [{ role: 'user', content: 'x'.repeat(1_200_000) }] };
    expect((await server.post(create, dropped)).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    '415 for %s',
    async (type) => {
      const { status, body } = await server.post(create, '{}', { headers: { 'content-type': type } });
      expect(status).toBe(415);
      expect(body.error.message).toContain('Content-Type: application/json');
    },
  );

  it('a call has errors in the format of its dialect, even if its body is not read', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { status, body } = await server.post('/api/v1/responses', '{}', { headers });
    expect([status, body.error]).toMatchObject([415, { type: 'invalid_request', param: null }]);
  });

  it('415 for a compressed body', async () => {
    const { status, body } = await server.post(create, chat, { headers: { 'content-encoding': 'gzip' } });
    expect(status).toBe(415);
    expect(body.error.message).toContain('without a Content-Encoding');
  });

  it.each([
    'offset=-1',
    'limit=0',
    'limit=101',
    'limit=ten',
    'offset=1.5',
    'limit=',
    'limit=5&limit=6',
    'offset=99999999999',
  ])('400 for the invalid page %s', async (query) => {
    const { status, body } = await server.get(`${members}?${query}`);
    expect(status).toBe(400);
    expect(body.error.metadata.issues[0].path).toMatch(/^\/(offset|limit)$/);
  });

  it('400 for a workspace_id that is not a UUID', async () => {
    const { status, body } = await server.post(`${create}?workspace_id=mine`, chat);
    expect(status).toBe(400);
    expect(body.error.metadata.issues[0].path).toBe('/workspace_id');
  });

  it('400 lists every issue of a body with its path', async () => {
    const { status, body } = await server.post(create, {
      temperature: 3,
      top_p: 'high',
      messages: [{ role: 'user' }, { role: 'user', content: [{ type: 'image_url', image_url: {} }] }],
      tools: [{ type: 'function', function: {} }],
    });
    expect(status).toBe(400);
    expect(body.user_id).toBe(userId);
    expect(body.error.metadata.issues).toEqual(
      expect.arrayContaining([
        { path: '/temperature', message: 'must be at most 2' },
        { path: '/top_p', message: 'must be a number or null' },
        { path: '/messages/0/content', message: 'is required' },
        { path: '/messages/1/content/0/image_url/url', message: 'is required' },
        { path: '/tools/0/function/name', message: 'is required' },
      ]),
    );
    expect(body.error.metadata.issues).toHaveLength(5);
  });

  it('400 lists problems that a schema cannot express together with the others', async () => {
    const { status, body } = await server.post('/api/v1/presets/x/chat/completions', {
      model: '@preset/other',
      temperature: 3,
      messages: [{ role: 'system', content: 'Answer {{customer}}.' }],
      presetd: { note: '', variables: { tone: { type: 'text' } }, policy: { locked: ['stream'] } },
    });
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^The request body is not valid: .+; and 3 more\.$/);
    expect(body.error.metadata.issues.map(({ path }: { path: string }) => path)).toEqual([
      '/temperature',
      '/presetd/note',
      '/model',
      '/presetd/variables/tone/type',
      '/presetd/policy/locked/0',
      '/messages',
    ]);
  });

  it.each([
    [
      'chat/completions',
      { messages: [null], presetd: { variables: 5 } },
      ['/presetd/variables', '/messages/0'],
    ],
    [
      'messages',
      { presetd: { policy: { locked: ['x'] } } },
      ['/model', '/messages', '/presetd/policy/locked/0'],
    ],
    ['responses', { input: [[]], presetd: [] }, ['/input/0', '/presetd']],
    [
      'responses',
      { model: 5, instructions: '{{x}}', presetd: { variables: {} } },
      ['/model', '/instructions'],
    ],
  ])('400 for a %s request with invalid parts checks the others: %j', async (path, request, paths) => {
    const { status, body } = await server.post(`/api/v1/presets/x/${path}`, request);
    expect(status).toBe(400);
    expect(body.error.metadata.issues.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  it('every response has a request id, which is the one of the caller if it is safe to log', async () => {
    for (const response of [
      await server.post(create, chat),
      await server.post(create, 5),
      await server.get('/nowhere'),
      await server.get('/api/v1/presets/%zz'),
    ]) {
      expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
    const own = await server.get('/healthz', { headers: { 'x-request-id': 'trace:42' } });
    expect(own.headers.get('x-request-id')).toBe('trace:42');
    const harmful = await server.get('/healthz', { headers: { 'x-request-id': 'a"b' } });
    expect(harmful.headers.get('x-request-id')).not.toBe('a"b');
  });

  it('500 hides its cause, which the log has under the request id', async () => {
    const broken = await startTestServer(anyEngine);
    try {
      expect((await broken.post(create, chat)).status).toBe(200);
      await broken.database.transaction('ALTER TABLE presets RENAME TO gone');
      const defect = await broken.post(create, chat);
      expect(defect.status).toBe(500);
      expect(defect.body.error).toEqual({
        code: 500,
        message: 'Internal server error. Find its cause in the server log by the request ID.',
        metadata: { request_id: defect.headers.get('x-request-id') },
      });
      expect(defect.text).not.toMatch(/presets|gone|SQL/i);
      expect(broken.log.join('')).toContain(defect.headers.get('x-request-id'));
    } finally {
      await broken.stop();
    }
  });
});

describe('an unavailable database', () => {
  it.runIf(engines.includes('postgres'))(
    '503 with Retry-After for captures, members and readiness while the database is gone',
    async () => {
      const server = await startTestServer('postgres', { PRESETD_DATABASE_TIMEOUT_MS: '500' });
      try {
        // Polled: a very busy machine may exceed the short timeout.
        await expect.poll(async () => (await server.post(create, chat)).status).toBe(200);
        await expect.poll(async () => (await server.get(members)).status).toBe(200);
        await server.database.drop();
        const responses = [
          await server.post(create, chat),
          await server.get(members),
          await server.get('/readyz', { key: null }),
          await server.post(create, chat, { key: 'a-key-that-is-not-warm' }),
        ];
        for (const response of responses) {
          expect(response.status).toBe(503);
          expect(response.headers.get('retry-after')).toBe('1');
          expect(response.body.error.metadata.request_id).toBe(response.headers.get('x-request-id'));
        }
        expect((await server.get('/healthz', { key: null })).status).toBe(200);
      } finally {
        await server.stop().catch(() => {});
      }
    },
  );

  it('503 if another process locks the SQLite file for longer than the timeout', async () => {
    const server = await startTestServer('sqlite', { PRESETD_DATABASE_TIMEOUT_MS: '200' });
    const { DatabaseSync } = await import('node:sqlite');
    const holder = new DatabaseSync(server.database.url.slice('sqlite:'.length));
    try {
      // The first use of a key is written before the key is accepted.
      expect((await server.get(members)).status).toBe(200);
      holder.exec('BEGIN IMMEDIATE');
      const { status, headers } = await server.post(create, chat);
      expect([status, headers.get('retry-after')]).toEqual([503, '1']);
      expect((await server.get(members)).status).toBe(200);
      holder.exec('ROLLBACK');
      expect((await server.post(create, chat)).status).toBe(200);
    } finally {
      holder.close();
      await server.stop();
    }
  });
});

describe('an error of the database', () => {
  it.runIf(engines.includes('postgres'))(
    'a constraint violation is logged without the row, which contains the prompt',
    async () => {
      const server = await startTestServer('postgres');
      try {
        await server.database.transaction(
          'ALTER TABLE preset_versions ADD CHECK (length(system_prompt) < 3)',
        );
        const body = { messages: [{ role: 'system', content: 'secret prompt text' }] };
        const { status } = await server.post(create, body);
        expect(status).toBe(500);
        const log = server.log.join('');
        expect(log).toContain('violates check constraint');
        expect(log).not.toContain('secret prompt');
      } finally {
        await server.stop();
      }
    },
  );
});

describe('malformed HTTP', () => {
  it.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400, 'The request is not valid HTTP.'],
    [
      'endless headers',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
      'too long',
    ],
    [
      'a broken body, whose request has an ID,',
      `POST /api/v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nX-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
      'The request is not valid HTTP.',
      'mine',
    ],
  ])(
    '%s gets a response in the standard error format',
    async (_, text, code, message, id = '[0-9a-f-]{36}') => {
      const server = await startTestServer('sqlite');
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
      socket.end(text);
      let response = '';
      for await (const chunk of socket) response += chunk;
      expect(response).toMatch(new RegExp(`^HTTP/1.1 ${code} `));
      expect(response).toMatch(new RegExp(`^x-request-id: ${id}\r$`, 'im'));
      expect(response).toMatch(/^x-should-retry: false\r$/im);
      expect(JSON.parse(response.split('\r\n\r\n')[1] ?? '')).toEqual({
        error: { code, message: expect.stringContaining(message) },
      });
      await server.stop();
    },
  );
});

describe('the rate limit', () => {
  it('a key over the rate limit gets 429 with rate-limit headers, which other responses lack', async () => {
    const server = await startTestServer('sqlite', { PRESETD_RATE_LIMIT: '3' });
    try {
      for (let count = 0; count < 3; count += 1) {
        const allowed = await server.get(members);
        expect(allowed.status).toBe(200);
        expect([...allowed.headers.keys()].filter((name) => name.includes('ratelimit'))).toEqual([]);
      }
      const rejected = await server.get(members);
      expect(rejected.status).toBe(429);
      expect(rejected.body.error).toEqual({
        code: 429,
        message:
          'This key has reached its limit of 3 requests per minute. Retry after the delay in the Retry-After header.',
      });
      expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(rejected.headers.get('x-ratelimit-limit')).toBe('3');
      expect(rejected.headers.get('x-ratelimit-remaining')).toBe('0');
      expect((await server.get(members, { key: apiKey })).status).toBe(401);
    } finally {
      await server.stop();
    }
  });
});
