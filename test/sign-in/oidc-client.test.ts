import { describe, expect, it, vi } from 'vitest';
import { createOidcClient, type OidcClient } from '../../src/sign-in/oidc-client.ts';
import { SignInError } from '../../src/sign-in/sign-in-error.ts';
import { readSignInFile } from '../../src/sign-in/sign-in-file.ts';
import {
  type IdentityProvider,
  type IdentityProviderOptions,
  startIdentityProvider,
} from '../support/identity-provider.ts';
import { createRedirectBrowser } from '../support/redirect-browser.ts';
import { startStubServer } from '../support/stub-server.ts';

const redirectUri = 'http://127.0.0.1:9/sign-in/test/callback';
const ann = {
  sub: 'ann-1',
  email: 'ann@example.com',
  email_verified: true,
  given_name: 'Ann',
  family_name: 'Lee',
};

interface Setup {
  readonly idp: IdentityProvider;
  readonly client: OidcClient;
}

async function setUp(options: IdentityProviderOptions = {}, fields: object = {}): Promise<Setup> {
  const idp = await startIdentityProvider(options);
  idp.register([redirectUri], ['http://127.0.0.1:9/sign-in']);
  idp.account = ann;
  return { idp, client: clientOf(idp, fields) };
}

function clientOf(
  { issuer, clientId, clientSecret }: Pick<IdentityProvider, 'issuer' | 'clientId' | 'clientSecret'>,
  fields: object = {},
): OidcClient {
  const entry = {
    id: 'test',
    name: 'Test',
    issuer,
    client_id: clientId,
    client_secret_env: 'SECRET',
    ...fields,
  };
  const { settings, problems } = readSignInFile(JSON.stringify({ providers: [entry] }), 'file', {
    SECRET: clientSecret,
  });
  const [provider] = settings?.providers ?? [];
  if (provider === undefined) throw new Error(problems.join());
  return createOidcClient(provider, true);
}

/** Sends a new browser to the provider, and returns how the provider sends it back. */
async function visitProvider({ client }: Setup) {
  const { url, attempt } = await client.begin(redirectUri);
  const page = await createRedirectBrowser().open(url, (next) => next.startsWith(redirectUri));
  return { url: new URL(url), attempt, parameters: new URL(page.url).searchParams };
}

async function signIn(setup: Setup) {
  const { attempt, parameters } = await visitProvider(setup);
  return setup.client.finish(parameters, attempt);
}

/** Rejects unless the sign-in fails; returns the code and all messages of the error. */
async function failureOf(signingIn: Promise<unknown>): Promise<{ code: string; causes: string }> {
  const error = await signingIn.then(
    () => new Error('the sign-in worked'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SignInError)) throw error;
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) causes.push(cause.message);
  return { code: error.code, causes: causes.join(': ') };
}

const seconds = () => Math.floor(Date.now() / 1_000);

describe('signing in with a provider', () => {
  it('returns who signed in, with code flow, PKCE, state and nonce', async () => {
    const setup = await setUp();
    const { url, attempt, parameters } = await visitProvider(setup);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: setup.idp.clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid email profile',
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(await setup.client.finish(parameters, attempt)).toEqual({
      identity: {
        issuer: setup.idp.issuer,
        subject: 'ann-1',
        email: 'ann@example.com',
        isEmailVerified: true,
        firstName: 'Ann',
        lastName: 'Lee',
        groups: undefined,
      },
      idToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
  });

  it('uses new secrets for every attempt', async () => {
    const { client } = await setUp();
    const attempts = [await client.begin(redirectUri), await client.begin(redirectUri)];
    const secrets = attempts.flatMap(({ attempt }) => [attempt.state, attempt.nonce, attempt.codeVerifier]);
    expect(new Set(secrets).size).toBe(6);
  });

  it('returns the groups if the scope asks for them', async () => {
    const setup = await setUp({}, { scopes: ['openid', 'email', 'groups'] });
    setup.idp.account = { ...ann, groups: ['admins', 'staff'] };
    expect((await signIn(setup)).identity.groups).toEqual(['admins', 'staff']);
  });

  it('fetches the user info if the ID token lacks claims', async () => {
    const setup = await setUp({ hidesClaims: true }, { scopes: ['openid', 'email', 'profile', 'groups'] });
    setup.idp.account = { ...ann, groups: ['staff'] };
    expect((await signIn(setup)).identity).toMatchObject({
      email: 'ann@example.com',
      isEmailVerified: true,
      firstName: 'Ann',
      groups: ['staff'],
    });
    expect(setup.idp.requests).toContain('/me');
  });

  it.each<[title: string, path: string, fields: object, groups: readonly string[] | undefined]>([
    ['no groups with Keycloak, which leaves out an empty list', '/realms/example', {}, []],
    ['no groups with Keycloak below another path', '/auth/realms/example', {}, []],
    ['unknown groups with any other provider', '', {}, undefined],
    ['no groups if the settings say so', '', { missing_groups_claim: 'no_groups' }, []],
    [
      'unknown groups if the settings say so',
      '/realms/example',
      { missing_groups_claim: 'unknown' },
      undefined,
    ],
  ])('a missing groups claim means %s', async (_title, path, fields, groups) => {
    for (const hidesClaims of [false, true]) {
      const scopes = ['openid', 'email', 'profile', 'groups'];
      const setup = await setUp({ path, hidesClaims }, { scopes, ...fields });
      expect((await signIn(setup)).identity).toMatchObject({ email: 'ann@example.com', groups });
      // The user info endpoint was asked too.
      expect(setup.idp.requests).toContain('/me');
      setup.idp.account = { ...ann, groups: ['staff'] };
      expect((await signIn(setup)).identity.groups).toEqual(['staff']);
    }
  });

  it('does not fetch the user info if the ID token has everything', async () => {
    const setup = await setUp({}, { scopes: ['openid', 'email', 'profile', 'groups'] });
    setup.idp.account = { ...ann, groups: [] };
    expect((await signIn(setup)).identity.groups).toEqual([]);
    expect(setup.idp.requests).not.toContain('/me');
  });

  it.each([{ email_verified: false }, { email_verified: undefined }])(
    'reports an address with %j as not verified',
    async (claims) => {
      const setup = await setUp();
      setup.idp.account = { ...ann, ...claims };
      expect((await signIn(setup)).identity.isEmailVerified).toBe(false);
    },
  );

  it.each(['client_secret_basic', 'client_secret_post'] as const)(
    'sends the secret by %s if the settings say so',
    async (method) => {
      const setup = await setUp(
        { client: { token_endpoint_auth_method: method } },
        { token_endpoint_auth_method: method },
      );
      expect((await signIn(setup)).identity.subject).toBe('ann-1');
    },
  );

  it('works for a public client without a secret', async () => {
    const setup = await setUp(
      { client: { token_endpoint_auth_method: 'none' } },
      { client_secret_env: undefined },
    );
    expect((await signIn(setup)).identity.subject).toBe('ann-1');
  });

  it('does not keep an ID token that is too long for an address', async () => {
    const setup = await setUp();
    setup.idp.account = { ...ann, given_name: 'a'.repeat(5_000) };
    expect((await signIn(setup)).idToken).toBeUndefined();
  });

  it('accepts a token signed with a key that the provider has added since', async () => {
    const setup = await setUp();
    await signIn(setup);
    setup.idp.rotateKey();
    // The library fetches keys at most once a minute.
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ['Date'] });
    try {
      expect((await signIn(setup)).identity.subject).toBe('ann-1');
      expect(setup.idp.requests.filter((path) => path === '/jwks')).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('a code works only once', async () => {
    const setup = await setUp();
    const { attempt, parameters } = await visitProvider(setup);
    await setup.client.finish(parameters, attempt);
    expect(await failureOf(setup.client.finish(parameters, attempt))).toMatchObject({ code: 'expired' });
  });
});

describe('failed sign-ins', () => {
  it('a sign-in fails if the person declines', async () => {
    const setup = await setUp();
    setup.idp.denial = 'access_denied';
    expect(await failureOf(signIn(setup))).toMatchObject({ code: 'denied' });
  });

  it('a sign-in fails if the provider reports another error', async () => {
    const setup = await setUp();
    setup.idp.denial = 'temporarily_unavailable';
    expect(await failureOf(signIn(setup))).toMatchObject({ code: 'provider_unavailable' });
  });

  it.each<[title: string, claims: (setup: Setup) => Record<string, unknown>, cause: RegExp]>([
    ['the nonce is of another attempt', () => ({ nonce: 'other' }), /nonce/],
    ['the nonce is missing', () => ({ nonce: undefined }), /nonce/],
    ['the issuer is another', () => ({ iss: 'https://evil.example' }), /iss/],
    ['the issuer is missing', () => ({ iss: undefined }), /iss/],
    ['the audience is another client', () => ({ aud: 'other' }), /aud/],
    ['the audience is missing', () => ({ aud: undefined }), /aud/],
    ['another client is the authorized party', ({ idp }) => ({ aud: [idp.clientId, 'b'], azp: 'b' }), /azp/],
    ['the subject is missing', () => ({ sub: undefined }), /sub/],
    ['the token has expired beyond the tolerance', () => ({ exp: seconds() - 40 }), /timestamp/],
    ['the token is not valid yet, beyond the tolerance', () => ({ nbf: seconds() + 60 }), /timestamp/],
    ['the token never expires', () => ({ exp: undefined }), /exp/],
  ])('a sign-in fails if %s', async (_title, claims, cause) => {
    const setup = await setUp();
    setup.idp.tamper = (original) => ({ ...original, ...claims(setup) });
    const failure = await failureOf(signIn(setup));
    expect(failure.code).toBe('provider_unavailable');
    expect(failure.causes).toMatch(cause);
  });

  it.each([{ exp: -20 }, { nbf: 20 }])(
    'a sign-in succeeds if clocks differ within the tolerance: %j',
    async (offsets) => {
      const setup = await setUp();
      setup.idp.tamper = (original) => ({
        ...original,
        ...Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, seconds() + offset])),
      });
      expect((await signIn(setup)).identity.subject).toBe('ann-1');
    },
  );

  it.each(['previous key', 'forged key'] as const)(
    'a sign-in fails if the token is signed with a %s',
    async (signsWith) => {
      const setup = await setUp();
      setup.idp.rotateKey();
      setup.idp.tamper = (claims) => claims;
      expect((await signIn(setup)).identity.subject).toBe('ann-1');
      setup.idp.signsWith = signsWith;
      const failure = await failureOf(signIn(setup));
      expect(failure.code).toBe('provider_unavailable');
      expect(failure.causes).toMatch(/signature|no applicable keys/);
    },
  );

  it.each(['state', 'nonce', 'codeVerifier'] as const)(
    'a sign-in fails if the %s is of another attempt',
    async (secret) => {
      const setup = await setUp();
      const { attempt, parameters } = await visitProvider(setup);
      const { attempt: other } = await setup.client.begin(redirectUri);
      const mixed = { ...attempt, [secret]: other[secret] };
      await failureOf(setup.client.finish(parameters, mixed));
    },
  );

  it('a sign-in fails if the response names another provider (mix-up)', async () => {
    const setup = await setUp();
    const { attempt, parameters } = await visitProvider(setup);
    expect(parameters.get('iss')).toBe(setup.idp.issuer);
    parameters.set('iss', 'https://evil.example');
    expect(await failureOf(setup.client.finish(parameters, attempt))).toMatchObject({
      code: 'provider_unavailable',
    });
  });

  it('a sign-in fails if the user info is about somebody else', async () => {
    const setup = await setUp({ hidesClaims: true });
    setup.idp.tamper = (claims) => ({ ...claims, sub: 'bob-1' });
    const failure = await failureOf(signIn(setup));
    expect(failure.code).toBe('provider_unavailable');
  });

  it('a sign-in fails if the client secret is wrong or missing', async () => {
    const { idp } = await setUp();
    const wrong = clientOf({ ...idp, clientSecret: 'wrong' });
    expect(await failureOf(signIn({ idp, client: wrong }))).toMatchObject({ code: 'provider_unavailable' });
    const missing = clientOf({ ...idp, clientSecret: '' });
    expect(await failureOf(missing.begin(redirectUri))).toEqual({
      code: 'provider_unavailable',
      causes: 'the environment variable SECRET is not set',
    });
  });
});

describe('the metadata of a provider', () => {
  it('is fetched once for several sign-ins', async () => {
    const { idp, client } = await setUp();
    await Promise.all([client.begin(redirectUri), client.begin(redirectUri)]);
    await client.begin(redirectUri);
    expect(idp.requests).toEqual(['/.well-known/openid-configuration']);
  });

  it('is fetched again after a failure', async () => {
    let isDown = true;
    const metadata = (issuer: string) => ({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    });
    const server = await startStubServer((_request, response) => {
      response.writeHead(isDown ? 503 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(metadata(server.url)));
    });
    const client = clientOf({ issuer: server.url, clientId: 'c', clientSecret: 's' });
    expect(await failureOf(client.begin(redirectUri))).toMatchObject({ code: 'provider_unavailable' });
    isDown = false;
    expect((await client.begin(redirectUri)).url).toContain(`${server.url}/auth?`);
  });

  it('must match the issuer in the settings', async () => {
    const { idp } = await setUp();
    const server = await startStubServer(async (request, response) => {
      const original = await fetch(`${idp.issuer}${request.url}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(await original.text());
    });
    const client = clientOf({ ...idp, issuer: server.url });
    expect(await failureOf(client.begin(redirectUri))).toMatchObject({ code: 'provider_unavailable' });
  });

  it('metadata that cannot be fetched fails the sign-in, not the creation of the client', async () => {
    const client = clientOf({ issuer: 'http://127.0.0.1:9', clientId: 'c', clientSecret: 's' });
    expect(await failureOf(client.begin(redirectUri))).toMatchObject({ code: 'provider_unavailable' });
  });
});

describe('signing out', () => {
  it("returns the provider's page that ends the session there", async () => {
    const setup = await setUp();
    const { idToken } = await signIn(setup);
    const url = new URL((await setup.client.endSessionUrl(idToken, 'http://127.0.0.1:9/sign-in')) ?? '');
    expect(url.origin).toBe(setup.idp.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: setup.idp.clientId,
      id_token_hint: idToken,
      post_logout_redirect_uri: 'http://127.0.0.1:9/sign-in',
    });
    const { response } = await createRedirectBrowser().open(url.href);
    expect(response?.status).toBe(200);
  });

  it('returns nothing for a provider without an end-session page', async () => {
    const server = await startStubServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ issuer: server.url, authorization_endpoint: `${server.url}/a` }));
    });
    const client = clientOf({ issuer: server.url, clientId: 'c', clientSecret: 's' });
    expect(await client.endSessionUrl('token', 'http://127.0.0.1:9/sign-in')).toBeUndefined();
  });
});
