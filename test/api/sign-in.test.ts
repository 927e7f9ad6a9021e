import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createPasswordHasher } from '../../src/core/accounts/password-hash.ts';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { makeMember } from '../support/organizations.ts';
import { apiKey, managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { createLinkToken, openBrowser, openLink, signInAs, tokenOf } from '../support/sign-in.ts';

const password = 'correct horse battery staple';
const wrong = { error: { code: 401, message: 'Wrong email address or password.' } };
const uniqueEmail = (name: string) => `${name}-${newId()}@example.com`;

describe('signing in', () => {
  let server: TestServer;
  let hash: string;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    hash = await createPasswordHasher().hash(password);
  });
  afterAll(() => server.stop());
  // All tests fail from the same network, which would be limited.
  beforeEach(() => server.database.transaction('DELETE FROM failed_sign_ins'));

  /** A member with a password, which is hashed only once for all: that takes long. */
  const addPerson = async (name = 'person') => {
    const email = uniqueEmail(name);
    await makeMember(server, email);
    const browser = await signInAs(server, email);
    await server.database.transaction(
      `INSERT INTO passwords VALUES ('${browser.userId}', '${hash}', '${new Date().toISOString()}')`,
    );
    return { email, browser };
  };
  const signIn = (email: string, attempt: string, headers = {}, at = server) =>
    openBrowser(at).send('POST', '/sign-in/password', { email, password: attempt }, { headers });
  /** Failures that the server has counted before. Each attempt would hash a password. */
  const addFailures = (count: number, email: string, address = '192.0.2.1') =>
    server.database.transaction(
      ...Array.from(
        { length: count },
        () => `INSERT INTO failed_sign_ins VALUES ('${email}', '${address}', '${new Date().toISOString()}')`,
      ),
    );
  const eventsOf = async (kind: string) =>
    (await server.get(`/api/v1/audit?kind=${kind}`)).body.data as readonly Record<string, unknown>[];

  it('lists the available sign-in methods', async () => {
    const { status, body } = await server.get('/api/v1/sign-in', { key: null });
    expect([status, body]).toEqual([200, { data: { password: true, providers: [] } }]);
  });

  describe('signing in with a password', () => {
    it('starts a session, whose cookie pages cannot read', async () => {
      const { email } = await addPerson();
      const response = await signIn(` ${email.toUpperCase()} `, password);
      expect(response.status).toBe(200);
      expect(response.headers.getSetCookie()).toEqual([
        expect.stringMatching(
          /^presetd_session=pst_session_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
        ),
      ]);
      expect(response.text).not.toContain('pst_session_');
      expect(response.body.data).toMatchObject({
        email,
        has_password: true,
        credential: { kind: 'session', method: 'password' },
      });
      const [event] = await eventsOf('account.signed_in');
      expect(event).toMatchObject({
        actor_email: email,
        key_label: response.body.data.credential.label,
        subject: email,
        after: { method: 'password' },
      });
    });

    it('does not tell a wrong password, an unknown account and one without a password apart', async () => {
      const { email } = await addPerson();
      const passwordless = uniqueEmail('passwordless');
      await makeMember(server, passwordless);
      const attempts = [
        email,
        uniqueEmail('unknown'),
        passwordless,
        'not an address',
        'a\u0000b@example.com',
      ];
      for (const each of attempts) {
        const response = await signIn(each, 'wrong');
        expect([each, response.status, response.body]).toEqual([each, 401, wrong]);
        expect(response.headers.getSetCookie()).toEqual([]);
      }
    });

    it('takes as much work for an unknown account as for a wrong password', async () => {
      const { email } = await addPerson();
      // CPU time: unlike wall time, it does not depend on what else the machine does.
      const workOf = async (address: string) => {
        const before = process.cpuUsage();
        await signIn(address, 'wrong');
        return process.cpuUsage(before).user;
      };
      const least = async (address: string) =>
        Math.min(await workOf(address), await workOf(address), await workOf(address));
      const [known, unknown] = [await least(email), await least(uniqueEmail('unknown'))];
      // Hashing takes most of it; without it, a response takes a tenth.
      expect(unknown).toBeGreaterThan(known / 3);
    });

    it('records failures with the address, of unknown accounts too', async () => {
      const { email } = await addPerson();
      const unknown = uniqueEmail('unknown');
      await signIn(email, 'wrong');
      await signIn(unknown, 'wrong');
      const events = await eventsOf('account.sign_in_failed');
      expect(events.slice(0, 2)).toMatchObject([
        { actor_id: 'anonymous', actor_email: null, subject_id: 'unknown', subject: unknown },
        { actor_id: 'anonymous', subject: email, after: { method: 'password', address: '127.0.0.1' } },
      ]);
      expect(JSON.stringify(events)).not.toContain('wrong');
    });

    it('limits guesses at an account on all servers, says when to try again, and does not flood the audit log', async () => {
      const { email } = await addPerson('limited');
      const second = await startServerOn(server.database);
      for (let index = 0; index < 10; index += 1)
        expect((await signIn(email, 'wrong', {}, index % 2 ? second : server)).status).toBe(401);
      for (const each of [server, second]) {
        const limited = await signIn(email, password, {}, each);
        expect([limited.status, limited.body.error.message]).toEqual([
          429,
          'Too many failed sign-ins. Try again in 15 minutes, or ask an admin for a sign-in link.',
        ]);
        const seconds = Number(limited.headers.get('retry-after'));
        expect(seconds).toBeGreaterThan(800);
        expect(seconds).toBeLessThanOrEqual(900);
      }
      await second.stop();
      const events = await eventsOf('account.sign_in_failed');
      expect(events.filter(({ subject }) => subject === email)).toHaveLength(2);

      // A link still works, and a password again after the wait.
      expect((await (await signInAs(server, email)).get('/account')).status).toBe(200);
      await server.database.transaction(
        `UPDATE failed_sign_ins SET failed_at = '2026-01-01T00:00:00.000Z' WHERE email_key = '${email}'`,
      );
      expect((await signIn(email, password)).status).toBe(200);
    });

    it('limits guesses at an account that does not exist', async () => {
      const email = uniqueEmail('unknown');
      await addFailures(9, email);
      expect((await signIn(email, 'wrong')).status).toBe(401);
      expect((await signIn(email, 'wrong')).status).toBe(429);
    });

    it('successful sign-ins do not count toward the limit', async () => {
      const { email } = await addPerson();
      for (let index = 0; index < 2; index += 1) expect((await signIn(email, password)).status).toBe(200);
      expect(await server.database.sql('SELECT * FROM failed_sign_ins')).toEqual([]);
    });

    it('ends the session that the browser had before', async () => {
      const { email, browser } = await addPerson();
      const before = browser.cookie;
      const response = await browser.send('POST', '/sign-in/password', { email, password });
      expect(response.status).toBe(200);
      expect(browser.cookie).not.toBe(before);
      expect((await openBrowser(server, before).get('/account')).status).toBe(401);
      expect((await browser.get('/account')).status).toBe(200);
    });

    it('a token that the browser was given before does not become a session', async () => {
      const { email } = await addPerson();
      const planted = 'presetd_session=pst_session_planted';
      const browser = openBrowser(server, planted);
      await browser.send('POST', '/sign-in/password', { email, password });
      expect(browser.cookie).not.toBe(planted);
      expect((await openBrowser(server, planted).get('/account')).status).toBe(401);
    });

    it('rejects a person who is deactivated, but only with their password', async () => {
      const { email } = await addPerson();
      await server.send('POST', `/api/v1/organization/people/${email}/deactivate`, undefined, {
        key: managementKey,
      });
      expect((await signIn(email, 'wrong')).status).toBe(401);
      expect((await signIn(email, password)).body.error).toEqual({
        code: 403,
        message: 'Your account is deactivated. Ask an admin to reactivate it.',
      });
    });
  });

  it('limits guesses from one network at many accounts', async () => {
    const guarded = await startServerOn(server.database, { PRESETD_TRUSTED_PROXIES: 'loopback' });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const guess = (address: string) => signIn(uniqueEmail('any'), 'wrong', from(address), guarded);
    // All in one network of 64 bits.
    expect((await guess('2001:db8:1:2::1')).status).toBe(401);
    const [{ address } = {}] = await server.database.sql('SELECT address FROM failed_sign_ins');
    await addFailures(48, 'anybody@example.com', String(address));
    expect((await guess('2001:db8:1:2::2')).status).toBe(401);
    expect((await guess('2001:db8:1:2::ffff')).status).toBe(429);
    expect((await guess('2001:db8:1:3::1')).status).toBe(401);
    await guarded.stop();
  });

  describe('a sign-in link', () => {
    it('works only once', async () => {
      const email = uniqueEmail('once');
      await makeMember(server, email);
      const token = await createLinkToken(server, email);
      const browser = await openLink(server, token);
      expect((await browser.get('/account')).body.data).toMatchObject({
        email,
        has_password: false,
        credential: { method: 'link' },
      });
      const again = await openBrowser(server).send('POST', '/sign-in/link', { token });
      expect([again.status, again.body.error.message]).toEqual([
        401,
        'This sign-in link was used before or has expired. Ask an admin for another one.',
      ]);
      expect(again.headers.getSetCookie()).toEqual([]);
    });

    it.each([
      ['has expired', `UPDATE sign_in_links SET expires_at = '2026-01-01T00:00:00.000Z'`],
      ['was deleted', 'DELETE FROM sign_in_links'],
    ])('a sign-in link is refused if it %s', async (_, change) => {
      const email = uniqueEmail('gone');
      await makeMember(server, email);
      const token = await createLinkToken(server, email);
      await server.database.transaction(change);
      expect((await openBrowser(server).send('POST', '/sign-in/link', { token })).status).toBe(401);
    });

    it('a new link replaces the older one', async () => {
      const email = uniqueEmail('replaced');
      await makeMember(server, email);
      const older = await createLinkToken(server, email);
      const newer = await createLinkToken(server, email);
      expect((await openBrowser(server).send('POST', '/sign-in/link', { token: older })).status).toBe(401);
      expect((await openBrowser(server).send('POST', '/sign-in/link', { token: newer })).status).toBe(200);
    });

    it.each(['', 'x', 'a\u0000b', '\ud800'.toWellFormed()])(
      'a sign-in link with the token %j is refused',
      async (token) => {
        expect((await openBrowser(server).send('POST', '/sign-in/link', { token })).status).toBe(401);
      },
    );

    it('the first start returns a link for the owner', async () => {
      const fresh = await startTestServer(anyEngine);
      const browser = await openLink(fresh, fresh.firstKeys?.linkToken ?? '');
      expect((await browser.get('/account')).body.data).toMatchObject({
        email: 'owner@localhost',
        organization: { role: 'org:admin' },
      });
      const edit = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' };
      expect((await browser.send('PATCH', '/account', edit)).body.data).toMatchObject(edit);
      expect((await browser.send('PUT', '/account/password', { password })).status).toBe(200);
      const again = openBrowser(fresh);
      const response = await again.send('POST', '/sign-in/password', { email: edit.email, password });
      expect(response.status).toBe(200);
      await fresh.stop();
    });
  });

  describe('requests from other sites', () => {
    it.each([
      ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
      ['a page of another host of the domain', { 'sec-fetch-site': 'same-site' }],
      ['no page', { 'sec-fetch-site': 'none' }],
      ['another origin', { 'sec-fetch-site': '', origin: 'https://evil.example.com' }],
    ])('cannot sign a browser in from %s', async (_, headers) => {
      const { email } = await addPerson();
      const token = await createLinkToken(server, email);
      const browser = openBrowser(server);
      for (const [path, body] of [
        ['/sign-in/password', { email, password }],
        ['/sign-in/link', { token }],
      ] as const) {
        const response = await browser.send('POST', path, body, { headers });
        expect([response.status, response.headers.getSetCookie()]).toEqual([403, []]);
      }
      expect((await openBrowser(server).send('POST', '/sign-in/link', { token })).status).toBe(200);
    });
  });

  it('uses a host cookie over TLS, and names the address to open', async () => {
    const secure = await startServerOn(server.database, {
      PRESETD_PUBLIC_URL: 'https://presets.example.com',
    });
    const email = uniqueEmail('secure');
    await makeMember(server, email);
    const path = `/api/v1/organization/people/${email}/sign-in-link`;
    const { body } = await secure.send('POST', path, undefined, { key: managementKey });
    expect(body.data.url).toMatch(/^https:\/\/presets\.example\.com\/sign-in\/link#pst_link_[\w-]{43}$/);
    const browser = openBrowser(secure);
    const link = { token: tokenOf(body.data.url) };
    const headers = { 'sec-fetch-site': '', origin: 'http://10.0.0.7:7778' };
    const refused = await browser.send('POST', '/sign-in/link', link, { headers });
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      expect.stringContaining('Open https://presets.example.com and try again.'),
    ]);
    const response = await browser.send('POST', '/sign-in/link', link);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-presetd_session=\S+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/),
    ]);
    expect((await browser.get('/account')).status).toBe(200);
    await secure.stop();
  });

  it('a sign-in ignores keys, and a key ignores cookies', async () => {
    const { email, browser } = await addPerson();
    const response = await server.send('GET', '/api/v1/account', undefined, {
      key: apiKey,
      headers: { cookie: browser.cookie ?? '' },
    });
    expect(response.body.data).toMatchObject({ credential: { kind: 'api' } });
    const rejected = await server.send('GET', '/api/v1/account', undefined, {
      key: 'unknown-key-0123456789',
      headers: { cookie: browser.cookie ?? '' },
    });
    expect(rejected.status).toBe(401);
    expect((await browser.get('/account')).body.data.email).toBe(email);
  });

  it('no password or token is logged', async () => {
    const { email, browser } = await addPerson();
    const token = await createLinkToken(server, email);
    await openBrowser(server).send('POST', '/sign-in/link', { token });
    await signIn(email, 'a wrong password that is secret');
    const log = server.log.join('\n');
    for (const secret of [password, token, browser.cookie?.split('=')[1] ?? '', 'a wrong password that'])
      expect(log).not.toContain(secret);
  });

  it('no password or token is stored', async () => {
    const { email, browser } = await addPerson();
    const token = await createLinkToken(server, email);
    const read = (table: string) => server.database.sql(`SELECT * FROM ${table}`);
    const rows = await Promise.all(['passwords', 'sessions', 'sign_in_links'].map(read));
    for (const stored of rows) expect(stored.length).toBeGreaterThan(0);
    const text = JSON.stringify(rows);
    expect(text).toContain('$argon2id$');
    for (const secret of [password, token, browser.cookie?.split('=')[1] ?? ''])
      expect(text).not.toContain(secret);
  });
});
