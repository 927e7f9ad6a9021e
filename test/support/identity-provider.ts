import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Adapter,
  type AdapterPayload,
  type ClientMetadata,
  type Configuration,
  type JWK,
  Provider,
} from 'oidc-provider';
import { releaseAfterTest } from './test-scope.ts';

type Claims = Readonly<Record<string, unknown>>;

/** A person who has an account at the provider and is signed in there. */
export interface ProviderAccount extends Claims {
  readonly sub: string;
}

export interface IdentityProviderOptions {
  readonly client?: Partial<ClientMetadata>;
  /** Most providers put claims in the ID token; some only return them as user info. */
  readonly hidesClaims?: boolean;
  /** The path of the issuer, such as `/realms/example` of Keycloak; empty by default. */
  readonly path?: string;
}

/**
 * A certified OpenID Connect provider on a port of its own. Everyone who comes to it is signed in
 * as `account` at once. Everything that a provider would never do is done by `tamper`, which gets
 * the claims of every ID token and returns those that are signed instead, with the provider's key.
 */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  account: ProviderAccount;
  /** An error such as `access_denied` instead of a successful sign-in. */
  denial: string | undefined;
  tamper: ((claims: Claims) => Claims) | undefined;
  /** The key for ID tokens that `tamper` changes. Only the current one is published. */
  signsWith: 'current key' | 'previous key' | 'forged key';
  /** The paths of all requests. */
  readonly requests: string[];
  /** Lets the client use these addresses. To be called before anything else. */
  register(redirectUris: readonly string[], postLogoutUris?: readonly string[]): void;
  /** Replaces the signing key. Tokens signed with the old one are no longer valid. */
  rotateKey(): void;
  stop(): Promise<void>;
}

export async function startIdentityProvider(
  options: IdentityProviderOptions = {},
): Promise<IdentityProvider> {
  const server = createServer((request, response) => handle(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { path = '' } = options;
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  let key = createKey();
  let previousKey = key;
  const stored = new Map<string, AdapterPayload>();
  let redirectUris: readonly string[] = [];
  let postLogoutUris: readonly string[] = [];
  let provider: Provider | undefined;

  function build(): void {
    const client: ClientMetadata = {
      client_id: state.clientId,
      client_secret: state.clientSecret,
      redirect_uris: [...redirectUris],
      post_logout_redirect_uris: [...postLogoutUris],
      ...options.client,
    };
    provider = new Provider(issuer, {
      ...configuration,
      adapter: (name: string) => createAdapter(name, stored),
      clients: [client],
      jwks: { keys: [key.jwk] },
      conformIdTokenClaims: options.hidesClaims ?? false,
      interactions: { url: (_context, { uid }) => `${path}/interaction/${uid}` },
      findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ ...state.account, sub }) }),
    });
    provider.use(async (context, next) => {
      await next();
      const { body } = context;
      if (context.path !== '/token' || typeof body !== 'object' || !('id_token' in body)) return;
      if (state.tamper === undefined) return;
      const claims = state.tamper(decode(String(body.id_token)));
      const keys = { 'current key': key, 'previous key': previousKey, 'forged key': createKey(key.jwk.kid) };
      const { jwk, privateKey } = keys[state.signsWith];
      context.body = { ...body, id_token: encode(claims, jwk.kid, privateKey) };
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url = '' } = request;
    // The provider finds its own path as it would in Express.
    Object.assign(request, { originalUrl: url, url: url.slice(path.length) });
    state.requests.push(request.url?.split('?')[0] ?? '');
    if (provider === undefined) throw new Error('no redirect URI is registered');
    if (!request.url?.startsWith('/interaction/')) return provider.callback()(request, response);
    const { denial, account } = state;
    const result = denial === undefined ? { login: { accountId: account.sub } } : { error: denial };
    await provider.interactionFinished(request, response, result);
  }

  const state: IdentityProvider = {
    issuer,
    clientId: `client-${randomUUID()}`,
    clientSecret: `secret-${randomUUID()}`,
    account: { sub: 'nobody' },
    denial: undefined,
    tamper: undefined,
    signsWith: 'current key',
    requests: [],
    register(...uris) {
      [redirectUris, postLogoutUris = []] = uris;
      build();
    },
    rotateKey() {
      previousKey = key;
      key = createKey();
      build();
    },
    stop: releaseAfterTest(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    }),
  };
  return state;
}

const configuration: Configuration = {
  claims: {
    openid: ['sub'],
    email: ['email', 'email_verified'],
    profile: ['name', 'given_name', 'family_name'],
    groups: ['groups'],
  },
  cookies: { keys: ['test'] },
  features: {
    devInteractions: { enabled: false },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource(context) {
        context.body = 'Signed out.';
      },
    },
  },
  pkce: { required: () => true },
  scopes: ['openid', 'email', 'profile', 'groups'],
  ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  // Nobody is asked for consent.
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      accountId: oidc.session?.accountId ?? '',
      clientId: oidc.client?.clientId ?? '',
    });
    grant.addOIDCScope('openid email profile groups');
    await grant.save();
    return grant;
  },
};

/** Keeps everything until the provider stops, also when its key is replaced. */
function createAdapter(name: string, stored: Map<string, AdapterPayload>): Adapter {
  return {
    find: async (id) => stored.get(`${name} ${id}`),
    findByUid: async (uid) => stored.values().find((payload) => payload.uid === uid),
    findByUserCode: async () => undefined,
    upsert: async (id, payload) => void stored.set(`${name} ${id}`, payload),
    destroy: async (id) => void stored.delete(`${name} ${id}`),
    async consume(id) {
      const payload = stored.get(`${name} ${id}`);
      if (payload !== undefined) payload.consumed = Date.now();
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
    },
  };
}

interface SigningKey {
  readonly jwk: JWK;
  readonly privateKey: KeyObject;
}

/** Generating keys takes longer than most tests, so that a process takes turns with a few. */
const privateKeys: KeyObject[] = [];
let keysCreated = 0;

function createKey(kid: string = randomUUID()): SigningKey {
  const index = keysCreated++ % 6;
  const privateKey = privateKeys[index] ?? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  privateKeys[index] = privateKey;
  const jwk = { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } as JWK;
  return { jwk, privateKey };
}

function decode(token: string): Claims {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

function encode(claims: Claims, kid: string | undefined, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${part({ alg: 'RS256', typ: 'JWT', kid })}.${part(claims)}`;
  return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
}
