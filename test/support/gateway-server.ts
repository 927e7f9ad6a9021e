import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import type { Dialect } from '../../src/core/preset.ts';
import type { GatewaySettings } from '../../src/gateway/upstreams/upstream.ts';
import { type Engine, engines } from './engines.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { type Answer, type RequestOptions, startTestServer, type TestServer } from './server.ts';
import { pathOf } from './wire/recordings.ts';

/** What presetd shows to its upstreams, and to nobody else. */
export const upstreamKey = 'sk-upstream-5d41402abc4b2a76b9719d911017c592';

export interface GatewayServer extends TestServer {
  /** Makes a version of a preset. */
  capture(slug: string, body: Body, dialect?: Dialect): Promise<void>;
  /** Asks for an answer, as a client does; through chat completions unless another dialect is named. */
  ask(body: Body | string, options?: AskOptions): Promise<Answer>;
  /** Takes upstreams from a file until the test is over. A start costs half a second, this does not. */
  useFile(file: Body, environment?: Environment): void;
}

export interface AskOptions extends RequestOptions {
  readonly dialect?: Dialect;
}

type Body = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;

/** A server with one upstream, which it takes for OpenRouter; as without a file. */
export async function startWithUpstream(
  upstream: { readonly url: string },
  environment: Environment = {},
  engine: Engine = anyEngine(),
): Promise<GatewayServer> {
  const all = { PRESETD_UPSTREAM_URL: upstream.url, OPENROUTER_API_KEY: upstreamKey, ...environment };
  return withGateway(await startTestServer(engine, all), loadConfig(all).gateway);
}

/** One of each for all tests around it; what an upstream was sent and told is forgotten before each of them. */
export function useUpstream(
  take: (started: { readonly upstream: ScriptedUpstream; readonly server: GatewayServer }) => void,
): void {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
    take({ upstream, server });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });
}

/** A server with upstreams from a file. */
export async function startWithFile(file: Body, environment: Environment = {}): Promise<GatewayServer> {
  const { path, remove } = writeUpstreamFile(file);
  try {
    const all = { PRESETD_CONFIG: path, ...environment };
    return withGateway(await startTestServer(anyEngine(), all), loadConfig(all).gateway);
  } finally {
    remove();
  }
}

/** Of the kind that takes no key, so that only what a test is about has to be said. */
export function compatible(name: string, { url }: { readonly url: string }, rest: Body = {}): Body {
  return { name, kind: 'openai-compatible', base_url: url, ...rest };
}

export function writeUpstreamFile(file: Body): {
  readonly path: string;
  replace(file: unknown): void;
  remove(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-upstreams-'));
  const path = join(folder, 'presetd.json');
  const replace = (next: unknown) =>
    writeFileSync(path, typeof next === 'string' ? next : JSON.stringify(next, null, 2));
  replace(file);
  return { path, replace, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function startUpstreams(count: number): Promise<ScriptedUpstream[]> {
  return Promise.all(Array.from({ length: count }, startScriptedUpstream));
}

/** The gateway does the same on either engine, once a preset has been found. */
function anyEngine(): Engine {
  return engines[0] ?? 'sqlite';
}

function settingsIn(file: Body, environment: Environment): GatewaySettings {
  const { path, remove } = writeUpstreamFile(file);
  try {
    return loadConfig({ PRESETD_CONFIG: path, ...environment }).gateway;
  } finally {
    remove();
  }
}

function withGateway(server: TestServer, settings: GatewaySettings): GatewayServer {
  return {
    ...server,
    async capture(slug, body, dialect = 'chat-completions') {
      const { status, text } = await server.post(`/api/v1/presets/${slug}${pathOf[dialect]}`, body);
      if (status !== 200) throw new Error(`no version was made: ${text}`);
    },
    ask: (body, { dialect = 'chat-completions', ...options } = {}) =>
      server.post(`/api/v1${pathOf[dialect]}`, body, options),
    useFile(file, environment = {}) {
      server.reload(settingsIn(file, environment));
      onTestFinished(() => server.reload(settings));
    },
  };
}
