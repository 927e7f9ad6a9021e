import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { json, respondInDialect, upstreamError } from '../support/upstream-scripts.ts';

describe('X-Content-Type-Options', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream, {
      PRESETD_CLIENT_TIMEOUT_MS: '1000',
      PRESETD_METRICS_PORT: '0',
    });
    await server.capture('warm', { model: 'vendor/model' }, 'responses');
  });
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  const exchange = async (bytes: string, url = server.url) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes, 'latin1');
    return text(socket);
  };
  const get = (path: string, lines = '', method = 'GET') =>
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${apiKey}\r\n${lines}\r\n`;
  const post = (path: string, body: unknown, type = 'application/json') => {
    const content = JSON.stringify(body);
    return get(path, `Content-Type: ${type}\r\nContent-Length: ${content.length}\r\n`, 'POST') + content;
  };
  const call = { model: '@preset/warm', messages: [{ role: 'user', content: 'Hi' }] };
  const chat = '/api/v1/chat/completions';

  const expectNoSniff = (response: string, status: number) => {
    const [head = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head.match(/^x-content-type-options: .*$/gim)).toEqual(['x-content-type-options: nosniff']);
  };

  it.each<[string, number, () => string]>([
    ['a health check', 200, () => get('/healthz')],
    ['the OpenAPI document', 200, () => get('/openapi.json')],
    ['a page', 200, () => get('/docs/')],
    ['a cached read', 200, () => get('/api/v1/presets/warm')],
    ['a read through its route', 200, () => get('/api/v1/presets/warm/')],
    ['an unchanged read', 304, () => get('/api/v1/presets/warm', 'If-None-Match: *\r\n')],
    ['a HEAD request', 200, () => get('/api/v1/presets/warm', '', 'HEAD')],
    ['an export', 200, () => get('/api/v1/export')],
    ['an invalid key', 401, () => get('/api/v1/presets/warm').replace(apiKey, 'wrong')],
    ['an unknown preset', 404, () => get('/api/v1/presets/cold')],
    ['an unknown path', 404, () => get('/api/v1/nowhere')],
    ['a malformed path', 400, () => get('/api/v1/presets/%zz')],
    ['a body over the limit', 413, () => post(chat, call).replace(/Content-Length: /, '$&999999')],
    ['a body that is not JSON', 400, () => post('/api/v1/presets/warm/responses', 1)],
    ['two Host headers', 400, () => get('/healthz', 'Host: y\r\n')],
    ['a missing Host header', 400, () => 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['an unknown expectation', 200, () => get('/healthz', 'Expect: rain\r\n')],
    ['something other than HTTP', 400, () => 'hello\r\n\r\n'],
    ['headers that are too long', 431, () => get('/healthz', `A: ${'x'.repeat(40_000)}\r\n`)],
    ['headers that never end', 408, () => 'GET /healthz HTTP/1.1\r\n'],
    ['a dry run', 200, () => post(chat, call).replace('Host: x', 'Host: x\r\nX-Presetd-Dry-Run: true')],
    ['a call to an unknown preset', 404, () => post(chat, { ...call, model: '@preset/cold' })],
  ])('the response to %s has X-Content-Type-Options exactly once', async (_, status, request) => {
    expectNoSniff(await exchange(request()), status);
  });

  it.each([
    ['the fast path', 'application/json'],
    ['the route', 'application/json; charset=utf-8'],
  ])('a call through %s has X-Content-Type-Options exactly once', async (_, type) => {
    upstream.respondAlways(respondInDialect);
    for (const stream of [false, true])
      expectNoSniff(await exchange(post(chat, { ...call, stream }, type)), 200);
    upstream.respondAlways(upstreamError(422, 'No'));
    expectNoSniff(await exchange(post(chat, call, type)), 422);
    upstream.respondAlways(upstreamError(401, 'No'));
    expectNoSniff(await exchange(post(chat, call, type)), 424);
    upstream.respondAlways(json({}, 200, { 'x-content-type-options': 'none' }));
    expectNoSniff(await exchange(post(chat, call, type)), 200);
  });

  it.each<[string, number, string]>([
    ['a scrape', 200, get('/metrics')],
    ['another path', 404, get('/healthz')],
    ['another method', 405, get('/metrics', '', 'DELETE')],
    ['a missing Host header', 400, 'GET /metrics HTTP/1.1\r\n\r\n'],
    ['something other than HTTP', 400, 'hello\r\n\r\n'],
  ])(
    'the response of the metrics port to %s has X-Content-Type-Options exactly once',
    async (_, status, request) => {
      expectNoSniff(await exchange(request, server.metricsUrl), status);
    },
  );
});
