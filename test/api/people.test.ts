import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/core/identifiers.ts';
import { anyEngine } from '../support/engines.ts';
import { makeKey, makeMember, makeWorkspace } from '../support/organizations.ts';
import { apiKey, managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';
import { openBrowser, openLink, signInAs, tokenOf } from '../support/sign-in.ts';
import { statusWithinOneSecond } from '../support/status-within-one-second.ts';

const uniqueEmail = (name: string) => `${name}-${newId()}@example.com`;

describe('people', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine);
  });
  afterAll(() => server.stop());

  const admin = { key: managementKey };
  const get = (path: string) => server.get(`/api/v1/organization/people${path}`);
  const act = (idOrEmail: string, action: string, options = admin) =>
    server.send('POST', `/api/v1/organization/people/${idOrEmail}/${action}`, undefined, options);
  const invite = (body: Readonly<Record<string, unknown>>, options = admin) =>
    server.post('/api/v1/organization/invitations', body, options);
  const lastEvent = async (kind: string) => (await server.get(`/api/v1/audit?kind=${kind}`)).body.data[0];

  describe('invitations', () => {
    it('an invitation adds a person and returns a link that signs them in once, within seven days', async () => {
      const email = uniqueEmail('invited');
      const room = await makeWorkspace(server, `room-${newId()}`);
      const { status, body } = await invite({
        email,
        first_name: 'Ida',
        workspaces: [
          { id: room, role: 'admin' },
          { id: 'default', role: 'editor' },
        ],
      });
      expect(status).toBe(201);
      expect(body.data).toMatchObject({
        email,
        first_name: 'Ida',
        role: 'org:member',
        status: 'invited',
        last_active_at: null,
        has_password: false,
        providers: [],
        is_provisioned: false,
        workspaces: [
          { is_default: true, role: 'editor' },
          { id: room, role: 'admin' },
        ],
      });
      const days = (Date.parse(body.expires_at) - Date.now()) / 86_400_000;
      expect(days).toBeGreaterThan(6.99);
      expect(days).toBeLessThanOrEqual(7);
      expect(body.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/sign-in\/link#pst_link_/);
      const browser = await openLink(server, tokenOf(body.url));
      expect((await get(`/${email}`)).body.data).toMatchObject({
        id: browser.userId,
        status: 'active',
        last_active_at: expect.any(String),
      });
      const reused = await openBrowser(server).send('POST', '/sign-in/link', { token: tokenOf(body.url) });
      expect(reused.status).toBe(401);
    });

    it('inviting somebody again replaces their link until they sign in', async () => {
      const email = uniqueEmail('again');
      const first = await invite({ email });
      const second = await invite({ email, role: 'org:admin' });
      expect([second.status, second.body.data.role]).toEqual([201, 'org:member']);
      const attempt = (url: string) =>
        openBrowser(server).send('POST', '/sign-in/link', { token: tokenOf(url) });
      expect((await attempt(first.body.url)).status).toBe(401);
      expect((await attempt(second.body.url)).status).toBe(200);
      const third = await invite({ email });
      expect([third.status, third.body.error.message]).toEqual([
        409,
        `${email} is already a member of the organization. Create a sign-in link for them instead.`,
      ]);
    });

    it.each<[title: string, path: string, body: (email: string) => object]>([
      ['invited', '/invitations', (email) => ({ email })],
      ['added', '/members', (email) => ({ email })],
      ['imported', '/members/import', (email) => ({ members: [{ email }] })],
    ])('servers know at once that a former member was %s again', async (_title, path, body) => {
      const email = uniqueEmail('returning');
      const id = await makeMember(server, email);
      const { secret: key } = await makeKey(server, { creator_user_id: id });
      await server.send('DELETE', `/api/v1/organization/members/${id}`, undefined, admin);
      const refusal = async () => (await server.get('/api/v1/key', { key })).body.error.message;
      for (const _ of [1, 2]) expect(await refusal()).toContain('is no longer a member');
      expect((await server.post(`/api/v1/organization${path}`, body(email), admin)).status).toBeLessThan(300);
      // Removing them has disabled it.
      expect(await refusal()).toContain('is disabled');
    });

    it('only an org:admin can invite, and a viewer is the default role', async () => {
      const email = uniqueEmail('viewer');
      const { body } = await invite({ email });
      const viewer = await openLink(server, tokenOf(body.url));
      const refused = await viewer.send('POST', '/organization/invitations', { email: uniqueEmail('x') });
      expect(refused.status).toBe(403);
      expect(body.data.workspaces).toMatchObject([{ slug: 'default', role: 'viewer' }]);
      expect((await invite({ email: uniqueEmail('x') }, { key: apiKey })).status).toBe(401);
    });

    it('an invitation with an unknown workspace or an invalid address is rejected', async () => {
      const workspaces = [{ id: 'nowhere', role: 'viewer' }];
      const { status, body } = await invite({ email: uniqueEmail('x'), workspaces });
      expect([status, body.error.metadata.issues]).toEqual([
        400,
        [{ path: '/workspaces/0/id', message: 'is not the id or slug of a workspace' }],
      ]);
      expect((await invite({ email: 'nobody' })).status).toBe(400);
    });
  });

  it('lists people in the order in which they joined, and finds them', async () => {
    const email = uniqueEmail('listed');
    const id = await makeMember(server, email);
    const { body } = await get('?limit=1');
    expect(body).toMatchObject({ data: [{ email: 'owner@localhost', role: 'org:admin' }] });
    expect(body.total_count).toBeGreaterThan(1);
    expect((await get(`?q=${encodeURIComponent(email)}`)).body).toMatchObject({
      data: [{ id, email, status: 'invited' }],
      total_count: 1,
    });
    expect((await get('?offset=100000')).body.data).toEqual([]);
    for (const unknown of ['nobody', 'nobody@example.com', 'a%00b'])
      expect((await get(`/${unknown}`)).status).toBe(404);
  });

  it('only an org:admin and the person see how and when somebody signs in', async () => {
    const [email, other] = [uniqueEmail('private'), uniqueEmail('curious')];
    const room = await makeWorkspace(server, `room-${newId()}`);
    const id = await makeMember(server, email);
    await server.post(`/api/v1/workspaces/${room}/members/add`, { user_ids: [id] }, admin);
    await makeMember(server, other);
    const [self, curious] = [await signInAs(server, email), await signInAs(server, other)];
    const path = `/organization/people/${id}`;
    const whole = (await get(`/${id}`)).body.data;
    expect(whole).toMatchObject({ last_active_at: expect.any(String), has_password: false, providers: [] });
    expect(whole.workspaces).toHaveLength(2);
    expect((await self.get(path)).body.data).toEqual(whole);
    const seen = {
      ...whole,
      last_active_at: null,
      has_password: null,
      providers: null,
      workspaces: [expect.objectContaining({ slug: 'default' })],
    };
    expect((await curious.get(path)).body.data).toEqual(seen);
    const list = await curious.get(`/organization/people?q=${encodeURIComponent(email)}`);
    expect(list.body.data).toEqual([seen]);
  });

  it('somebody who uses a key is active', async () => {
    const email = uniqueEmail('programs');
    const id = await makeMember(server, email);
    const { secret } = await makeKey(server, { creator_user_id: id });
    await server.get('/api/v1/key', { key: secret });
    const second = await startServerOn(server.database);
    await second.get('/api/v1/key', { key: secret });
    // Stopping writes the last uses of keys.
    await second.stop();
    expect((await get(`/${id}`)).body.data).toMatchObject({
      status: 'active',
      last_active_at: expect.any(String),
    });
  });

  describe('sign-in links', () => {
    it('a sign-in link signs in somebody who has lost their password', async () => {
      const email = uniqueEmail('lost');
      await makeMember(server, email);
      const { status, body } = await act(email, 'sign-in-link');
      expect(status).toBe(201);
      const minutes = (Date.parse(body.data.expires_at) - Date.now()) / 60_000;
      expect(minutes).toBeGreaterThan(14);
      expect(minutes).toBeLessThanOrEqual(15);
      expect((await openLink(server, tokenOf(body.data.url))).userId).toMatch(/^user_/);
      expect(await lastEvent('account.link_created')).toMatchObject({
        actor_email: 'owner@localhost',
        subject: email,
      });
      expect((await act('nobody@example.com', 'sign-in-link')).status).toBe(404);
    });

    it('a member cannot create a sign-in link, not even for themselves', async () => {
      const email = uniqueEmail('member');
      await makeMember(server, email);
      const member = await signInAs(server, email);
      for (const person of ['owner@localhost', email])
        expect((await member.send('POST', `/organization/people/${person}/sign-in-link`)).status).toBe(403);
    });
  });

  describe('deactivating a person', () => {
    it('ends the sessions and keys of a person on every server within a second', async () => {
      const email = uniqueEmail('deactivated');
      const id = await makeMember(server, email);
      const { secret } = await makeKey(server, { creator_user_id: id });
      const browser = await signInAs(server, email);
      const pending = tokenOf((await act(email, 'sign-in-link')).body.data.url);
      const second = await startServerOn(server.database);
      const elsewhere = openBrowser(second, browser.cookie);
      const attempts = [
        () => browser.get('/account'),
        () => elsewhere.get('/account'),
        () => server.get('/api/v1/key', { key: secret }),
        () => second.get('/api/v1/key', { key: secret }),
      ];
      for (const attempt of attempts) expect((await attempt()).status).toBe(200);
      const { status, body } = await act(email, 'deactivate');
      expect([status, body.data.status]).toEqual([200, 'deactivated']);
      const statuses = await Promise.all(attempts.map((attempt) => statusWithinOneSecond(attempt)));
      expect(statuses).toEqual([401, 401, 403, 403]);
      expect((await openBrowser(server).send('POST', '/sign-in/link', { token: pending })).status).toBe(401);
      expect((await act(email, 'sign-in-link')).status).toBe(409);

      expect((await act(email, 'reactivate')).body.data.status).not.toBe('deactivated');
      expect((await server.get('/api/v1/key', { key: secret })).status).toBe(200);
      expect((await browser.get('/account')).status).toBe(401);
      await second.stop();
    });

    it('the last org:admin cannot be deactivated', async () => {
      const fresh = await startTestServer(anyEngine);
      const path = '/api/v1/organization/people/owner@localhost/deactivate';
      const { status, body } = await fresh.send('POST', path, undefined, admin);
      expect([status, body.error.message]).toEqual([
        409,
        'owner@localhost is the last org:admin. Add another one first.',
      ]);
      await fresh.stop();
    });

    it('deactivating a person requires an org:admin', async () => {
      const email = uniqueEmail('member');
      await makeMember(server, email);
      const member = await signInAs(server, email);
      for (const action of ['deactivate', 'reactivate'])
        expect((await member.send('POST', `/organization/people/owner@localhost/${action}`)).status).toBe(
          403,
        );
    });
  });

  describe('sessions of others', () => {
    it('an admin lists and ends the sessions of others', async () => {
      const email = uniqueEmail('watched');
      await makeMember(server, email);
      const [one, two] = [await signInAs(server, email), await signInAs(server, email)];
      const third = await signInAs(server, email);
      const { data } = (await get(`/${email}/sessions`)).body;
      expect(data).toMatchObject([
        { id: third.sessionId, is_current: false },
        { id: two.sessionId },
        { id: one.sessionId, label: one.label },
      ]);
      const end = (path: string) =>
        server.send('DELETE', `/api/v1/organization/people/${email}/sessions${path}`, undefined, admin);
      expect((await end(`/${one.sessionId}`)).body).toEqual({ deleted: true });
      expect((await one.get('/account')).status).toBe(401);
      expect((await two.get('/account')).status).toBe(200);
      for (const id of [one.sessionId, newId(), 'no-uuid']) expect((await end(`/${id}`)).status).toBe(404);
      expect((await end('')).status).toBe(200);
      for (const browser of [two, third]) expect((await browser.get('/account')).status).toBe(401);
      expect(await lastEvent('account.sessions_ended')).toMatchObject({
        actor_email: 'owner@localhost',
        subject: email,
        after: { sessions: 2 },
      });
    });

    it('a session cannot be ended under the address of another person', async () => {
      const [email, other] = [uniqueEmail('one'), uniqueEmail('other')];
      await makeMember(server, email);
      await makeMember(server, other);
      const browser = await signInAs(server, email);
      const path = `/api/v1/organization/people/${other}/sessions/${browser.sessionId}`;
      expect((await server.send('DELETE', path, undefined, admin)).status).toBe(404);
      expect((await browser.get('/account')).status).toBe(200);
    });

    it('a member can neither list nor end the sessions of others', async () => {
      const email = uniqueEmail('member');
      await makeMember(server, email);
      const member = await signInAs(server, email);
      const path = '/organization/people/owner@localhost/sessions';
      expect((await member.get(path)).status).toBe(403);
      expect((await member.send('DELETE', path)).status).toBe(403);
      expect((await member.send('DELETE', `${path}/${newId()}`)).status).toBe(403);
    });
  });
});
