import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { makeMember } from '../support/organizations.ts';
import { managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { signInAs } from '../support/sign-in.ts';

describe('signing in a command line', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, { PRESETD_TRUSTED_PROXIES: 'loopback' });
  });
  afterAll(() => server.stop());

  let networks = 0;
  const nextNetwork = () => {
    networks += 1;
    return `192.0.2.${networks}`;
  };
  const open = (path: string, body: unknown, address = nextNetwork()) =>
    server.post(`/api/v1${path}`, body, { key: null, headers: { 'x-forwarded-for': address } });
  const start = async (clientName = 'laptop') =>
    (await open('/sign-in/device', { client_name: clientName })).body.data;
  const poll = async (deviceCode: string) => {
    const { status, body } = await open('/sign-in/device/token', { device_code: deviceCode });
    return status === 200 ? body.data : status;
  };
  const addPerson = async () => {
    const email = `person-${newId()}@example.com`;
    await makeMember(server, email);
    return { email, browser: await signInAs(server, email) };
  };

  it('returns a management key of the approving person, once', async () => {
    const { email, browser } = await addPerson();
    const { device_code: deviceCode, user_code: userCode, ...started } = await start();
    expect(userCode).toMatch(/^[B-Z]{4}-[B-Z]{4}$/);
    expect(started).toMatchObject({
      verification_url: `${server.url}/sign-in/device`,
      interval_seconds: 2,
    });
    expect(await poll(deviceCode)).toEqual({ status: 'pending', key: null });
    const path = `/sign-in/device/${userCode}`;
    expect((await browser.get(path)).body.data).toMatchObject({
      user_code: userCode,
      client_name: 'laptop',
      address: expect.stringMatching(/^192\.0\.2\./),
      status: 'pending',
    });
    expect((await browser.send('POST', path, { approve: true })).body.data.status).toBe('approved');
    const { status, key } = await poll(deviceCode);
    expect([status, key]).toEqual(['approved', expect.stringMatching(/^sk-pst-v1-[0-9a-f]{64}$/)]);
    expect(await poll(deviceCode)).toBe(401);

    const { data } = (await server.get('/api/v1/account', { key })).body;
    expect(data).toMatchObject({ email, credential: { kind: 'management' } });
    const days = (Date.parse(data.credential.expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(89.9);
    expect(days).toBeLessThanOrEqual(90);
    const [event] = (await server.get('/api/v1/audit?kind=key.created')).body.data;
    expect(event).toMatchObject({
      actor_email: email,
      key_label: browser.label,
      after: { name: 'presetd login on laptop', kind: 'management' },
    });
  });

  it('stores neither the codes nor the key', async () => {
    const { browser } = await addPerson();
    const { device_code: deviceCode, user_code: userCode } = await start();
    await browser.send('POST', `/sign-in/device/${userCode}`, { approve: true });
    const rows = await server.database.sql('SELECT * FROM device_requests');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(deviceCode);
    expect(JSON.stringify(rows)).not.toContain(userCode);
    expect(JSON.stringify(rows)).not.toContain('sk-pst-');
    const { key } = await poll(deviceCode);
    const keys = await server.database.sql('SELECT * FROM api_keys');
    expect(JSON.stringify(keys)).not.toContain(key);
  });

  it('a denied command line gets no key, and cannot be approved later', async () => {
    const { browser } = await addPerson();
    const { browser: other } = await addPerson();
    const { device_code: deviceCode, user_code: userCode } = await start();
    const path = `/sign-in/device/${userCode}`;
    await browser.send('POST', path, { approve: false });
    expect(await poll(deviceCode)).toEqual({ status: 'denied', key: null });
    const { data } = (await server.get('/api/v1/audit?kind=account.command_line_denied')).body;
    expect(data).toMatchObject([{ actor_id: browser.userId, key_label: browser.label }]);
    for (const each of [browser, other]) {
      const again = await each.send('POST', path, { approve: true });
      expect([again.status, again.body.error.message]).toEqual([
        409,
        'This command line was already denied.',
      ]);
    }
    expect(await poll(deviceCode)).toEqual({ status: 'denied', key: null });
  });

  it.each([
    ['has signed out', (email: string) => ['DELETE', `/organization/people/${email}/sessions`]],
    ['is deactivated', (email: string) => ['POST', `/organization/people/${email}/deactivate`]],
    ['has left', (email: string) => ['DELETE', `/organization/members/${email}`]],
  ])('a command line gets no key if the person %s in the meantime', async (_, requestOf) => {
    const { email, browser } = await addPerson();
    const { device_code: deviceCode, user_code: userCode } = await start();
    await browser.send('POST', `/sign-in/device/${userCode}`, { approve: true });
    const [method = '', path] = requestOf(email);
    const done = await server.send(method, `/api/v1${path}`, undefined, { key: managementKey });
    expect(done.status).toBe(200);
    expect(await poll(deviceCode)).toBe(401);
  });

  it('a user code is found in any case, with or without its hyphen', async () => {
    const { browser } = await addPerson();
    const { user_code: userCode } = await start();
    for (const typed of [
      userCode.toLowerCase(),
      userCode.replace('-', ''),
      ` ${userCode.replace('-', ' ')} `,
    ])
      expect((await browser.get(`/sign-in/device/${encodeURIComponent(typed)}`)).body.data.user_code).toBe(
        userCode,
      );
  });

  it('approving a command line requires a session, not a key', async () => {
    const { user_code: userCode } = await start();
    const path = `/api/v1/sign-in/device/${userCode}`;
    expect((await server.get(path)).status).toBe(403);
    const approved = await server.send('POST', path, { approve: true }, { key: managementKey });
    expect(approved.status).toBe(403);
  });

  it('a device code expires after ten minutes', async () => {
    const { browser } = await addPerson();
    const { device_code: deviceCode, user_code: userCode, expires_at: expiresAt } = await start();
    expect((Date.parse(expiresAt) - Date.now()) / 60_000).toBeCloseTo(10, 0);
    await server.database.transaction(`UPDATE device_requests SET expires_at = '2026-01-01T00:00:00.000Z'`);
    expect(await poll(deviceCode)).toBe(401);
    expect((await browser.get(`/sign-in/device/${userCode}`)).status).toBe(404);
  });

  it('guesses at user codes are limited', async () => {
    const { browser } = await addPerson();
    for (let index = 0; index < 10; index += 1)
      expect((await browser.get('/sign-in/device/BCDF-GHJK')).status).toBe(404);
    const limited = await browser.get('/sign-in/device/BCDF-GHJK');
    expect([limited.status, Number(limited.headers.get('retry-after')) > 0]).toEqual([429, true]);
    const { browser: other } = await addPerson();
    expect((await other.get('/sign-in/device/BCDF-GHJK')).status).toBe(404);
  });

  it('limits how many sign-ins a network can start', async () => {
    const attempt = (index: number) =>
      open('/sign-in/device', { client_name: 'flood' }, `2001:db8::${index}`);
    for (let index = 0; index < 20; index += 1) expect((await attempt(index)).status).toBe(200);
    expect((await attempt(20)).status).toBe(429);
    expect((await open('/sign-in/device', { client_name: 'other' })).status).toBe(200);
  });

  it.each(['', ' ', 'two\nlines', 'x'.repeat(101)])('rejects the client name %j', async (name) => {
    expect((await open('/sign-in/device', { client_name: name })).status).toBe(400);
  });

  it('works with another server on the same database', async () => {
    const { browser } = await addPerson();
    const { device_code: deviceCode, user_code: userCode } = await start();
    await browser.send('POST', `/sign-in/device/${userCode}`, { approve: true });
    const second = await startServerOn(server.database);
    const path = '/api/v1/sign-in/device/token';
    const { body } = await second.post(path, { device_code: deviceCode }, { key: null });
    expect(body.data.status).toBe('approved');
    await second.stop();
  });
});
