import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Comparison, compare, type LoadSettings, type Peer } from './compare.ts';
import { apiKey, createDatabase, readSlugs } from './database.ts';
import type { ResponseMode } from './gateway-peers.ts';
import { litellmKey, litellmModel, startLitellm } from './litellm.ts';
import { startBareProxy, startPresetd, startUpstream } from './server-process.ts';
import { supportRequest } from './support-request.ts';

/**
 * Compares chat completions calls of a model with the messages API with the same calls of a model
 * that has the chat completions API itself, with a bare proxy in front of that, and with LiteLLM's
 * proxy, which translates the same request for the same upstream.
 */
export async function measureTranslation(
  name: string,
  mode: ResponseMode,
  settings: LoadSettings,
  interruption: AbortSignal,
): Promise<Comparison> {
  await using started = new AsyncDisposableStack();
  process.stderr.write(`${name}: preparing an upstream and four gateways\n`);
  const upstream = started.adopt(await startUpstream(mode), (server) => server.stop());
  const translated = await startGateway(started, upstream.url, 'messages', mode);
  const passed = await startGateway(started, upstream.url, 'chat-completions', mode);
  const litellm = await startLitellm(upstream.url);
  if (litellm !== undefined) started.defer(() => litellm.stop());
  const bare = started.adopt(await startBareProxy(`${upstream.url}/v1`), (server) => server.stop());
  const others = {
    passed,
    bare: { server: bare, requests: passed.requests },
    ...(litellm !== undefined && {
      litellm: {
        server: litellm,
        requests: requestsTo('/v1/chat/completions', litellmKey, mode, () => wholeRequest),
      },
    }),
  };
  for (const peer of [translated, ...Object.values(others)]) await assertResponds(peer);
  return await compare(name, translated, others, settings, interruption);
}

async function startGateway(
  started: AsyncDisposableStack,
  upstreamUrl: string,
  dialect: string,
  mode: ResponseMode,
): Promise<Peer> {
  const database = await createDatabase('sqlite', undefined, 'translation');
  started.defer(() => database.remove());
  const folder = mkdtempSync(join(tmpdir(), 'presetd-bench-upstreams-'));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'presetd.json');
  const upstream = { name: 'model', kind: 'openai-compatible', base_url: `${upstreamUrl}/v1` };
  writeFileSync(file, JSON.stringify({ upstreams: [{ ...upstream, models: ['*'], dialects: [dialect] }] }));
  const server = started.adopt(await startPresetd(database.url, { PRESETD_CONFIG: file }), (running) =>
    running.stop(),
  );
  const bodyOf = (index: number) => ({
    model: `@preset/${readSlugs[index]}`,
    messages: [supportRequest(1_000 + index).messages[1]],
  });
  return { server, requests: requestsTo('/api/v1/chat/completions', apiKey, mode, bodyOf) };
}

/** LiteLLM has no presets, so it gets the request that presetd makes from one. */
const { provider: _, ...supported } = supportRequest(1_000);
const wholeRequest = { ...supported, model: litellmModel };

function requestsTo(
  path: string,
  key: string,
  mode: ResponseMode,
  bodyOf: (index: number) => object,
): Peer['requests'] {
  return readSlugs.map((_slug, index) => ({
    method: 'POST',
    path,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...bodyOf(index), ...(mode === 'stream' && { stream: true }) }),
  }));
}

async function assertResponds({ server, requests: [request] }: Peer): Promise<void> {
  if (request === undefined) throw new Error('a gateway without requests cannot be measured');
  const { path, ...init } = request;
  const response = await fetch(server.url + path, init);
  const text = await response.text();
  const expected = text.includes('"object":"chat.completion') && /sorting center|word 44/.test(text);
  if (response.status !== 200 || !expected)
    throw new Error(`${server.name} returned ${response.status}: ${text.slice(0, 2_000)}`);
}
