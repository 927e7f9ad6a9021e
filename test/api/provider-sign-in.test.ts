import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import { type ProviderAccount, startIdentityProvider } from '../support/identity-provider.ts';
import { createRedirectBrowser, type RedirectBrowser } from '../support/redirect-browser.ts';
import { apiKey } from '../support/server.ts';
import { settlesWithin } from '../support/settles-within.ts';
import { type SignInServer, startSignInServer } from '../support/sign-in-server.ts';

const inDomain = { okta: { domains: ['example.com'] } };
const cookieName = 'presetd_session';

let server: SignInServer;
/** The person at both providers; another one in each test. */
let ann: ProviderAccount & { readonly email: string };
let count = 0;

beforeAll(async () => {
  server = await startSignInServer(anyEngine);
});

beforeEach(() => {
  server.configure(inDomain);
  count += 1;
  const email = `ann-${count}@example.com`;
  ann = { sub: `ann-${count}`, email, email_verified: true, given_name: 'Ann', family_name: 'Lee' };
  for (const provider of [server.okta, server.google])
    Object.assign(provider, { account: ann, denial: undefined, tamper: undefined });
});

const personOf = async (email: string) => (await server.manage('GET', `/organization/people/${email}`)).data;

/** Begins to sign in, and returns the path to which the provider sends the browser back. */
async function visitOkta(browser: RedirectBrowser): Promise<string> {
  const { url } = await browser.open(`${server.url}/sign-in/okta`, (next) => next.includes('/callback?'));
  return url.slice(server.url.length);
}

/** Opens a path and returns the one where the browser ends. */
async function open(browser: RedirectBrowser, path: string): Promise<string> {
  return (await server.open(browser, path)).url.slice(server.url.length);
}

describe('signing in with a provider', () => {
  it('creates an account for a verified address in a domain, and starts a session', async () => {
    const { browser, path } = await server.signIn('okta', undefined, '?return_to=/presets%3Fq%3Da');
    expect(path).toBe('/presets?q=a');
    const { body } = await server.request(browser, 'GET', '/api/v1/account');
    expect(body.data).toMatchObject({
      email: ann.email,
      first_name: 'Ann',
      last_name: 'Lee',
      organization: { role: 'org:member' },
      workspaces: [{ slug: 'default', role: 'viewer' }],
      has_password: false,
      credential: { kind: 'session', method: 'okta' },
    });
    const { data: events } = await server.manage('GET', '/audit?limit=3');
    expect(events).toMatchObject([
      { kind: 'account.signed_in', subject: ann.email, after: { method: 'okta' } },
      { kind: 'account.identity_linked', actor_email: ann.email },
      { kind: 'member.added', key_label: expect.stringMatching(/^session /) },
    ]);
  });

  it('signs the same person in again, even with another address', async () => {
    const first = await server.signIn('okta');
    server.okta.account = { ...ann, email: 'ann.new@other.example', email_verified: false };
    const second = await server.signIn('okta');
    expect(second.path).toBe('/');
    const accounts = [first, second].map(({ browser }) => server.request(browser, 'GET', '/api/v1/account'));
    const [one, two] = await Promise.all(accounts);
    expect(two?.body.data.id).toBe(one?.body.data.id);
    expect(two?.body.data.email).toBe(ann.email);
  });

  it('links the identity to a member who was invited', async () => {
    server.configure({});
    const invited = { email: ann.email.toUpperCase(), first_name: 'Invited', last_name: 'Person' };
    const { data: member } = await server.manage('POST', '/organization/members', invited);
    const { browser } = await server.signIn('okta');
    const { body } = await server.request(browser, 'GET', '/api/v1/account');
    expect(body.data).toMatchObject({ id: member.id, first_name: 'Invited' });
    expect(await personOf(member.id)).toMatchObject({ providers: ['okta'], status: 'active' });
  });

  it('a sign-in that began on one server can finish on another', async () => {
    const browser = createRedirectBrowser();
    const path = await visitOkta(browser);
    // Nothing but the database and the cookie is left.
    server.configure(inDomain);
    expect(await open(browser, path)).toBe('/');
    expect(browser.cookie(server.url, cookieName)).toMatch(/^pst_session_/);
  });

  it('sets cookies that scripts and other sites cannot use', async () => {
    const browser = createRedirectBrowser();
    const url = `${server.url}${await visitOkta(browser)}`;
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: browser.cookiesFor(server.url) },
    });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^presetd_sign_in=; Path=\/; Max-Age=0; HttpOnly; SameSite=Lax$/),
      expect.stringMatching(
        /^presetd_session=pst_session_\S+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
      ),
    ]);
    expect([
      response.status,
      response.headers.get('cache-control'),
      response.headers.get('referrer-policy'),
    ]).toEqual([303, 'no-store', 'no-referrer']);
  });

  it('uses the public address for the redirect URI, and secure cookies if that is https', async () => {
    const server = await startSignInServer(
      anyEngine,
      {},
      { PRESETD_PUBLIC_URL: 'https://presets.example.com' },
    );
    const response = await fetch(`${server.url}/sign-in/okta`, { redirect: 'manual' });
    const location = new URL(response.headers.get('location') ?? '');
    expect(location.searchParams.get('redirect_uri')).toBe(
      'https://presets.example.com/sign-in/okta/callback',
    );
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-presetd_sign_in=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
  });
});

describe('refused sign-ins', () => {
  it.each<[code: string, title: string, account: object]>([
    ['not_invited', 'whose address is in no domain', { email: 'eve@evil.example' }],
    ['unverified', 'whose address is not verified', { email_verified: false }],
    ['unverified', 'without an address', { email: undefined }],
  ])('a sign-in fails with %s for a person %s', async (code, _title, account) => {
    server.okta.account = { ...ann, ...account };
    const { browser, path } = await server.signIn('okta', undefined, '?return_to=/presets');
    expect(path).toBe(`/sign-in?error=${code}&return_to=%2Fpresets`);
    expect(browser.cookie(server.url, cookieName)).toBeUndefined();
    const { data: events } = await server.manage('GET', '/audit?kind=account.sign_in_failed&limit=1');
    const { email = ann.sub } = server.okta.account;
    expect(events).toMatchObject([{ subject: email, after: { method: 'okta', reason: code } }]);
  });

  it('refused sign-ins count as failed authentications, so that they cannot flood the audit log', async () => {
    const limited = await startSignInServer(anyEngine, {}, { PRESETD_AUTH_FAILURE_LIMIT: '2' });
    limited.okta.account = ann;
    for (let refusals = 0; refusals < 2; refusals += 1)
      expect((await limited.signIn('okta')).path).toBe('/sign-in?error=not_invited');
    expect((await limited.signIn('okta')).path).toContain('/sign-in/okta/callback?');
    expect((await limited.get('/api/v1/models', { key: apiKey })).status).toBe(429);
    const events = await limited.database.sql(
      `SELECT kind FROM audit_events WHERE kind = 'account.sign_in_failed'`,
    );
    expect(events).toHaveLength(2);
  });

  it('a deactivated person cannot sign in until they are reactivated', async () => {
    const { browser } = await server.signIn('okta');
    await server.manage('POST', `/organization/people/${ann.email}/deactivate`);
    expect((await server.request(browser, 'GET', '/api/v1/account')).status).toBe(401);
    expect((await server.signIn('okta')).path).toBe('/sign-in?error=deactivated');
    await server.manage('POST', `/organization/people/${ann.email}/reactivate`);
    expect((await server.signIn('okta')).path).toBe('/');
  });

  it('a sign-in fails if the person declines at the provider, whose text is not in the URL', async () => {
    server.okta.denial = 'access_denied';
    expect((await server.signIn('okta')).path).toBe('/sign-in?error=denied');
  });

  it('a sign-in fails if the provider is down, and the cause is logged', async () => {
    server.configure({ okta: { issuer: 'http://127.0.0.1:9' } });
    expect((await server.signIn('okta')).path).toBe('/sign-in?error=provider_unavailable');
    const lines = server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'sign-in failed');
    expect(lines.slice(-1)).toMatchObject([
      {
        code: 'provider_unavailable',
        cause: expect.stringContaining('signing in with okta failed: fetch failed'),
      },
    ]);
  });

  it('a sign-in fails if the provider is not configured', async () => {
    const { url } = await createRedirectBrowser().open(`${server.url}/sign-in/other`, (next) =>
      next.includes('error='),
    );
    expect(url).toBe(`${server.url}/sign-in?error=provider_unavailable`);
  });
});

describe('attacks on signing in with a provider', () => {
  it('a second provider cannot take over an account with an address that it has not verified', async () => {
    await server.signIn('okta');
    server.google.account = { ...ann, sub: 'eve', email_verified: false };
    expect((await server.signIn('google')).path).toBe('/sign-in?error=unverified');
    expect((await personOf(ann.email)).providers).toEqual(['okta']);
  });

  it('a provider that does not manage the domain cannot take over an account, even with a verified address', async () => {
    await server.signIn('okta');
    server.configure({});
    server.google.account = { ...ann, sub: 'eve' };
    expect((await server.signIn('google')).path).toBe('/sign-in?error=not_linked');
    expect((await personOf(ann.email)).providers).toEqual(['okta']);
  });

  it('a provider that does not manage the domain cannot take over an account whose key was just used', async () => {
    server.configure({});
    const { data: member } = await server.manage('POST', '/organization/members', { email: ann.email });
    const { key } = await server.manage('POST', '/keys', { name: 'Mine', creator_user_id: member.id });
    expect((await server.get('/api/v1/models', { key })).status).toBe(200);
    expect((await server.signIn('google')).path).toBe('/sign-in?error=not_linked');
    expect(await personOf(ann.email)).toMatchObject({ providers: [], status: 'active' });
  });

  it('a key that was never used, or only after it was disabled, does not keep its owner from signing in', async () => {
    server.configure({});
    const { data: member } = await server.manage('POST', '/organization/members', { email: ann.email });
    const created = await server.manage('POST', '/keys', { name: 'Mine', creator_user_id: member.id });
    await server.manage('PATCH', `/keys/${created.data.hash}`, { disabled: true });
    expect((await server.get('/api/v1/models', { key: created.key })).status).toBe(401);
    expect(await personOf(ann.email)).toMatchObject({ status: 'invited' });
    expect((await server.signIn('google')).path).toBe('/');
  });

  it('another account of the same provider cannot take over an account by its address', async () => {
    await server.signIn('okta');
    server.okta.account = { ...ann, sub: 'eve' };
    expect((await server.signIn('okta')).path).toBe('/sign-in?error=not_invited');
  });

  it('the same subject of another provider is somebody else', async () => {
    await server.signIn('okta');
    server.google.account = { ...ann, email: 'eve@evil.example' };
    expect((await server.signIn('google')).path).toBe('/sign-in?error=not_invited');
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/%5Cevil.example',
    '/%09/evil.example',
    'javascript:alert(1)',
  ])('a sign-in never redirects to another site: %s', async (returnTo) => {
    expect((await server.signIn('okta', undefined, `?return_to=${returnTo}`)).path).toBe('/');
  });

  it('a browser gets a new session, and the one that it had before ends (fixation)', async () => {
    const { browser } = await server.signIn('okta');
    const planted = browser.cookie(server.url, cookieName) ?? '';
    const victim = createRedirectBrowser();
    victim.setCookie(server.url, cookieName, planted);
    expect((await server.request(browser, 'GET', '/api/v1/account')).status).toBe(200);
    server.okta.account = { ...ann, sub: `victim-${count}`, email: `victim-${count}@example.com` };
    await server.signIn('okta', victim);
    expect(victim.cookie(server.url, cookieName)).not.toBe(planted);
    expect((await server.request(browser, 'GET', '/api/v1/account')).status).toBe(401);
    expect((await server.request(victim, 'GET', '/api/v1/account')).status).toBe(200);
  });

  it('a sign-in that began in another browser is refused (login CSRF)', async () => {
    const attacker = createRedirectBrowser();
    const path = await visitOkta(attacker);
    const victim = createRedirectBrowser();
    expect(await open(victim, path)).toBe('/sign-in?error=expired');
    await victim.open(`${server.url}/sign-in/okta`, (next) => next.startsWith(server.okta.issuer));
    expect(await open(victim, path)).toBe('/sign-in?error=expired');
    expect(victim.cookie(server.url, cookieName)).toBeUndefined();
  });

  it('the response of one provider is refused at the address of another (mix-up)', async () => {
    const browser = createRedirectBrowser();
    const path = (await visitOkta(browser)).replace('/okta/', '/google/');
    expect(await open(browser, path)).toBe('/sign-in?error=expired');
  });

  it('a response is refused the second time, and after ten minutes', async () => {
    const browser = createRedirectBrowser();
    const path = await visitOkta(browser);
    expect(await open(browser, path)).toBe('/');
    expect(await open(browser, path)).toBe('/sign-in?error=expired');
    const late = await visitOkta(browser);
    vi.useFakeTimers({ now: Date.now() + 600_000, toFake: ['Date'] });
    try {
      expect(await open(browser, late)).toBe('/sign-in?error=expired');
    } finally {
      vi.useRealTimers();
    }
  });

  it('an ID token of another attempt, issuer or audience starts no session', async () => {
    for (const claims of [{ nonce: 'other' }, { iss: 'https://evil.example' }, { aud: 'other' }]) {
      server.okta.tamper = (original) => ({ ...original, ...claims });
      expect((await server.signIn('okta')).path).toBe('/sign-in?error=provider_unavailable');
    }
  });

  it('repeated parameters are refused', async () => {
    const browser = createRedirectBrowser();
    const path = await visitOkta(browser);
    expect(await open(browser, `${path}&code=other`)).toBe('/sign-in?error=provider_unavailable');
  });

  it('no secret of a sign-in is logged', async () => {
    const browser = createRedirectBrowser();
    const path = await visitOkta(browser);
    server.okta.tamper = (original) => ({ ...original, nonce: 'other' });
    const start = server.log.length;
    await open(browser, path);
    const code = new URL(path, server.url).searchParams.get('code') ?? 'none';
    const log = server.log.slice(start).join();
    expect(log).toContain('sign-in failed');
    for (const secret of [code, server.okta.clientSecret, 'eyJ']) expect(log).not.toContain(secret);
  });
});

describe('groups', () => {
  const groups = [
    { name: 'admins', role: 'org:admin' },
    { name: 'writers', workspaces: { default: 'editor', marketing: 'admin' } },
  ];
  const okta = { ...inDomain.okta, scopes: ['openid', 'email', 'profile', 'groups'] };

  it('decide roles at each sign-in, even for existing sessions', async () => {
    server.configure({ okta, groups });
    await server.manage('POST', '/workspaces', { name: 'Marketing', slug: 'marketing' });
    server.okta.account = { ...ann, groups: ['writers'] };
    const { browser } = await server.signIn('okta');
    const rolesOf = async () => {
      const { data } = (await server.request(browser, 'GET', '/api/v1/account')).body;
      const workspaces = data.workspaces.map(({ slug, role }: Record<string, string>) => `${slug}: ${role}`);
      return [data.organization.role, ...workspaces];
    };
    expect(await rolesOf()).toEqual(['org:member', 'default: editor', 'marketing: admin']);
    server.okta.account = { ...ann, groups: ['admins'] };
    await server.signIn('okta');
    expect(await rolesOf()).toEqual(['org:admin', 'default: admin', 'marketing: admin']);
    const [promoted] = (await server.manage('GET', '/audit?kind=member.role_changed')).data;
    expect(promoted).toMatchObject({
      actor_email: ann.email,
      after: { role: 'org:admin', provider: 'okta', groups: 'admins' },
    });
    server.okta.account = { ...ann, groups: [] };
    await server.signIn('okta');
    expect(await rolesOf()).toEqual(['org:member', 'default: viewer']);
    server.okta.account = ann;
    server.configure({ okta: inDomain.okta, groups });
    await server.signIn('okta');
    expect(await rolesOf()).toEqual(['org:member', 'default: viewer']);
  });

  it('decide roles when the last one is left, although Keycloak then sends no groups at all', async () => {
    const { clientId: client_id, clientSecret: client_secret } = server.okta;
    const client = { client_id, client_secret };
    const keycloak = await startIdentityProvider({ client, path: '/realms/example' });
    keycloak.register([`${server.url}/sign-in/okta/callback`]);
    const roleAfter = async (account: ProviderAccount, parts: object = {}) => {
      server.configure({ okta: { ...okta, issuer: keycloak.issuer, ...parts }, groups });
      keycloak.account = account;
      const { browser } = await server.signIn('okta');
      return (await server.request(browser, 'GET', '/api/v1/account')).body.data.organization.role;
    };
    expect(await roleAfter({ ...ann, groups: ['admins'] })).toBe('org:admin');
    expect(await roleAfter(ann, { missing_groups_claim: 'unknown' })).toBe('org:admin');
    expect(await roleAfter(ann)).toBe('org:member');
  });

  it('groups of one provider do not match groups of the same name elsewhere, such as SCIM', async () => {
    const google = okta;
    const bound = (provider: string) => ({ name: 'admins', provider, role: 'org:admin' });
    const roleAfter = async (configured: readonly object[], own = ['admins']) => {
      server.configure({ okta, google, groups: configured });
      server.google.account = { ...ann, groups: own };
      const { browser } = await server.signIn('google');
      return (await server.request(browser, 'GET', '/api/v1/account')).body.data.organization.role;
    };
    expect(await roleAfter([bound('okta'), bound('scim')])).toBe('org:member');
    expect(await roleAfter([bound('okta'), bound('google')])).toBe('org:admin');
    // Groups of others neither give a role nor take one away.
    expect(await roleAfter([bound('okta')], [])).toBe('org:admin');
    expect(await roleAfter([bound('google')], [])).toBe('org:member');
  });

  it('never demote the last admin', async () => {
    server.configure({ okta, groups });
    const [owner] = (await server.manage('GET', '/organization/members')).data;
    await server.manage('PATCH', `/organization/members/${owner.id}`, { email: ann.email });
    server.okta.account = { ...ann, groups: [] };
    const { browser } = await server.signIn('okta');
    const { data } = (await server.request(browser, 'GET', '/api/v1/account')).body;
    expect(data).toMatchObject({ id: owner.id, organization: { role: 'org:admin' } });
  });
});

describe('the settings of providers', () => {
  it('are shown to the sign-in page, and can be reloaded', async () => {
    server.configure({});
    const methods = async () => (await server.get('/api/v1/sign-in', { key: null })).body.data;
    expect(await methods()).toEqual({
      password: true,
      providers: [
        { id: 'okta', name: 'okta' },
        { id: 'google', name: 'google' },
      ],
    });
    expect((await server.signIn('okta')).path).toBe('/sign-in?error=not_invited');
    server.configure({ ...inDomain, okta: { ...inDomain.okta, name: 'Okta' }, password: false });
    expect(await methods()).toMatchObject({ password: false, providers: [{ name: 'Okta' }, {}] });
    expect((await server.signIn('okta')).path).toBe('/');
  });

  it('can force single sign-on: no password works or can be set', async () => {
    server.configure({ ...inDomain, password: false });
    const headers = { 'sec-fetch-site': 'same-origin' };
    const credentials = { email: 'owner@localhost', password: 'correct horse battery staple' };
    const response = await server.post('/api/v1/sign-in/password', credentials, { key: null, headers });
    expect(response.status).toBe(403);
    const { browser } = await server.signIn('okta');
    const account = (await server.request(browser, 'GET', '/api/v1/account')).body.data;
    expect(account.can_set_password).toBe(false);
  });
});

describe('signing out', () => {
  it('ends the session, and returns the page that ends the one at the provider', async () => {
    const { browser } = await server.signIn('okta');
    const { status, body } = await server.request(browser, 'POST', '/api/v1/sign-out');
    expect(status).toBe(200);
    const url = new URL(body.data.redirect_to);
    expect([url.origin, url.searchParams.get('post_logout_redirect_uri')]).toEqual([
      server.okta.issuer,
      `${server.url}/sign-in`,
    ]);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    expect((await server.request(browser, 'GET', '/api/v1/account')).status).toBe(401);
    expect((await browser.open(url.href)).response?.status).toBe(200);
  });

  it('works if the provider is unreachable', async () => {
    const { browser } = await server.signIn('okta');
    server.configure({ okta: { issuer: 'http://127.0.0.1:9' } });
    const { body } = await server.request(browser, 'POST', '/api/v1/sign-out');
    expect(body.data.redirect_to).toBeNull();
  });

  it('does not wait long for a provider that does not respond', async () => {
    const { browser } = await server.signIn('okta');
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    server.configure({ okta: { issuer: `http://127.0.0.1:${port}` } });
    const signOut = server.request(browser, 'POST', '/api/v1/sign-out');
    expect(await settlesWithin(signOut, { timers: 6, ms: 1_000 })).toBe(true);
    expect((await signOut).body.data.redirect_to).toBeNull();
    silent.closeAllConnections();
    silent.close();
  });
});
