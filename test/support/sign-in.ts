import type { RequestOptions, TestResponse, TestServer } from './server.ts';
import { managementKey } from './server.ts';

/** A browser that is signed in to a test server, or not yet. */
export interface TestBrowser {
  /** Sends a request as a page of the server does. The cookie is kept between requests. */
  send(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<TestResponse>;
  get(path: string): Promise<TestResponse>;
  /** The `Cookie` header; undefined if there is no cookie. */
  readonly cookie: string | undefined;
}

export interface SignedInBrowser extends TestBrowser {
  readonly sessionId: string;
  readonly label: string;
  readonly userId: string;
}

/** Browsers send this with requests of the server's own pages. */
export const ownPage = { 'sec-fetch-site': 'same-origin' };

/** A browser without a session. `path` is relative to the API. */
export function openBrowser(server: TestServer, cookie?: string): TestBrowser {
  let current = cookie;
  const send: TestBrowser['send'] = async (method, path, body, { headers = {} } = {}) => {
    const sent = { ...ownPage, ...(current !== undefined && { cookie: current }), ...headers };
    const response = await server.send(method, `/api/v1${path}`, body, { key: null, headers: sent });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) current = /Max-Age=0/.test(set) ? undefined : set.slice(0, set.indexOf(';'));
    return response;
  };
  return {
    send,
    get: (path) => send('GET', path),
    get cookie() {
      return current;
    },
  };
}

/** Creates a link for a person, as an admin. Returns its token. */
export async function createLinkToken(server: TestServer, idOrEmail: string): Promise<string> {
  const path = `/api/v1/organization/people/${encodeURIComponent(idOrEmail)}/sign-in-link`;
  const { status, text, body } = await server.send('POST', path, undefined, { key: managementKey });
  if (status !== 201) throw new Error(`cannot create a link: ${text}`);
  return tokenOf(body.data.url);
}

export function tokenOf(url: string): string {
  return new URL(url).hash.slice(1);
}

/** Signs a person in with a link. */
export async function signInAs(server: TestServer, idOrEmail: string): Promise<SignedInBrowser> {
  return openLink(server, await createLinkToken(server, idOrEmail));
}

export async function openLink(server: TestServer, token: string): Promise<SignedInBrowser> {
  const browser = openBrowser(server);
  const { status, text, body } = await browser.send('POST', '/sign-in/link', { token });
  if (status !== 200) throw new Error(`cannot sign in: ${text}`);
  const { id, credential } = body.data;
  return Object.assign(browser, { sessionId: credential.id, label: credential.label, userId: id });
}
