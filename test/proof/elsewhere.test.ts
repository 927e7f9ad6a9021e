import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startWithFile, upstreamKey } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { upstreamError } from '../support/upstream-scripts.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];
const question = { model: 'vendor/model', messages, input: 'Will it rain?', max_tokens: 9 };
const evil = 'x\r\nX-Evil: 1\r\n\r\nHTTP/1.1 200 OK';

describe('where requests go', () => {
  let upstream: ScriptedUpstream;
  let second: ScriptedUpstream;
  let server: GatewayServer;
  let elsewhere: string;
  let visits = 0;
  const listener = createServer((socket) => {
    visits += 1;
    socket.destroy();
  });
  beforeAll(async () => {
    [upstream, second] = await Promise.all([startScriptedUpstream(), startScriptedUpstream()]);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    elsewhere = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    server = await startWithFile(
      {
        upstreams: [
          compatible('first', upstream, { api_key_env: 'SCRIPTED_KEY', dialects }),
          compatible('second', second, { api_key_env: 'SCRIPTED_KEY', dialects }),
        ],
      },
      { SCRIPTED_KEY: upstreamKey },
    );
  });
  afterAll(async () => {
    await Promise.all([server.stop(), upstream.stop(), second.stop()]);
    listener.close();
  });

  /** Every way to name another place that a client, a preset or a proxy has. */
  const bodies = () =>
    [
      ...[
        elsewhere,
        `${elsewhere}/v1`,
        `${elsewhere}@preset/x`,
        `@preset/../../${elsewhere}`,
        '../../admin?x=',
        evil,
      ].map((model) => ({ model })),
      { models: [elsewhere, 'vendor/model'] },
      { preset: elsewhere },
      { provider: { order: [elsewhere], only: [elsewhere], base_url: elsewhere } },
      { tools: [{ type: 'mcp', server_label: 'x', server_url: elsewhere }] },
      { plugins: [{ id: 'web', engine: elsewhere, url: elsewhere }] },
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: `${elsewhere}/x.png` } }] },
        ],
      },
      Object.fromEntries(
        [
          'base_url',
          'baseURL',
          'api_base',
          'api_key',
          'url',
          'endpoint',
          'upstream',
          'proxy',
          'host',
          'callback',
          'webhook',
        ].map((name) => [name, elsewhere]),
      ),
    ].map((named) => ({ ...question, ...named }));
  const headers = () =>
    Object.fromEntries(
      [
        'x-forwarded-host',
        'x-forwarded-server',
        'x-original-url',
        'x-rewrite-url',
        'x-upstream',
        'x-base-url',
        'x-portkey-custom-host',
        'helicone-target-url',
        'referer',
        'origin',
        'forwarded',
        'proxy',
      ].map((name) => [name, elsewhere]),
    );

  it('only the file of the operator decides: no field, preset, header or target of a request leads elsewhere', async () => {
    let passed = 0;
    for (const [index, asked] of bodies().entries()) {
      for (const dialect of dialects) {
        const captured = await server.post(`/api/v1/presets/p${index}${pathOf[dialect]}`, asked);
        expect(captured.status).toBeLessThan(500);
        for (const body of [asked, { ...question, model: `@preset/p${index}` }]) {
          upstream.clear();
          const answer = await server.call(body, { dialect, headers: headers() });
          expect([body, answer.status]).toEqual([body, expect.toBeOneOf([200, 400, 404])]);
          for (const request of upstream.requests) {
            passed += 1;
            expect([request.method, request.path, request.headers.host]).toEqual([
              'POST',
              `/v1${pathOf[dialect]}`,
              new URL(upstream.url).host,
            ]);
          }
        }
      }
    }
    expect(passed).toBeGreaterThan(30);
    await server.get('/api/v1/models', { key: apiKey, headers: headers() });
    expect(visits).toBe(0);
  });

  it.each([
    ['an address in place of a path', (to: string) => `POST ${to}/api/v1/chat/completions HTTP/1.1`],
    ['a tunnel', (to: string) => `CONNECT ${to.slice('http://'.length)} HTTP/1.1`],
    ['a path that climbs', () => 'POST /api/v1/chat/completions/../../../admin HTTP/1.1'],
  ])('%s is not followed', async (_, line) => {
    const sent = JSON.stringify(question);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      `${line(elsewhere)}\r\nHost: ${elsewhere}\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`,
    );
    const received = await text(socket);
    // The first is for ourselves, whatever the address; a tunnel is not even answered.
    expect(received).toMatch(/^(HTTP\/1\.1 (200|404) |$)/);
    expect(visits).toBe(0);
  });

  it('nobody can stand in for an upstream that is named by https: without its certificate it gets no key and no prompt', async () => {
    let secrets = '';
    const impostor = createTlsServer({ key: impostorKey, cert: impostorCertificate }, (socket) => {
      socket.on('data', (bytes) => {
        secrets += bytes;
      });
    }).on('tlsClientError', () => undefined);
    impostor.listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    const url = `https://localhost:${(impostor.address() as AddressInfo).port}`;
    server.useConfigFile(
      { upstreams: [compatible('posed', { url }, { api_key_env: 'K' })] },
      { K: upstreamKey },
    );
    const answer = await server.call(question);
    expect([answer.status, secrets]).toEqual([424, '']);
    impostor.close();
  });

  it('no text of a body becomes a header, be it of the answer or of what is sent on', async () => {
    upstream.respondAlways(upstreamError(500, evil));
    const asked = { ...question, model: evil, models: [evil, evil], [evil]: 1, user: evil };
    for (const dialect of dialects) {
      for (const path of [`/presets/headers${pathOf[dialect]}`, pathOf[dialect]]) {
        const answer = await server.post(`/api/v1${path}`, asked, { headers: { 'x-request-id': 'a b' } });
        expect(answer.headers.get('x-evil')).toBeNull();
        expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
        for (const [, value] of answer.headers) expect(value).toMatch(/^[\x20-\x7e]*$/);
      }
    }
    const sent = [...upstream.requests, ...second.requests];
    expect(sent.length).toBeGreaterThan(0);
    for (const { rawHeaders } of sent) expect(rawHeaders.join('\n')).not.toMatch(/evil/i);
  });
});

/** Of nobody: made for this test, and signed by itself. */
const impostorKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgW4U6dJn6bP2jLRWA
d5+NsdmbT9goYGM8U3rrlvtQ0C2hRANCAAQrYTPCjrOeqUxLeB8WEQxsCxBgTFHQ
uKupNzXH7FMbnJtELEkRbQH+nt5wbSCfvU/0lkQqkyXXMHDDa6DWkfA0
-----END PRIVATE KEY-----`;
const impostorCertificate = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUF8MCTK7UeahncZJ+XHQYIE4R8twwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTExNTIwMjAzNFoYDzIxMjYxMDIy
MjAyMDM0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAAQrYTPCjrOeqUxLeB8WEQxsCxBgTFHQuKupNzXH7FMbnJtELEkRbQH+
nt5wbSCfvU/0lkQqkyXXMHDDa6DWkfA0o28wbTAdBgNVHQ4EFgQUm5wVFOaHvJgl
vDBvQJ4HI2AP5XcwHwYDVR0jBBgwFoAUm5wVFOaHvJglvDBvQJ4HI2AP5XcwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgc09ybcDyoua30hJbdtAc3ibnI9zR8edg6BZSngCeEi8CICN5
GtEX+yGefo9+oc/X5hTvMxP1R1djcesB5vlCUsAP
-----END CERTIFICATE-----`;
