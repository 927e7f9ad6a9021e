import * as oidc from 'openid-client';
import type { ProvenIdentity } from '../core/accounts/identity-change.ts';
import { type Claims, lacksClaims, toIdentity } from './identity.ts';
import { SignInError } from './sign-in-error.ts';
import type { Provider } from './sign-in-settings.ts';

/** The secrets of one attempt to sign in. They stay with the browser that began it. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

interface SignedIn {
  readonly identity: ProvenIdentity;
  /** For `endSessionUrl`; undefined if it is too long for an address. */
  readonly idToken: string | undefined;
}

/**
 * Signs people in with one provider: authorization code flow with PKCE, state and nonce.
 *
 * The provider's metadata is fetched when it is first needed, and again after an hour or a failure,
 * so a server starts and works without its providers. Its keys are fetched again when a token is
 * signed with an unknown one. Methods throw `SignInError`.
 */
export interface OidcClient {
  readonly provider: Provider;
  /** Returns the page of the provider to send the browser to, with the attempt to remember. */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly attempt: Attempt }>;
  /** Checks the parameters that the provider sent the browser back with, and who signed in. */
  finish(parameters: URLSearchParams, attempt: Attempt): Promise<SignedIn>;
  /** Returns the page that ends the session at the provider; undefined if it has none. */
  endSessionUrl(idToken: string | undefined, returnUrl: string): Promise<string | undefined>;
}

const metadataMaxAgeMs = 3_600_000;
const timeoutSeconds = 10;
const clockToleranceSeconds = 30;
const idTokenCharactersMax = 4_096;

/** `needsGroups` is whether groups decide about roles. */
export function createOidcClient(provider: Provider, needsGroups: boolean): OidcClient {
  const configuration = cacheFor(metadataMaxAgeMs, () => discover(provider));

  async function fetchMissingClaims(
    configured: oidc.Configuration,
    accessToken: string,
    claims: oidc.IDToken,
  ): Promise<Claims> {
    const hasEndpoint = configured.serverMetadata().userinfo_endpoint !== undefined;
    if (!hasEndpoint || !lacksClaims(claims, provider, needsGroups)) return {};
    return oidc.fetchUserInfo(configured, accessToken, claims.sub);
  }

  return {
    provider,
    begin: (redirectUri) =>
      explainFailures(provider, async () => {
        const attempt = {
          state: oidc.randomState(),
          nonce: oidc.randomNonce(),
          codeVerifier: oidc.randomPKCECodeVerifier(),
          redirectUri,
        };
        const url = oidc.buildAuthorizationUrl(await configuration(), {
          redirect_uri: redirectUri,
          scope: provider.scopes.join(' '),
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(attempt.codeVerifier),
          code_challenge_method: 'S256',
        });
        return { url: url.href, attempt };
      }),
    finish: (parameters, { state, nonce, codeVerifier, redirectUri }) =>
      explainFailures(provider, async () => {
        const configured = await configuration();
        const tokens = await oidc.authorizationCodeGrant(
          configured,
          new URL(`${redirectUri}?${parameters}`),
          {
            expectedState: state,
            expectedNonce: nonce,
            pkceCodeVerifier: codeVerifier,
            idTokenExpected: true,
          },
        );
        const claims = tokens.claims();
        if (claims === undefined) throw new Error('the provider sent no ID token');
        const userInfo = await fetchMissingClaims(configured, tokens.access_token, claims);
        const { id_token: idToken = '' } = tokens;
        return {
          identity: toIdentity(claims, userInfo, provider),
          idToken: idToken.length > idTokenCharactersMax ? undefined : idToken,
        };
      }),
    endSessionUrl: (idToken, returnUrl) =>
      explainFailures(provider, async () => {
        const configured = await configuration();
        if (configured.serverMetadata().end_session_endpoint === undefined) return undefined;
        return oidc.buildEndSessionUrl(configured, {
          post_logout_redirect_uri: returnUrl,
          ...(idToken !== undefined && { id_token_hint: idToken }),
        }).href;
      }),
  };
}

async function discover(provider: Provider): Promise<oidc.Configuration> {
  const { clientId, clientSecret, tokenEndpointAuthMethod } = provider;
  if (clientSecret !== undefined && clientSecret.secret === undefined)
    throw new Error(`the environment variable ${clientSecret.variable} is not set`);
  const issuer = new URL(provider.issuer);
  // Wrapped, because the method depends on the metadata.
  const authenticate: oidc.ClientAuth = (server, client, body, headers) => {
    const methods = tokenEndpointAuthMethod ?? server.token_endpoint_auth_methods_supported ?? [];
    if (clientSecret?.secret === undefined) return oidc.None()(server, client, body, headers);
    const method = methods.includes('client_secret_post') ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
    return method(clientSecret.secret)(server, client, body, headers);
  };
  return oidc.discovery(issuer, clientId, { [oidc.clockTolerance]: clockToleranceSeconds }, authenticate, {
    timeout: timeoutSeconds,
    // By default, the library relies on TLS alone for tokens that come from the token endpoint.
    execute: [
      oidc.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
    ],
  });
}

/** Shares one call among all callers, and its result for a while. A failure is not kept. */
function cacheFor<T>(maxAgeMs: number, load: () => Promise<T>): () => Promise<T> {
  let cached: { readonly value: Promise<T>; readonly loadedAt: number } | undefined;
  return () => {
    if (cached !== undefined && performance.now() - cached.loadedAt < maxAgeMs) return cached.value;
    const value = load();
    cached = { value, loadedAt: performance.now() };
    value.catch(() => {
      cached = undefined;
    });
    return value;
  };
}

async function explainFailures<T>(provider: Provider, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new SignInError(codeOf(error), `signing in with ${provider.id} failed`, error);
  }
}

function codeOf(error: unknown): SignInError['code'] {
  if (error instanceof oidc.AuthorizationResponseError && error.error === 'access_denied') return 'denied';
  // The code was used before, or the person waited too long on the way back.
  if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return 'expired';
  return 'provider_unavailable';
}
