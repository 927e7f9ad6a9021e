import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/server-config.ts';
import type { Engine } from './engines.ts';
import { type IdentityProvider, startIdentityProvider } from './identity-provider.ts';
import { createRedirectBrowser, type OpenedPage, type RedirectBrowser } from './redirect-browser.ts';
import { managementKey, startTestServer, type TestResponse, type TestServer } from './server.ts';
import { releaseAfterTest } from './test-scope.ts';

/** A server with the identity providers `okta` and `google`, both real. */
export interface SignInServer extends TestServer {
  readonly okta: IdentityProvider;
  readonly google: IdentityProvider;
  /** Replaces the settings of both providers, the groups and so on, like SIGHUP. */
  configure(settings: SignInFileParts): void;
  /** Opens an address of the server in a browser. Stops where another page would be shown. */
  open(browser: RedirectBrowser, path: string): Promise<OpenedPage>;
  /** Signs in with a provider and returns the path where the browser ends. */
  signIn(provider: 'okta' | 'google', browser?: RedirectBrowser, query?: string): Promise<SignInResult>;
  /** A request with the cookies of a browser, as a page of the server sends it. */
  request(browser: RedirectBrowser, method: string, path: string): Promise<TestResponse>;
  /** A request with the management key, which must succeed. */
  manage(method: string, path: string, body?: object): Promise<TestResponse['body']>;
}

export interface SignInFileParts {
  readonly okta?: object;
  readonly google?: object;
  readonly groups?: readonly object[];
  readonly password?: boolean;
}

export interface SignInResult {
  readonly browser: RedirectBrowser;
  /** Path and query. */
  readonly path: string;
}

export async function startSignInServer(
  engine: Engine,
  initial: SignInFileParts = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<SignInServer> {
  const [okta, google] = await Promise.all([startIdentityProvider(), startIdentityProvider()]);
  const secrets = { OKTA_SECRET: okta.clientSecret, GOOGLE_SECRET: google.clientSecret };
  const environmentFor = ({ okta: oktaParts, google: googleParts, ...rest }: SignInFileParts) => {
    const entry = (id: string, { issuer, clientId }: IdentityProvider, parts: object = {}) => ({
      id,
      name: id,
      issuer,
      client_id: clientId,
      client_secret_env: `${id.toUpperCase()}_SECRET`,
      ...parts,
    });
    const providers = [entry('okta', okta, oktaParts), entry('google', google, googleParts)];
    return { ...secrets, PRESETD_SIGN_IN_CONFIG: writeFile(JSON.stringify({ providers, ...rest })) };
  };
  const server = await startTestServer(engine, { ...environmentFor(initial), ...environment });
  releaseAfterTest(() => server.stop());
  for (const [id, provider] of Object.entries({ okta, google }))
    provider.register([`${server.url}/sign-in/${id}/callback`], [`${server.url}/sign-in`]);

  const open: SignInServer['open'] = (browser, path) =>
    browser.open(`${server.url}${path}`, (url) => url.startsWith(server.url) && !isStep(new URL(url)));
  return {
    ...server,
    okta,
    google,
    configure: (parts) => server.reload(loadConfig(environmentFor(parts))),
    open,
    async signIn(provider, browser = createRedirectBrowser(), query = '') {
      const { url } = await open(browser, `/sign-in/${provider}${query}`);
      return { browser, path: url.slice(server.url.length) };
    },
    request: (browser, method, path) =>
      server.send(method, path, undefined, {
        key: null,
        headers: { cookie: browser.cookiesFor(server.url), 'sec-fetch-site': 'same-origin' },
      }),
    async manage(method, path, body) {
      const response = await server.send(method, `/api/v1${path}`, body, { key: managementKey });
      if (response.status >= 300) throw new Error(`${method} ${path}: ${response.text}`);
      return response.body;
    },
  };
}

/** Whether the address only redirects. */
function isStep({ pathname }: URL): boolean {
  return /^\/sign-in\/(okta|google)(\/callback)?$/.test(pathname);
}

/** Settings are read at once, so the file can go with the test. */
function writeFile(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'presetd-sign-in-'));
  releaseAfterTest(async () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'sign-in.json');
  writeFileSync(path, content);
  return path;
}
