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

describe('the gateway', () => {
  let upstream: ScriptedUpstream;
  let second: ScriptedUpstream;
  let server: GatewayServer;
  let elsewhere: string;
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
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

  /** Every way for a client, a preset or a proxy to name another destination. */
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
    ].map((fields) => ({ ...question, ...fields }));
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

  it('connects only to configured upstreams, regardless of the fields, presets, headers and targets of a request', async () => {
    let forwarded = 0;
    for (const [index, request] of bodies().entries()) {
      for (const dialect of dialects) {
        const captured = await server.post(`/api/v1/presets/p${index}${pathOf[dialect]}`, request);
        expect(captured.status).toBeLessThan(500);
        for (const body of [request, { ...question, model: `@preset/p${index}` }]) {
          upstream.clear();
          const response = await server.call(body, { dialect, headers: headers() });
          expect([body, response.status]).toEqual([body, expect.toBeOneOf([200, 400, 404])]);
          for (const { method, path, headers } of upstream.requests) {
            forwarded += 1;
            expect([method, path, headers.host]).toEqual([
              'POST',
              `/v1${pathOf[dialect]}`,
              new URL(upstream.url).host,
            ]);
          }
        }
      }
    }
    expect(forwarded).toBeGreaterThan(30);
    await server.get('/api/v1/models', { key: apiKey, headers: headers() });
    expect(connections).toBe(0);
  });

  it.each([
    ['an absolute URL as the target', (to: string) => `POST ${to}/api/v1/chat/completions HTTP/1.1`],
    ['a CONNECT tunnel', (to: string) => `CONNECT ${to.slice('http://'.length)} HTTP/1.1`],
    ['a path with ..', () => 'POST /api/v1/chat/completions/../../../admin HTTP/1.1'],
  ])('does not follow %s', async (_, line) => {
    const sent = JSON.stringify(question);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(
      `${line(elsewhere)}\r\nHost: ${elsewhere}\r\nAuthorization: Bearer ${apiKey}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`,
    );
    const received = await text(socket);
    // presetd ignores the host of an absolute URL, and drops CONNECT without a response.
    expect(received).toMatch(/^(HTTP\/1\.1 (200|404) |$)/);
    expect(connections).toBe(0);
  });

  it('sends no key and no prompt to an https upstream with an invalid certificate', async () => {
    let received = '';
    const impostor = createTlsServer({ key: impostorKey, cert: impostorCertificate }, (socket) => {
      socket.on('data', (bytes) => {
        received += bytes;
      });
    }).on('tlsClientError', () => undefined);
    impostor.listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    const url = `https://localhost:${(impostor.address() as AddressInfo).port}`;
    server.useConfigFile(
      { upstreams: [compatible('impersonated', { url }, { api_key_env: 'K' })] },
      { K: upstreamKey },
    );
    const response = await server.call(question);
    expect([response.status, received]).toEqual([424, '']);
    impostor.close();
  });

  it('turns no text of a body into a header of the response or of the upstream request', async () => {
    upstream.respondAlways(upstreamError(500, evil));
    const hostile = { ...question, model: evil, models: [evil, evil], [evil]: 1, user: evil };
    for (const dialect of dialects) {
      for (const path of [`/presets/headers${pathOf[dialect]}`, pathOf[dialect]]) {
        const response = await server.post(`/api/v1${path}`, hostile, { headers: { 'x-request-id': 'a b' } });
        expect(response.headers.get('x-evil')).toBeNull();
        expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
        for (const [, value] of response.headers) expect(value).toMatch(/^[\x20-\x7e]*$/);
      }
    }
    const sent = [...upstream.requests, ...second.requests];
    expect(sent.length).toBeGreaterThan(0);
    for (const { rawHeaders } of sent) expect(rawHeaders.join('\n')).not.toMatch(/evil/i);
  });
});

/** Self-signed and created for this test only. */
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
