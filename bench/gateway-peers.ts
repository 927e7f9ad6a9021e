import { isDeepStrictEqual } from 'node:util';
import type { Peer } from './compare.ts';
import { apiKey, createDatabase, readSlugs } from './database.ts';
import type { LoadRequest } from './load.ts';
import {
  type ServerProcess,
  startBareProxy,
  startBaseline,
  startPortkey,
  startPresetd,
  startUpstream,
} from './server-process.ts';
import { supportRequest } from './support-request.ts';

export type Answers = 'whole' | 'stream';

export interface GatewayPeers {
  presetd(environment?: Readonly<Record<string, string>>): Promise<Peer>;
  /** presetd of another checkout. */
  baseline(folder: string): Promise<Peer>;
  bare(): Promise<Peer>;
  portkey(): Promise<Peer>;
}

/** Gateways in front of one upstream; `started` stops them, the upstream last. Each answers rightly before it is measured. */
export async function prepareGateways(
  started: AsyncDisposableStack,
  answers: Answers,
): Promise<GatewayPeers> {
  const upstream = started.adopt(await startUpstream(answers), (server) => server.stop());
  const upstreamUrl = `${upstream.url}/v1`;
  const peer = async (starting: Promise<ServerProcess>, requests: readonly LoadRequest[]) => {
    const server = started.adopt(await starting, (server) => server.stop());
    await assertForwards({ server, requests }, upstream, answers);
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
    return peer(start(database.url), presetRequests(answers));
  };
  return {
    presetd: (environment = {}) => withDatabase((url) => startPresetd(url, { ...settings, ...environment })),
    baseline: (folder) => withDatabase((url) => startBaseline(folder, url, settings)),
    bare: () => peer(startBareProxy(upstreamUrl), presetRequests(answers)),
    portkey: () => peer(startPortkey(), portkeyRequests(answers, upstreamUrl)),
  };
}

/** The question of a customer, and a preset for all the rest. The bare proxy does not look at the key or the preset. */
function presetRequests(answers: Answers): readonly LoadRequest[] {
  return readSlugs.map((slug, index) => ({
    method: 'POST',
    path: '/api/v1/chat/completions',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: `@preset/${slug}`,
      ...streamed(answers),
      messages: [supportRequest(1_000 + index).messages[1]],
    }),
  }));
}

/**
 * Portkey's gateway has no presets of its own, so it is sent what presetd makes of a preset, and has nothing to look up,
 * to merge or to check: the key goes on to the upstream.
 */
function portkeyRequests(answers: Answers, upstreamUrl: string): readonly LoadRequest[] {
  return readSlugs.map((_slug, index) => ({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      authorization: 'Bearer upstream-key',
      'content-type': 'application/json',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': upstreamUrl,
    },
    body: JSON.stringify({ ...supportRequest(1_000 + index), ...streamed(answers) }),
  }));
}

function streamed(answers: Answers): { readonly stream?: true } {
  return answers === 'stream' ? { stream: true } : {};
}

/** A gateway that sends something else than the others, or answers otherwise, is not compared with them. */
async function assertForwards(peer: Peer, upstream: ServerProcess, answers: Answers): Promise<void> {
  const { name, url } = peer.server;
  const [request] = peer.requests;
  if (request === undefined) throw new Error('a gateway without requests cannot be measured');
  const { path, ...init } = request;
  const given = await fetch(url + path, init);
  const text = await given.text();
  const sent: unknown = await (await fetch(upstream.url)).json().catch(() => undefined);
  if (given.status !== 200) throw new Error(`${name} answers ${given.status}: ${text}`);
  if (!isDeepStrictEqual(sent, expectedOf(name, answers)))
    throw new Error(`${name} does not send the upstream what the others send, but ${JSON.stringify(sent)}`);
  const direct = await fetch(`${upstream.url}/v1/chat/completions`, { method: 'POST', body: '{}' });
  if (text !== (await direct.text()))
    throw new Error(`${name} does not answer what the upstream does: ${text}`);
}

function expectedOf(name: string, answers: Answers): object {
  const whole = { ...supportRequest(1_000), ...streamed(answers) };
  const { provider: _unknownToOpenai, ...known } = whole;
  // Portkey's sends on what it knows that the upstream takes, which it was told is OpenAI.
  return name === 'portkey' ? known : whole;
}
