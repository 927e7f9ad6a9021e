import { readdirSync, readFileSync } from 'node:fs';
import { endpoints } from '../../src/gateway/upstreams/endpoint.ts';
import type { OpenapiDocument } from '../compat/openapi-document.ts';
import { createWorkingDirectory, startServerProcess } from '../support/command.ts';
import { createMigratedDatabase } from '../support/database.ts';
import type { Engine } from '../support/engines.ts';
import { writeUpstreamFile } from '../support/gateway-server.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { body, respondInDialect, type Script } from '../support/upstream-scripts.ts';
import { recordingOf } from '../support/wire/recordings.ts';

/** Small, so that a body over the limit is cheap to create. */
export const bodyBytesMax = 65_536;

/** A server process with an upstream, for tests that send it arbitrary requests. */
export interface FuzzedServer {
  readonly url: string;
  readonly document: OpenapiDocument;
  /** For every path parameter, the names of existing objects. Tests may change or delete them. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** An export, which can be imported again. */
  exported(): string;
  /** Logged errors, output on stderr and an exit of the process. No request may cause these. */
  defects(): readonly string[];
  openFiles(): number;
  residentBytes(): number;
  /** Whether a preset can still be created, read and called. */
  works(): Promise<boolean>;
  /** Creates new objects in place of those that were changed or deleted. */
  renew(): Promise<void>;
  /** Throws if the process does not exit cleanly. */
  stop(): Promise<void>;
}

const messages = [{ role: 'system', content: 'Be terse.' }];

/** Some endpoints have no streams, whatever the request says. */
const respondLikeUpstreams: Script = (exchange) =>
  /\/responses\/(?:input_tokens|compact)(?:\?|$)/.test(exchange.request.path)
    ? body(200, 'application/json', recordingOf.responses.json)(exchange)
    : respondInDialect(exchange);

export async function startFuzzedServer(engine: Engine): Promise<FuzzedServer> {
  const [database, upstream] = await Promise.all([createMigratedDatabase(engine), startScriptedUpstream()]);
  const directory = createWorkingDirectory();
  // OpenRouter, except that it has every endpoint.
  const router = { name: 'openrouter', kind: 'openrouter', base_url: upstream.url, endpoints };
  const storing = { name: 'storing', kind: 'openai-compatible', base_url: upstream.url };
  const file = writeUpstreamFile({
    upstreams: [{ ...storing, dialects: ['responses'], models: ['storing/*'] }, router],
  });
  const server = await startServerProcess(directory.path, {
    DATABASE_URL: database.url,
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    PRESETD_CONFIG: file.path,
    OPENROUTER_API_KEY: 'a-key-of-the-upstream',
    PRESETD_BODY_LIMIT: String(bodyBytesMax),
    // A busy machine must not look like a slow database or like too many requests.
    PRESETD_DATABASE_TIMEOUT_MS: '120000',
    PRESETD_REQUESTS_IN_FLIGHT: '0',
  });
  const { pid } = server.process;
  let stderr = '';
  server.process.stderr?.on('data', (text) => {
    stderr += text;
  });
  // biome-ignore lint/suspicious/noExplicitAny: callers know the shape of the response
  async function send(method: string, path: string, body?: unknown, key = managementKey): Promise<any> {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, ...((await response.json()) as object) };
  }

  const names: Record<string, readonly string[]> = {};
  let exported = '';
  let renewals = 0;
  async function renew(): Promise<void> {
    upstream.clear();
    upstream.respondAlways(respondLikeUpstreams);
    renewals += 1;
    const slug = `fuzzed-${renewals}`;
    await send('PATCH', '/api/v1/workspaces/default/content-log', { enabled: true });
    for (const model of ['one', 'two'])
      await send('POST', `/api/v1/presets/${slug}/chat/completions`, { model, messages }, apiKey);
    await send('PUT', `/api/v1/presets/${slug}/labels/production`, { version: 1 });
    await send('PUT', `/api/v1/presets/${slug}/aliases/${slug}-alias`);
    await send('PUT', `/api/v1/presets/${slug}/cases/A%20case`, { variables: { n: 1 }, note: 'x' });
    const draft = { text: '{', dialect: null, base_version: 1 };
    await send('PUT', `/api/v1/presets/${slug}/draft`, draft);
    const [key, workspace, member, response] = await Promise.all([
      send('POST', '/api/v1/keys', { name: `fuzzed ${renewals}` }),
      send('POST', '/api/v1/workspaces', { name: `Fuzzed ${renewals}`, slug }),
      send('POST', '/api/v1/organization/members', { email: `${slug}@example.com` }),
      send('POST', '/api/v1/responses', { model: 'storing/m', input: 'x' }, apiKey),
    ]);
    Object.assign(names, {
      slug: [slug, `${slug}-alias`],
      alias: [`${slug}-alias`],
      model: [`@preset/${slug}`],
      author: ['@preset'],
      version: ['2', '1'],
      label: ['production'],
      name: ['A case'],
      hash: [key.data.hash],
      workspace: [workspace.data.id, slug],
      member: [member.data.id],
      user_id: [member.data.id],
      response_id: [response.id],
      // Calls are stored within a second, so the first one is.
      generation: [names.generation?.[0] ?? response.id],
    });
    if (exported === '') {
      const headers = { authorization: `Bearer ${managementKey}` };
      exported = await (await fetch(`${server.url}/api/v1/export`, { headers })).text();
    }
  }
  await renew();

  return {
    url: server.url,
    document: (await (await fetch(`${server.url}/openapi.json`)).json()) as OpenapiDocument,
    names,
    exported: () => exported,
    renew,
    defects: () => [
      ...(stderr === '' ? [] : [stderr]),
      ...(server.process.exitCode === null && server.process.signalCode === null
        ? []
        : ['the process exited']),
      ...server
        .stdout()
        .split('\n')
        .filter((line) => /^\{"level":[56]0/.test(line)),
    ],
    openFiles: () => readdirSync(`/proc/${pid}/fd`).length,
    residentBytes: () =>
      1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    async works() {
      const slug = `works-${renewals}`;
      const path = `/api/v1/presets/${slug}`;
      const created = await send('POST', `${path}/chat/completions`, { model: 'm', messages }, apiKey);
      const read = await send('GET', path, undefined, apiKey);
      const call = { model: `@preset/${slug}`, messages: [{ role: 'user', content: 'Hello' }] };
      const called = await send('POST', '/api/v1/chat/completions', call, apiKey);
      const version = read.data.designated_version;
      return (
        [created, read, called].every(({ status }) => status === 200) &&
        version.id === created.data.designated_version.id &&
        version.system_prompt === 'Be terse.' &&
        Array.isArray(called.choices)
      );
    },
    async stop() {
      const { code, stderr: last, stdout } = await server.stop();
      await upstream.stop();
      await database.drop();
      directory.remove();
      file.remove();
      if (code !== 0 || last !== '')
        throw new Error(`the server exited with ${code}: ${last}${stdout.slice(-2_000)}`);
    },
  };
}
