import { type Comparison, compare, type LoadSettings, type Peer } from './compare.ts';
import { apiKey, createDatabase, managementKey, readSlugs } from './database.ts';
import { startPresetd } from './server-process.ts';

/**
 * Compares reads of presets in use by the cookie of a session with the same reads by key. Keys take
 * the fast path (`key`), which cookies never do; the empty query of `route` sends a key the same
 * way as a cookie, so that only the lookup of the caller differs.
 */
export async function measureSignedInGet(
  name: string,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing three databases and three servers\n`);
  const byKey = { authorization: `Bearer ${apiKey}` };
  const session = await startReads(started, '', async (url) => ({ cookie: await signIn(url) }));
  const route = await startReads(started, '?', async () => byKey);
  const key = await startReads(started, '', async () => byKey);
  return await compare(name, session, { route, key }, settings, interruption);
}

async function startReads(
  started: AsyncDisposableStack,
  query: string,
  headersFor: (url: string) => Promise<Readonly<Record<string, string>>>,
): Promise<Peer> {
  const database = await createDatabase('sqlite', undefined, 'signed_in');
  started.defer(() => database.remove());
  const server = started.adopt(await startPresetd(database.url), (running) => running.stop());
  const headers = await headersFor(server.url);
  const requests = readSlugs.map((slug) => ({
    method: 'GET' as const,
    path: `/api/v1/presets/${slug}${query}`,
    headers,
  }));
  return { server, requests };
}

/** Signs the owner in with a one-time link. Returns the cookie. */
async function signIn(url: string): Promise<string> {
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} was rejected: ${await response.text()}`);
    return response;
  };
  const asAdmin = { authorization: `Bearer ${managementKey}` };
  const created = await post('/organization/people/owner@example.com/sign-in-link', asAdmin, {});
  const { data } = (await created.json()) as { data: { url: string } };
  const token = new URL(data.url).hash.slice(1);
  const { headers } = await post('/sign-in/link', { 'sec-fetch-site': 'same-origin' }, { token });
  const [cookie] = headers.getSetCookie();
  if (cookie === undefined) throw new Error('signing in set no cookie');
  return cookie.slice(0, cookie.indexOf(';'));
}
