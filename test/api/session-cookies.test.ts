import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { makeKey } from '../support/organizations.ts';
import { managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { cookieOf, makeSession, ofSession } from '../support/sessions.ts';

describe('sessions and keys', () => {
  let server: TestServer;
  let token: string;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, { PRESETD_CORS_ORIGINS: 'https://app.example.com' });
    token = await makeSession(server, (await server.get('/api/v1/key')).body.data.creator_user_id);
  });
  afterAll(() => server.stop());

  const list = (headers: Readonly<Record<string, string>>) =>
    server.send('GET', '/api/v1/workspaces', undefined, { key: null, headers });
  const create = (slug: string, headers: Readonly<Record<string, string>>) =>
    server.send('POST', '/api/v1/workspaces', { name: slug, slug }, { key: null, headers });
  const slugs = async () =>
    (await server.get('/api/v1/workspaces')).body.data.map(({ slug }: { slug: string }) => slug);

  it('a session reads and writes by its cookie', async () => {
    expect((await list({ cookie: cookieOf(token) })).status).toBe(200);
    expect((await list({ cookie: `theme=dark; ${cookieOf(token)}; other=1` })).status).toBe(200);
    expect((await create('by-session', ofSession(token))).status).toBe(201);
    const [event] = (await server.get('/api/v1/audit?limit=1')).body.data;
    expect(event.key_label).toMatch(/^session [0-9a-f]{8}$/);
  });

  it.each([
    ['a session token as bearer token', (): Record<string, string> => ({ authorization: `Bearer ${token}` })],
    ['a session token in x-api-key', (): Record<string, string> => ({ 'x-api-key': token })],
    ['a key in the cookie', (): Record<string, string> => ({ cookie: cookieOf(managementKey) })],
    ['an unknown token in the cookie', (): Record<string, string> => ({ cookie: cookieOf('pst_session_x') })],
    ['an empty cookie', (): Record<string, string> => ({ cookie: cookieOf('') })],
    [
      'the cookie of a server behind TLS',
      (): Record<string, string> => ({ cookie: `__Host-${cookieOf(token)}` }),
    ],
    [
      'an unknown key beside the cookie of a session',
      (): Record<string, string> => ({ ...ofSession(token), authorization: 'Bearer sk-pst-v1-unknown' }),
    ],
    [
      'an unknown x-api-key beside the cookie of a session',
      (): Record<string, string> => ({ ...ofSession(token), 'x-api-key': 'sk-pst-v1-unknown' }),
    ],
    [
      'an empty Authorization header beside the cookie of a session',
      (): Record<string, string> => ({ ...ofSession(token), authorization: '' }),
    ],
  ])('%s is 401', async (_, headers) => {
    expect((await list(headers())).status).toBe(401);
    expect((await create('unauthenticated', { ...headers(), 'sec-fetch-site': 'same-origin' })).status).toBe(
      401,
    );
    expect(await slugs()).not.toContain('unauthenticated');
  });

  it('a valid key takes precedence over the cookie', async () => {
    const { secret } = await makeKey(server, { kind: 'management' });
    const headers = { authorization: `Bearer ${secret}`, cookie: cookieOf('pst_session_x') };
    expect((await create('by-key', { ...headers, 'sec-fetch-site': 'cross-site' })).status).toBe(201);
  });

  it.each<[string, () => Record<string, string>]>([
    ['no sign of its origin', () => ({})],
    ['Sec-Fetch-Site: cross-site', () => ({ 'sec-fetch-site': 'cross-site' })],
    ['Sec-Fetch-Site: same-site', () => ({ 'sec-fetch-site': 'same-site' })],
    ['Sec-Fetch-Site: none', () => ({ 'sec-fetch-site': 'none' })],
    ['another Origin', () => ({ origin: 'https://evil.example.com' })],
    ['an Origin that may call the API by key', () => ({ origin: 'https://app.example.com' })],
    ['the Origin null', () => ({ origin: 'null' })],
    ['an Origin of another port', () => ({ origin: 'http://127.0.0.1:1' })],
    ['our Origin but over TLS', () => ({ origin: server.url.replace('http:', 'https:') })],
    [
      'our Origin over TLS, as a proxy says that is not trusted',
      () => ({ origin: server.url.replace('http:', 'https:'), 'x-forwarded-proto': 'https' }),
    ],
    [
      'Sec-Fetch-Site: cross-site and our Origin',
      () => ({ 'sec-fetch-site': 'cross-site', origin: server.url }),
    ],
  ])('a write by cookie with %s is 403 and changes nothing', async (_, headers) => {
    const before = await slugs();
    const { status, body } = await create('forged', { ...headers(), cookie: cookieOf(token) });
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('a page of this server')]);
    expect(await slugs()).toEqual(before);
  });

  const hint = / If you opened this page in a browser, set PRESETD_PUBLIC_URL to (.+)\.$/;
  it.each<[headers: Readonly<Record<string, string>>, proposed: string | undefined]>([
    [{ origin: 'https://presets.example.com' }, 'https://presets.example.com'],
    [{ origin: 'http://127.0.0.1:1' }, 'http://127.0.0.1:1'],
    [{ origin: 'null' }, undefined],
    [{ origin: 'file:///tmp' }, undefined],
    [{}, undefined],
    // The browser knows better, whatever the setting says.
    [{ origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' }, undefined],
  ])('a 403 for a write by cookie with %j proposes the public URL %s', async (headers, proposed) => {
    const { body } = await create('forged', { ...headers, cookie: cookieOf(token) });
    expect(hint.exec(body.error.message)?.[1]).toBe(proposed);
  });

  it('a write by cookie with our Origin succeeds if the browser sends no Sec-Fetch-Site', async () => {
    const headers = { cookie: cookieOf(token), origin: server.url };
    expect((await create('same-origin', headers)).status).toBe(201);
  });

  it('behind a trusted proxy with TLS, only a write by cookie with our Origin over TLS succeeds', async () => {
    const proxied = await startServerOn(server.database, { PRESETD_TRUSTED_PROXIES: 'loopback' });
    const https = proxied.url.replace('http:', 'https:');
    const cookie = `__Host-${cookieOf(token)}`;
    const write = async (slug: string, headers: Readonly<Record<string, string>>) =>
      (
        await proxied.send(
          'POST',
          '/api/v1/workspaces',
          { name: slug, slug },
          { key: null, headers: { cookie, 'x-forwarded-proto': 'https', ...headers } },
        )
      ).status;
    expect(await write('over-tls', { origin: https })).toBe(201);
    expect(await write('not-over-tls', { origin: proxied.url })).toBe(403);
    // Browsers that send this header need no settings at all.
    expect(await write('by-fetch-site', { origin: https, 'sec-fetch-site': 'same-origin' })).toBe(201);
    await proxied.stop();
  });

  it('pages of other origins cannot read responses to requests with the cookie', async () => {
    const { headers } = await list({ cookie: cookieOf(token), origin: 'https://app.example.com' });
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});
