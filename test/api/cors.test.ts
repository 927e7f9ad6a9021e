import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { respondInDialect, upstreamError } from '../support/upstream-scripts.ts';

const app = 'https://app.example';
const chat = '/api/v1/chat/completions';
const chunked = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' };
const call = { model: '@preset/warm', messages: [{ role: 'user', content: 'Hi' }] };

interface RawResponse {
  readonly status: number;
  /** Each header line, with a lower-case name. */
  readonly lines: readonly string[];
  readonly body: string;
}

/** Over a bare socket, because `fetch` hides duplicate headers and rejects some requests. */
async function exchange(server: GatewayServer, bytes: string): Promise<RawResponse> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  const [head = '', ...rest] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return {
    status: Number(statusLine.split(' ')[1]),
    lines: lines.map((line) => line.replace(/^[^:]*/, (name) => name.toLowerCase())),
    body: rest.join('\r\n\r\n'),
  };
}

function request(method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): string {
  const all = { Host: 'x', Connection: 'close', Authorization: `Bearer ${apiKey}`, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

function post(path: string, body: unknown, headers: Readonly<Record<string, string>>): string {
  const content = JSON.stringify(body);
  const sent = { 'Content-Type': 'application/json', 'Content-Length': String(content.length), ...headers };
  return request('POST', path, sent, content);
}

const corsLines = ({ lines }: RawResponse) =>
  lines.filter((line) => /^(?:vary|access-control-)/.test(line)).toSorted();

describe('CORS', () => {
  let upstream: ScriptedUpstream;
  let listed: GatewayServer;
  let open: GatewayServer;
  let off: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    upstream.respondAlways(respondInDialect);
    [listed, open, off] = await Promise.all([
      startWithUpstream(upstream, { PRESETD_CORS_ORIGINS: `http://localhost:3000, ${app}` }),
      startWithUpstream(upstream, { PRESETD_CORS_ORIGINS: '*' }),
      startWithUpstream(upstream, {}),
    ]);
    for (const server of [listed, open, off])
      await server.capture('warm', { model: 'vendor/model' }, 'responses');
  });
  afterAll(async () => {
    await upstream.stop();
    await Promise.all([listed, open, off].map((server) => server.stop()));
  });

  const forApp = [`access-control-allow-origin: ${app}`, 'access-control-expose-headers: *', 'vary: origin'];

  const cases: readonly (readonly [string, number, (headers: Readonly<Record<string, string>>) => string])[] =
    [
      ['a cached read', 200, (headers) => request('GET', '/api/v1/presets/warm', headers)],
      ['a read through its route', 200, (headers) => request('GET', '/api/v1/presets/warm/', headers)],
      ['an export', 200, (headers) => request('GET', '/api/v1/export', headers)],
      ['a HEAD request', 200, (headers) => request('HEAD', '/api/v1/models', headers)],
      ['the API root', 200, (headers) => request('GET', '/api', headers)],
      [
        'an unchanged read',
        304,
        (h) => request('GET', '/api/v1/presets/warm', { ...h, 'If-None-Match': '*' }),
      ],
      ['an invalid key', 401, (h) => request('GET', '/api/v1/presets', { ...h, Authorization: 'Bearer x' })],
      ['an unknown path', 404, (headers) => request('GET', '/api/v1/nowhere', headers)],
      ['a wrong method', 405, (headers) => request('DELETE', '/api/v1/models', headers)],
      ['a malformed path', 400, (headers) => request('GET', '/api/v1/presets/%zz', headers)],
      ['two Host headers', 400, (headers) => request('GET', '/api/v1/models', { ...headers, host: 'y' })],
      ['a call on the fast path', 200, (headers) => post(chat, call, headers)],
      [
        'a call on its route',
        200,
        (h) => post(chat, call, { ...h, 'Content-Type': 'application/json; a=b' }),
      ],
      ['a stream', 200, (headers) => post(chat, { ...call, stream: true }, headers)],
      ['a failed call', 404, (headers) => post(chat, { ...call, model: '@preset/cold' }, headers)],
      ['a broken body', 400, (headers) => request('POST', chat, { ...headers, ...chunked }, 'zz\r\n')],
      ['a call that is not JSON', 400, (headers) => post(chat, 1, headers)],
    ];

  it.each(cases)('an allowed page can read the response to %s', async (_, status, requestWith) => {
    const response = await exchange(listed, requestWith({ Origin: app }));
    expect([response.status, corsLines(response)]).toEqual([status, forApp]);
  });

  it.each(cases)('another page cannot read the response to %s', async (_, status, requestWith) => {
    for (const headers of [{ Origin: 'https://evil.example' }, { Origin: 'null' }, {}]) {
      const response = await exchange(listed, requestWith(headers));
      expect([response.status, corsLines(response)]).toEqual([status, ['vary: origin']]);
    }
  });

  it.each(cases)(
    'every page can read the response to %s if all origins are allowed',
    async (_, status, of) => {
      const response = await exchange(open, of({ Origin: 'https://any.example' }));
      const allowed = ['access-control-allow-origin: *', 'access-control-expose-headers: *'];
      expect([response.status, corsLines(response)]).toEqual([status, allowed]);
      expect(corsLines(await exchange(open, of({})))).toEqual([]);
    },
  );

  it.each(cases)(
    'an origin changes nothing in the response to %s without the setting',
    async (_, status, of) => {
      const stable = ({ lines, ...rest }: RawResponse) => ({
        ...rest,
        lines: lines.map((line) =>
          line.replace(/^(date|x-presetd-overhead-ms|x-request-id|x-generation-id): .*/, '$1'),
        ),
      });
      const id = { 'X-Request-Id': 'same' };
      const [one, other] = [await exchange(off, of(id)), await exchange(off, of({ ...id, Origin: app }))];
      expect(stable(one)).toEqual(stable(other));
      expect([one.status, corsLines(one)]).toEqual([status, []]);
    },
  );

  it('an allowed page can read errors of the upstream', async () => {
    upstream.respondAlways(upstreamError(422, 'No'));
    const response = await exchange(listed, post(chat, call, { Origin: app }));
    upstream.respondAlways(respondInDialect);
    expect([response.status, corsLines(response)]).toEqual([422, forApp]);
  });

  const preflight = (path: string, origin: string, headers: Readonly<Record<string, string>> = {}) =>
    request('OPTIONS', path, {
      Authorization: '',
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      ...headers,
    });

  it('a preflight of an allowed page succeeds without a key, for the headers that SDKs send', async () => {
    const sent =
      'authorization,content-type,X-Api-Key,anthropic-version,anthropic-dangerous-direct-browser-access,' +
      'openai-organization,x-stainless-os,http-referer,x-title,x-presetd-dry-run,idempotency-key,if-match';
    for (const path of [chat, '/api/v1/presets/warm', '/api/v1/nowhere']) {
      const response = await exchange(
        listed,
        preflight(path, app, { 'Access-Control-Request-Headers': sent }),
      );
      expect([response.status, response.body]).toEqual([204, '']);
      expect(corsLines(response)).toEqual([
        `access-control-allow-headers: ${sent.toLowerCase().replaceAll(',', ', ')}`,
        'access-control-allow-methods: GET, HEAD, POST, PUT, PATCH, DELETE',
        `access-control-allow-origin: ${app}`,
        'access-control-expose-headers: *',
        'access-control-max-age: 7200',
        'vary: origin',
      ]);
    }
    const logged = listed.log.filter((line) => line.includes('"method":"OPTIONS"'));
    expect(logged.at(-1)).toContain('"status":204');
  });

  it('a page cannot send headers that only proxies may', async () => {
    const sent =
      'x-forwarded-for, cookie, host, authorization, x-presetd-\u00e9, forwarded, proxy-authorization';
    const response = await exchange(listed, preflight(chat, app, { 'Access-Control-Request-Headers': sent }));
    expect(corsLines(response)).toContain('access-control-allow-headers: authorization');
  });

  it.each([
    ['of another page', preflight(chat, 'https://evil.example'), 405],
    ['of another port', preflight(chat, `${app}:8443`), 405],
    ['outside the API', preflight('/healthz', app), 405],
    ['with two Host headers', preflight(chat, app, { host: 'y' }), 400],
    ['that is only an OPTIONS request', request('OPTIONS', chat, { Origin: app }), 405],
  ])('a preflight %s is rejected as without the setting', async (_, bytes, status) => {
    const response = await exchange(listed, bytes);
    expect(response.status).toBe(status);
    expect(response.lines.join()).not.toContain('access-control-allow-methods');
  });

  it('never allows credentials', async () => {
    for (const server of [listed, open])
      for (const bytes of [
        preflight(chat, app),
        ...cases.map(([, , of]) => of({ Origin: app, Cookie: 'a=b' })),
      ])
        expect((await exchange(server, bytes)).lines.join()).not.toMatch(/allow-credentials/);
  });

  it('pages of the dashboard are for their own origin', async () => {
    for (const path of ['/', '/docs/', '/openapi.json', '/healthz']) {
      const response = await exchange(open, request('GET', path, { Origin: app }));
      expect([path, response.status, response.lines.join()]).toEqual([
        path,
        200,
        expect.not.stringContaining('access-control-'),
      ]);
    }
  });
});
