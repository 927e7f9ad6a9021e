import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKey, startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer('sqlite', { PRESETD_CLIENT_TIMEOUT_MS: '1000' });
});
afterAll(() => server.stop());

const messagesHint =
  "Use POST /api/v1/messages: the base URL of your client must end in /api for Anthropic's SDK, which adds /v1 itself, and in /api/v1 for others.";
const logLineOf = async (id: string) => {
  const find = () => server.log.find((line) => line.includes(`"reqId":"${id}"`)) ?? '';
  await expect.poll(find).not.toBe('');
  return JSON.parse(find());
};

describe('a wrong method on a known path', () => {
  it.each([
    ['POST', '/', 'GET, HEAD'],
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/openapi.json', 'GET, HEAD'],
    ['POST', '/api', 'GET, HEAD'],
    ['POST', '/api/v1/presets/x', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '/api/v1/presets/x/', 'DELETE, GET, HEAD, PATCH'],
    ['PUT', '/api/v1/presets/a%2Fb?x=1', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/api/v1/presets/x/restore', 'POST'],
    ['PATCH', '/api/v1/presets/x/labels/live', 'DELETE, PUT'],
    ['GET', '/api/v1/chat/completions', 'POST'],
    ['HEAD', '/api/v1/messages', 'POST'],
    ['PUT', '/api/v1/responses', 'GET, HEAD, POST'],
    ['OPTIONS', '/api/v1/models', 'GET, HEAD'],
    ['DELETE', '/api/v1/models/vendor/model', 'GET, HEAD'],
    ['OPTIONS', '/api/v1/keys', 'GET, HEAD, POST'],
    ['TRACE', '/api/v1/key', 'GET, HEAD'],
  ])('a wrong method on a known path is 405: %s %s', async (method, path, allow) => {
    // fetch refuses to send TRACE.
    const port = Number(new URL(server.url).port);
    const socket = connect(port, '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\n/);
    expect(/^allow: (.*)$/im.exec(head)?.[1]).toBe(allow);
    if (method === 'HEAD') return;
    expect(JSON.parse(body).error).toMatchObject({
      code: 405,
      message: expect.stringContaining(`does not support ${method}, only ${allow}.`),
    });
  });

  it('a 405 has the error format of its dialect', async () => {
    const response = await server.get('/api/v1/messages');
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(response.body).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: '/api/v1/messages does not support GET, only POST.' },
      request_id: response.headers.get('x-request-id'),
    });
  });

  it('a 405 is sent before the body is read and needs no key', async () => {
    const response = await server.send('PUT', '/api/v1/presets', '{', { key: null });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('a missing file is 404, not 405', async () => {
    const response = await server.get('/assets/none.js');
    expect([response.status, response.headers.get('allow')]).toEqual([404, null]);
  });

  it('405 and the API root are not in the OpenAPI document', async () => {
    const { body } = await server.get('/openapi.json');
    expect(Object.keys(body.paths)).not.toContain('/api');
    expect(JSON.stringify(body.paths)).not.toContain('"405"');
  });
});

describe('a base URL', () => {
  it.each(['/api', '/api/', '/api/v1', '/api/v1/'])(
    'the base URL %s responds to HEAD and GET without a key',
    async (path) => {
      const head = await server.send('HEAD', path, undefined, { key: null });
      expect([head.status, head.text]).toEqual([200, '']);
      const { status, body } = await server.get(path, { key: null });
      expect([status, body]).toEqual([200, { name: 'presetd', docs: '/docs', openapi: '/openapi.json' }]);
    },
  );

  const hint = 'the base URL of your client must end in /api/v1.';
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'explains a wrong base URL to %s requests',
    async (method) => {
      for (const [path, advice] of [
        ['/v1', `The API is at /api/v1: ${hint}`],
        ['/v1/', `The API is at /api/v1: ${hint}`],
        ['/v1/nothing', `The API is at /api/v1: ${hint}`],
        ['/api/v2/presets/x', `The API is at /api/v1: ${hint}`],
        ['/models', `Use /api/v1/models: ${hint}`],
        ['/models/vendor/model', `Use /api/v1/models/vendor/model: ${hint}`],
        ['/v1/models', `Use /api/v1/models: ${hint}`],
        ['/api/models', `Use /api/v1/models: ${hint}`],
        ['/api/v1/v1/key', `Use /api/v1/key: ${hint}`],
        ['/keys', `Use /api/v1/keys: ${hint}`],
        ['/v1/presets/x/versions', `Use /api/v1/presets/x/versions: ${hint}`],
        ['/chat/completions', `Use POST /api/v1/chat/completions: ${hint}`],
        ['/v1/responses', `Use POST /api/v1/responses: ${hint}`],
        ['/v1/messages', messagesHint],
        ['/openai/v1/chat/completions', `Use POST /api/v1/chat/completions: ${hint}`],
      ] as const) {
        const { status, body } = await server.send(method, path);
        expect([path, status, body.error.message]).toEqual([
          path,
          404,
          `There is no route ${method} ${path}. ${advice}`,
        ]);
      }
    },
  );

  it('explains a wrong base URL even if a dashboard page has the same path', async () => {
    const { status, headers, body } = await server.post('/presets/x/responses', {});
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(body.error.message).toContain(`Use /api/v1/presets/x/responses: ${hint}`);
  });
});

describe('errors under /messages', () => {
  it.each([
    ['POST', '/api/v1/messages/count_tokens', 400],
    ['GET', '/api/v1/messages/count_tokens?beta=true', 405],
    ['GET', '/api/v1/messages/batches', 404],
    ['GET', '/api/v1/messages/batches/x/results', 404],
    ['POST', '/v1/messages', 404],
    ['POST', '/v1/messages/count_tokens', 404],
    ['POST', '/messages', 404],
    ['POST', '/api/messages', 404],
    ['POST', '/api/v1/v1/messages', 404],
    ['GET', '/api/v1/messages', 405],
    ['GET', '/api/v1/messages/%zz', 400],
  ])("%s %s has Anthropic's error format", async (method, path, status) => {
    const response = await server.send(method, path);
    expect(response.status).toBe(status);
    expect(response.body).toEqual({
      type: 'error',
      error: {
        type: status === 404 ? 'not_found_error' : 'invalid_request_error',
        message: expect.any(String),
      },
      request_id: response.headers.get('x-request-id'),
    });
  });

  it.each([
    ['a body that never ends', 'Content-Length: 100\r\n\r\n{', 408, 'timeout_error'],
    ['a broken body', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n', 400, 'invalid_request_error'],
    ['two Host headers', 'Host: y\r\nContent-Length: 0\r\n\r\n', 400, 'invalid_request_error'],
  ])("a messages call with %s has Anthropic's error format", async (_, rest, status, type) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      `POST /api/v1/messages HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n${rest}`,
    );
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^x-request-id: mine$/im);
    expect(JSON.parse(body)).toEqual({
      type: 'error',
      error: { type, message: expect.any(String) },
      request_id: 'mine',
    });
  });

  it('capturing a preset from a messages request has the standard error format', async () => {
    const { status, body } = await server.post('/api/v1/presets/x/messages', '{');
    expect([status, body.error.code]).toEqual([400, 400]);
  });
});

describe('the log line of a 404', () => {
  it.each([
    ['/nowhere', '/nowhere'],
    ['/v1/models?key=sk-secret-in-query', '/v1/models'],
    ['/a/sk-pst-v1-0123456789abcdef/b', '/a/…/b'],
    ['/a"}{"forged":"', '/a"}{"forged":"'],
    ['/a%0a%7f', '/a%0a%7f'],
    ['/abc'.repeat(1_000), `${'/abc'.repeat(50)}…`],
  ])('a 404 logs a safe form of the path %s', async (path, logged) => {
    const id = randomUUID();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Request-Id: ${id}\r\n`;
    socket.write(Buffer.from(`${head}Authorization: Bearer ${apiKey}\r\n\r\n`, 'latin1'));
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
    const line = await logLineOf(id);
    expect(line).toMatchObject({ status: 404, path: logged });
    expect(line).not.toHaveProperty('forged');
  });

  it('the log has a path only for 404 and 405 without a route; otherwise it has the route', async () => {
    await server.get('/healthz', { headers: { 'x-request-id': 'found' } });
    await server.get('/api/v1/presets/none', { headers: { 'x-request-id': 'preset' } });
    expect(await logLineOf('preset')).toMatchObject({ status: 404, route: '/api/v1/presets/:slug' });
    expect(await logLineOf('preset')).not.toHaveProperty('path');
    await server.post('/healthz', {}, { headers: { 'x-request-id': 'method' } });
    expect(await logLineOf('found')).not.toHaveProperty('path');
    expect(await logLineOf('method')).toMatchObject({ status: 405, path: '/healthz' });
  });
});
