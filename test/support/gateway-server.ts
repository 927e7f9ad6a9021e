import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { loadConfig, type ReloadableConfig } from '../../src/config/server-config.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { anyEngine, type Engine } from './engines.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';
import { type RequestOptions, startTestServer, type TestResponse, type TestServer } from './server.ts';
import { pathOf } from './wire/recordings.ts';

/** The key that presetd sends to its upstreams. It must not appear anywhere else. */
export const upstreamKey = 'sk-upstream-5d41402abc4b2a76b9719d911017c592';

/** A test server whose gateway is configured. */
export interface GatewayServer extends TestServer {
  /** Captures a request as the next version of a preset. */
  capture(slug: string, body: Body, dialect?: Dialect): Promise<void>;
  /**
   * Sends an inference call as a client does, as chat completions unless another dialect is given.
   */
  call(body: Body | string, options?: CallOptions): Promise<TestResponse>;
  /**
   * Loads upstreams from a file until the test ends. Faster than starting a server, which takes
   * half a second.
   */
  useConfigFile(file: Body, environment?: Environment): void;
}

export interface CallOptions extends RequestOptions {
  readonly dialect?: Dialect;
}

type Body = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string>>;

/** Starts a server with one upstream, configured as OpenRouter through settings, without a file. */
export async function startWithUpstream(
  upstream: { readonly url: string },
  environment: Environment = {},
  engine: Engine = anyEngine,
): Promise<GatewayServer> {
  const all = { PRESETD_UPSTREAM_URL: upstream.url, OPENROUTER_API_KEY: upstreamKey, ...environment };
  return withGateway(await startTestServer(engine, all), loadConfig(all));
}

/**
 * Starts an upstream and a server for all tests of the surrounding block. The upstream's requests
 * and scripts are cleared before each test.
 */
export function useUpstream(
  onStart: (started: { readonly upstream: ScriptedUpstream; readonly server: GatewayServer }) => void,
): void {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
    onStart({ upstream, server });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });
}

/** Starts a server with upstreams from a file. */
export async function startWithFile(file: Body, environment: Environment = {}): Promise<GatewayServer> {
  const { path, remove } = writeUpstreamFile(file);
  try {
    const all = { PRESETD_CONFIG: path, ...environment };
    return withGateway(await startTestServer(anyEngine, all), loadConfig(all));
  } finally {
    remove();
  }
}

/** An upstream that needs no key, so that a test specifies only what matters to it. */
export function compatible(name: string, { url }: { readonly url: string }, rest: Body = {}): Body {
  return { name, kind: 'openai-compatible', base_url: url, ...rest };
}

/**
 * Writes a PRESETD_CONFIG file to a temporary folder. `replace` accepts text too, for invalid
 * files.
 */
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

function readSettings(file: Body, environment: Environment): ReloadableConfig {
  const { path, remove } = writeUpstreamFile(file);
  try {
    return loadConfig({ PRESETD_CONFIG: path, ...environment });
  } finally {
    remove();
  }
}

function withGateway(server: TestServer, settings: ReloadableConfig): GatewayServer {
  return {
    ...server,
    async capture(slug, body, dialect = 'chat-completions') {
      const { status, text } = await server.post(`/api/v1/presets/${slug}${pathOf[dialect]}`, body);
      if (status !== 200) throw new Error(`the capture failed: ${text}`);
    },
    call: (body, { dialect = 'chat-completions', ...options } = {}) =>
      server.post(`/api/v1${pathOf[dialect]}`, body, options),
    useConfigFile(file, environment = {}) {
      server.reload(readSettings(file, environment));
      onTestFinished(() => server.reload(settings));
    },
  };
}
