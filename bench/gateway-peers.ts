import { isDeepStrictEqual } from 'node:util';
import type { Peer } from './compare.ts';
import { apiKey, createDatabase, readSlugs } from './database.ts';
import type { LoadRequest } from './load.ts';
import { startPortkey } from './portkey.ts';
import {
  type ServerProcess,
  startBareProxy,
  startBaseline,
  startPresetd,
  startUpstream,
} from './server-process.ts';
import { supportRequest } from './support-request.ts';

/** Whether the upstream responds with a complete JSON body or a stream of events. */
export type ResponseMode = 'whole' | 'stream';

/** Starts gateways on demand; each is checked before it is returned. */
export interface GatewayPeers {
  presetd(environment?: Readonly<Record<string, string>>): Promise<Peer>;
  /** presetd from another checkout. */
  baseline(folder: string): Promise<Peer>;
  bare(): Promise<Peer>;
  portkey(): Promise<Peer>;
}

/**
 * Prepares gateways in front of one upstream. `started` stops them, the upstream last. A gateway is
 * returned only after it has forwarded a request correctly.
 */
export async function prepareGateways(
  started: AsyncDisposableStack,
  mode: ResponseMode,
): Promise<GatewayPeers> {
  const upstream = started.adopt(await startUpstream(mode), (server) => server.stop());
  const upstreamUrl = `${upstream.url}/v1`;
  const peer = async (starting: Promise<ServerProcess>, requests: readonly LoadRequest[]) => {
    const server = started.adopt(await starting, (server) => server.stop());
    await assertForwards({ server, requests }, upstream, mode);
    return { server, requests };
  };
  const settings = {
    PRESETD_CONFIG: '',
    PRESETD_UPSTREAM_URL: upstreamUrl,
    OPENROUTER_API_KEY: 'upstream-key',
  };
  const withDatabase = async (start: (databaseUrl: string) => Promise<ServerProcess>) => {
    const database = await createDatabase('sqlite', undefined, 'gateway');
    started.defer(() => database.remove());
    return peer(start(database.url), presetRequests(mode));
  };
  return {
    presetd: (environment = {}) => withDatabase((url) => startPresetd(url, { ...settings, ...environment })),
    baseline: (folder) => withDatabase((url) => startBaseline(folder, url, settings)),
    bare: () => peer(startBareProxy(upstreamUrl), presetRequests(mode)),
    portkey: () => peer(startPortkey(), portkeyRequests(mode, upstreamUrl)),
  };
}

/**
 * A customer's question with a preset for everything else. The bare proxy ignores the key and the
 * preset.
 */
function presetRequests(mode: ResponseMode): readonly LoadRequest[] {
  return readSlugs.map((slug, index) => ({
    method: 'POST',
    path: '/api/v1/chat/completions',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: `@preset/${slug}`,
      ...streamField(mode),
      messages: [supportRequest(1_000 + index).messages[1]],
    }),
  }));
}

/**
 * Portkey's gateway has no presets, so it gets the request that presetd makes from one. It has
 * nothing to look up, merge or check: the key is passed on to the upstream.
 */
function portkeyRequests(mode: ResponseMode, upstreamUrl: string): readonly LoadRequest[] {
  return readSlugs.map((_slug, index) => ({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      authorization: 'Bearer upstream-key',
      'content-type': 'application/json',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': upstreamUrl,
    },
    body: JSON.stringify({ ...supportRequest(1_000 + index), ...streamField(mode) }),
  }));
}

/** The field that requests a stream. */
function streamField(mode: ResponseMode): { readonly stream?: true } {
  return mode === 'stream' ? { stream: true } : {};
}

/**
 * Fails when a gateway sends a different request or returns a different response than its peers:
 * its figures could not be compared.
 */
async function assertForwards(peer: Peer, upstream: ServerProcess, mode: ResponseMode): Promise<void> {
  const { name, url } = peer.server;
  const [request] = peer.requests;
  if (request === undefined) throw new Error('a gateway without requests cannot be measured');
  const { path, ...init } = request;
  const response = await fetch(url + path, init);
  const text = await response.text();
  const forwarded: unknown = await (await fetch(upstream.url)).json().catch(() => undefined);
  if (response.status !== 200) throw new Error(`${name} returned ${response.status}: ${text}`);
  if (!isDeepStrictEqual(forwarded, expectedRequest(name, mode)))
    throw new Error(
      `${name} sends the upstream a different request than its peers: ${JSON.stringify(forwarded)}`,
    );
  const direct = await fetch(`${upstream.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  if (text !== (await direct.text())) throw new Error(`${name} changes the upstream's response: ${text}`);
}

function expectedRequest(name: string, mode: ResponseMode): object {
  const whole = { ...supportRequest(1_000), ...streamField(mode) };
  const { provider: _provider, ...knownToOpenai } = whole;
  // Portkey forwards only the fields that it knows OpenAI accepts.
  return name === 'portkey' ? knownToOpenai : whole;
}
