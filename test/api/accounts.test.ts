import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { addOrganization, makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { createLinkToken, openBrowser, type SignedInBrowser, signInAs } from '../support/sign-in.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

const password = 'correct horse battery staple';
const another = 'a different long passphrase';
const uniqueEmail = (name: string) => `${name}-${newId()}@example.com`;

describe('accounts', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());

  const addPerson = async (details: Readonly<Record<string, unknown>> = {}) => {
    const email = uniqueEmail('person');
    await makeMember(server, email, details);
    return { email, browser: await signInAs(server, email) };
  };
  const signIn = async (email: string, attempt: string) => {
    const browser = openBrowser(server);
    const { status } = await browser.send('POST', '/sign-in/password', { email, password: attempt });
    return { browser, status };
  };
  const setPassword = (browser: SignedInBrowser, body: Readonly<Record<string, unknown>>) =>
    browser.send('PUT', '/account/password', body);
  const isSignedIn = async (browser: { get(path: string): Promise<{ status: number }> }) =>
    (await browser.get('/account')).status === 200;

  describe('the person behind a request', () => {
    it('is the person who is signed in, with the workspaces that they can access', async () => {
      const { email, browser } = await addPerson({ first_name: 'Ida' });
      const workspaceId = await makeWorkspace(server, `room-${newId()}`);
      await makeWorkspace(server, `closed-${newId()}`);
      await server.send(
        'PATCH',
        `/api/v1/workspaces/${workspaceId}/content-log`,
        { enabled: true },
        {
          key: managementKey,
        },
      );
      const members = { user_ids: [browser.userId], role: 'editor' };
      await server.send('POST', `/api/v1/workspaces/${workspaceId}/members/add`, members, {
        key: managementKey,
      });
      const { data } = (await browser.get('/account')).body;
      expect(data).toMatchObject({
        id: browser.userId,
        email,
        first_name: 'Ida',
        organization: { name: 'Default organization', role: 'org:member' },
        has_password: false,
        can_set_password: true,
        credential: {
          kind: 'session',
          id: browser.sessionId,
          label: expect.stringMatching(/^session [0-9a-f]{8}$/),
          scope: 'write',
          method: 'link',
          expires_at: expect.any(String),
        },
      });
      expect(data.workspaces).toMatchObject([
        { slug: 'default', is_default: true, is_content_logged: false, role: 'admin' },
        { id: workspaceId, is_default: false, is_content_logged: true, role: 'editor' },
      ]);
    });

    it('is an admin of every workspace as an org:admin', async () => {
      const { browser } = await addPerson({ role: 'org:admin' });
      const workspaceId = await makeWorkspace(server, `every-${newId()}`);
      const { workspaces } = (await browser.get('/account')).body.data;
      expect(workspaces[0]).toMatchObject({ is_default: true });
      expect(workspaces).toContainEqual(expect.objectContaining({ id: workspaceId, role: 'admin' }));
    });

    it('is the owner of a key', async () => {
      const of = async (key: string) => (await server.get('/api/v1/account', { key })).body.data;
      expect(await of(apiKey)).toMatchObject({
        email: 'owner@localhost',
        workspaces: [{ slug: 'default', is_content_logged: false, role: 'admin' }],
        credential: { kind: 'api', scope: 'write', method: null, expires_at: null },
      });
      const call = await makeKey(server, { scope: 'call' });
      expect((await of(call.secret)).credential).toMatchObject({ id: call.id, kind: 'api', scope: 'call' });
      const reader = await makeKey(server, { kind: 'management', read_only: true });
      expect((await of(reader.secret)).credential).toMatchObject({ kind: 'management', scope: 'read' });
    });
  });

  it.each([
    ['PATCH', '/account', { first_name: 'X' }],
    ['PUT', '/account/password', { password }],
    ['GET', '/account/sessions', undefined],
    ['DELETE', '/account/sessions', undefined],
    ['DELETE', `/account/sessions/${newId()}`, undefined],
    ['POST', '/sign-out', undefined],
  ])('%s %s requires a session, regardless of the key', async (method, path, body) => {
    for (const key of [apiKey, managementKey]) {
      const response = await server.send(method, `/api/v1${path}`, body, { key });
      expect([response.status, response.body.error.message]).toEqual([
        403,
        expect.stringMatching(/ requires a session; \S+ is a key\.$/),
      ]);
    }
    expect((await server.send(method, `/api/v1${path}`, body, { key: null })).status).toBe(401);
  });

  describe('changing your account', () => {
    it('changes your name, and the audit log names you and the session', async () => {
      const { email, browser } = await addPerson();
      const names = { first_name: 'Grace', last_name: 'Hopper' };
      expect((await browser.send('PATCH', '/account', names)).body.data).toMatchObject(names);
      const [event] = (await server.get('/api/v1/audit?kind=member.renamed')).body.data;
      expect(event).toMatchObject({ actor_email: email, key_label: browser.label, after: names });
    });

    it('only an org:admin can change their email address', async () => {
      const { browser } = await addPerson();
      const email = uniqueEmail('changed');
      const refused = await browser.send('PATCH', '/account', { email, first_name: 'X' });
      expect(refused.status).toBe(403);
      expect((await browser.get('/account')).body.data.first_name).toBe('');
      const { browser: admin } = await addPerson({ role: 'org:admin' });
      expect((await admin.send('PATCH', '/account', { email })).body.data.email).toBe(email);
      const taken = await admin.send('PATCH', '/account', { email: 'owner@localhost' });
      expect(taken.status).toBe(409);
    });

    it('an invalid change is rejected with all of its issues', async () => {
      const { browser } = await addPerson({ role: 'org:admin' });
      const { status, body } = await browser.send('PATCH', '/account', { email: 'no', first_name: '\u0007' });
      expect(status).toBe(400);
      expect(body.error.metadata.issues.map(({ path }: { path: string }) => path)).toEqual([
        '/email',
        '/first_name',
      ]);
    });
  });

  describe('passwords', () => {
    it.each([
      ['kq7vopxwnbz', 'must have 12 to 1000 characters'],
      ['password1234', 'must not be a common password'],
      ['aaaaaaaaaaaa', 'must not repeat a few characters'],
    ])('the password %j is rejected', async (weak, problem) => {
      const { browser } = await addPerson();
      const { status, body } = await setPassword(browser, { password: weak });
      expect([status, body.error.metadata.issues]).toEqual([
        400,
        [{ path: '/password', message: expect.stringContaining(problem) }],
      ]);
    });

    it('a password that contains the name of the email address is rejected', async () => {
      const { email, browser } = await addPerson();
      const { body } = await setPassword(browser, { password: `my ${email.split('@')[0]}!` });
      expect(body.error.message).toContain('which is part of your email address');
    });

    it('setting a password ends your other sessions and keeps this one', async () => {
      const { email, browser } = await addPerson();
      const others = [await signInAs(server, email), await signInAs(server, email)];
      for (const other of others) expect(await isSignedIn(other)).toBe(true);
      const { status, body } = await setPassword(browser, { password });
      expect([status, body.data.has_password]).toEqual([200, true]);
      for (const other of others) expect(await isSignedIn(other)).toBe(false);
      expect(await isSignedIn(browser)).toBe(true);
      expect((await signIn(email, password)).status).toBe(200);
      const events = (await server.get('/api/v1/audit?kind=account&limit=3')).body.data;
      expect(events.slice(1)).toMatchObject([
        { kind: 'account.sessions_ended', actor_email: email, after: { sessions: 2 } },
        { kind: 'account.password_set', actor_email: email, key_label: browser.label },
      ]);
    });

    it('one of two concurrent password changes in a session fails and changes nothing', async () => {
      const { email, browser } = await addPerson();
      const changeTwice = async (proof: Readonly<Record<string, unknown>>) => {
        const passwords = ['first', 'second'].map((name) => `${name} ${newId()}`);
        const changes = passwords.map((each) => setPassword(browser, { password: each, ...proof }));
        const responses = await Promise.all(changes);
        const winner = responses.findIndex(({ status }) => status === 200);
        expect(responses[1 - winner]).toMatchObject({
          status: 400,
          body: { error: { metadata: { issues: [{ path: '/current_password' }] } } },
        });
        expect((await signIn(email, passwords[1 - winner] ?? '')).status).toBe(401);
        expect((await signIn(email, passwords[winner] ?? '')).status).toBe(200);
        return passwords[winner];
      };
      // The session began with a link, so neither needs the current password.
      const chosen = await changeTwice({});
      await changeTwice({});
      await changeTwice({ current_password: chosen });
      const kinds = (await server.get('/api/v1/audit?kind=account.password_set&limit=4')).body.data;
      expect(kinds.filter(({ subject }: { subject: string }) => subject === email)).toHaveLength(3);
    });

    it('one of two concurrent password changes in two sessions fails, and its session ends', async () => {
      const { email, browser } = await addPerson();
      const browsers = [browser, await signInAs(server, email)];
      const passwords = ['first', 'second'].map((name) => `${name} ${newId()}`);
      const responses = await Promise.all(
        browsers.map((each, index) => setPassword(each, { password: passwords[index] })),
      );
      const winner = responses.findIndex(({ status }) => status === 200);
      expect(responses[1 - winner]?.status).toBe(401);
      expect(await Promise.all(browsers.map(isSignedIn))).toEqual([winner === 0, winner === 1]);
      expect((await signIn(email, passwords[1 - winner] ?? '')).status).toBe(401);
      expect((await signIn(email, passwords[winner] ?? '')).status).toBe(200);
    });

    it('changing a password requires the current one, unless you have just signed in with a link', async () => {
      const { email, browser } = await addPerson();
      await setPassword(browser, { password });
      const signedIn = await signIn(email, password);
      const change = (body: Readonly<Record<string, unknown>>) =>
        signedIn.browser.send('PUT', '/account/password', body);
      expect((await change({ password: another })).body.error.metadata.issues).toEqual([
        { path: '/current_password', message: 'is required to change your password' },
      ]);
      expect(
        (await change({ password: another, current_password: 'wrong' })).body.error.metadata.issues,
      ).toEqual([{ path: '/current_password', message: 'is not your current password' }]);
      expect((await signIn(email, another)).status).toBe(401);
      expect((await change({ password: another, current_password: password })).status).toBe(200);
      expect((await signIn(email, password)).status).toBe(401);
      expect((await setPassword(await signInAs(server, email), { password })).status).toBe(200);
    });

    it('changing a password requires the current one 15 minutes after a sign-in with a link', async () => {
      const { email, browser } = await addPerson();
      await setPassword(browser, { password });
      const needsCurrent = async (each: SignedInBrowser) =>
        (await each.get('/account')).body.data.needs_current_password;
      const later = await signInAs(server, email);
      expect(await needsCurrent(later)).toBe(false);
      const startedAt = new Date(Date.now() - 15 * 60_000).toISOString();
      await server.database.transaction(
        `UPDATE sessions SET created_at = '${startedAt}' WHERE id = '${later.sessionId}'`,
      );
      await expect.poll(() => needsCurrent(later)).toBe(true);
      expect((await setPassword(later, { password: another })).body.error.metadata.issues).toEqual([
        { path: '/current_password', message: 'is required to change your password' },
      ]);
      const change = { password: another, current_password: password };
      expect((await setPassword(later, change)).status).toBe(200);
    });

    it('failed sign-ins do not prevent a password change, which lifts the limit', async () => {
      const { email, browser } = await addPerson();
      await setPassword(browser, { password });
      const signedIn = await signIn(email, password);
      for (let index = 0; index < 10; index += 1) await signIn(email, 'wrong');
      const change = { password: another, current_password: password };
      expect((await signIn(email, password)).status).toBe(429);
      expect((await signedIn.browser.send('PUT', '/account/password', change)).status).toBe(200);
      expect((await signIn(email, another)).status).toBe(200);
    });

    it('guesses at the current password are limited', async () => {
      const { email, browser } = await addPerson();
      await setPassword(browser, { password });
      const signedIn = await signIn(email, password);
      const guess = (current: string) =>
        signedIn.browser.send('PUT', '/account/password', { password: another, current_password: current });
      for (let index = 0; index < 10; index += 1) expect((await guess('wrong')).status).toBe(400);
      expect((await guess(password)).status).toBe(429);
      expect((await signIn(email, password)).status).toBe(200);
      await server.database.transaction('DELETE FROM failed_sign_ins');
    });

    it('an admin of another organization cannot set the password of somebody they invite', async () => {
      const { email, browser } = await addPerson();
      await setPassword(browser, { password });
      const other = await addOrganization(server.database);
      const path = '/api/v1/organization/invitations';
      const invited = await server.post(path, { email, role: 'org:admin' }, { key: other.managementKey });
      expect(invited.status).toBe(201);
      const intruder = openBrowser(server);
      const token = new URL(invited.body.url).hash.slice(1);
      expect((await intruder.send('POST', '/sign-in/link', { token })).status).toBe(200);
      expect((await intruder.send('PUT', '/account/password', { password: another })).status).toBe(403);
      const taken = { email: uniqueEmail('taken') };
      expect((await intruder.send('PATCH', '/account', taken)).status).toBe(403);
    });
  });

  describe('sessions', () => {
    it('lists your sessions, and says which one this is', async () => {
      const { email, browser } = await addPerson();
      const second = await signInAs(server, email);
      const { data } = (await browser.get('/account/sessions')).body;
      expect(data).toMatchObject([
        { id: second.sessionId, is_current: false },
        {
          id: browser.sessionId,
          label: browser.label,
          is_current: true,
          method: 'link',
          address: '127.0.0.1',
          user_agent: 'node',
        },
      ]);
    });

    it('keeps only the beginning of a long user agent', async () => {
      const { email } = await addPerson();
      const browser = openBrowser(server);
      const headers = { 'user-agent': 'x'.repeat(600) };
      const token = await createLinkToken(server, email);
      await browser.send('POST', '/sign-in/link', { token }, { headers });
      const { data } = (await browser.get('/account/sessions')).body;
      expect(data[0].user_agent).toBe('x'.repeat(512));
    });

    it("ends one of your sessions, but never someone else's", async () => {
      const { email, browser } = await addPerson();
      const second = await signInAs(server, email);
      const { browser: stranger } = await addPerson();
      const path = `/account/sessions/${second.sessionId}`;
      expect((await stranger.send('DELETE', path)).status).toBe(404);
      expect(await isSignedIn(second)).toBe(true);
      expect((await browser.send('DELETE', path)).body).toEqual({ deleted: true });
      expect(await isSignedIn(second)).toBe(false);
      for (const id of [second.sessionId, 'no-uuid', newId(), 'a%00b'])
        expect((await browser.send('DELETE', `/account/sessions/${id}`)).status).toBe(404);
    });

    it('signing out everywhere ends all your sessions', async () => {
      const { email, browser } = await addPerson();
      const second = await signInAs(server, email);
      const cookies = [browser.cookie, second.cookie];
      expect((await browser.send('DELETE', '/account/sessions')).status).toBe(200);
      expect(browser.cookie).toBeUndefined();
      for (const cookie of cookies) expect(await isSignedIn(openBrowser(server, cookie))).toBe(false);
    });

    it('signing out ends only this session and deletes the cookie', async () => {
      const { email, browser } = await addPerson();
      const second = await signInAs(server, email);
      const { cookie } = browser;
      const response = await browser.send('POST', '/sign-out');
      expect([response.status, response.body]).toEqual([200, { data: { redirect_to: null } }]);
      expect(response.headers.getSetCookie()).toEqual([
        'presetd_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
      ]);
      expect(await isSignedIn(openBrowser(server, cookie))).toBe(false);
      expect(await isSignedIn(second)).toBe(true);
    });

    it('a change by a page of another site is refused', async () => {
      const { browser } = await addPerson();
      const headers = { 'sec-fetch-site': 'cross-site' };
      for (const [method, path, body] of [
        ['PATCH', '/account', { first_name: 'X' }],
        ['DELETE', '/account/sessions', undefined],
        ['POST', '/sign-out', undefined],
      ] as const)
        expect((await browser.send(method, path, body, { headers })).status).toBe(403);
      expect(await isSignedIn(browser)).toBe(true);
    });

    it.each([
      ['was not used for seven days', `last_used_at = '2026-01-01T00:00:00.000Z'`],
      ['has reached its absolute limit', `expires_at = '2026-01-01T00:00:00.000Z'`],
    ])('a session that %s has ended', async (_, change) => {
      const { browser } = await addPerson();
      const viewer = await addPerson({ role: 'org:admin' });
      await server.database.transaction(`UPDATE sessions SET ${change} WHERE id = '${browser.sessionId}'`);
      expect(await statusWithinOneSecond(() => browser.get('/account'))).toBe(401);
      const listed = await viewer.browser.get(`/organization/people/${browser.userId}/sessions`);
      expect(listed.body).toEqual({ data: [] });
    });

    it('a session lasts as long as the settings say', async () => {
      const short = await startServerOn(server.database, { PRESETD_SESSION_MAX: '2h' });
      const { email } = await addPerson();
      const browser = await signInAs(short, email);
      const { expires_at: expiresAt } = (await browser.get('/account')).body.data.credential;
      expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(7_100_000);
      expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(7_200_000);
      await short.stop();
    });
  });
});

// The engines' statements for sessions: test/contract/sessions.test.ts.
describe('sessions of two servers', () => {
  let server: TestServer;
  let second: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
    second = await startServerOn(server.database);
  });
  afterAll(async () => {
    await second.stop();
    await server.stop();
  });

  it.each([
    ['signs out everywhere', (browser: SignedInBrowser) => browser.send('DELETE', '/account/sessions')],
    ['sets a password', (_: SignedInBrowser, other: SignedInBrowser) => setPasswordOf(other)],
  ])('both servers refuse a session within a second after its person %s', async (_, revoke) => {
    const email = uniqueEmail('revoked');
    await makeMember(server, email);
    const [browser, other] = [await signInAs(server, email), await signInAs(server, email)];
    const elsewhere = openBrowser(second, browser.cookie);
    expect((await elsewhere.get('/account')).status).toBe(200);
    const here = openBrowser(server, browser.cookie);
    expect((await revoke(browser, other)).status).toBe(200);
    expect((await here.get('/account')).status).toBe(401);
    expect(await statusWithinOneSecond(() => elsewhere.get('/account'))).toBe(401);
  });
});

function setPasswordOf(browser: SignedInBrowser) {
  return browser.send('PUT', '/account/password', { password });
}
