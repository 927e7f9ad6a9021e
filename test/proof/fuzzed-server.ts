import { readdirSync, readFileSync } from 'node:fs';
import type { OpenapiDocument } from '../compat/openapi-document.ts';
import { createWorkingDirectory, startServerProcess } from '../support/command.ts';
import { createDatabase } from '../support/database.ts';
import type { Engine } from '../support/engines.ts';
import { startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';

/** Small, so that a body that is too large is quickly made. */
export const bodyBytesMax = 65_536;

/** A server process of its own, with an upstream, that may be sent anything. */
export interface FuzzedServer {
  readonly url: string;
  readonly document: OpenapiDocument;
  /** What exists, and may be changed and deleted at will: for every parameter of a path, what can stand there. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** What can be imported. */
  exported(): string;
  /** Lines of the log that nothing a client sends may bring about, and what else speaks of a defect. */
  defects(): readonly string[];
  openFiles(): number;
  residentBytes(): number;
  /** Answers whether a preset can still be made, read and called. */
  works(): Promise<boolean>;
  /** Makes anew what was changed or deleted. */
  renew(): Promise<void>;
  /** Fails where the process did not end in order. */
  stop(): Promise<void>;
}

const messages = [{ role: 'system', content: 'Be terse.' }];

export async function startFuzzedServer(engine: Engine): Promise<FuzzedServer> {
  const [database, upstream] = await Promise.all([createDatabase(engine), startScriptedUpstream()]);
  const directory = createWorkingDirectory();
  const server = await startServerProcess(directory.path, {
    DATABASE_URL: database.url,
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    PRESETD_UPSTREAM_URL: upstream.url,
    OPENROUTER_API_KEY: 'a-key-of-the-upstream',
    PRESETD_BODY_LIMIT: String(bodyBytesMax),
    // A machine that is busy with other things must not look like a database that is.
    PRESETD_DATABASE_TIMEOUT_MS: '120000',
  });
  const { pid } = server.process;
  let stderr = '';
  server.process.stderr?.on('data', (text) => {
    stderr += text;
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into where they are used
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
  let times = 0;
  async function renew(): Promise<void> {
    upstream.clear();
    times += 1;
    const slug = `fuzzed-${times}`;
    for (const model of ['one', 'two'])
      await send('POST', `/api/v1/presets/${slug}/chat/completions`, { model, messages }, apiKey);
    await send('PUT', `/api/v1/presets/${slug}/labels/production`, { version: 1 });
    const [key, workspace, member] = await Promise.all([
      send('POST', '/api/v1/keys', { name: `fuzzed ${times}` }),
      send('POST', '/api/v1/workspaces', { name: `Fuzzed ${times}`, slug }),
      send('POST', '/api/v1/organization/members', { email: `${slug}@example.com` }),
    ]);
    Object.assign(names, {
      slug: [slug],
      version: ['1', '2'],
      label: ['production'],
      hash: [key.data.hash],
      workspace: [workspace.data.id, slug],
      member: [member.data.id],
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
      ...(server.process.exitCode === null && server.process.signalCode === null ? [] : ['it has ended']),
      ...server
        .stdout()
        .split('\n')
        .filter((line) => /^\{"level":[56]0/.test(line)),
    ],
    openFiles: () => readdirSync(`/proc/${pid}/fd`).length,
    residentBytes: () =>
      1_024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]),
    async works() {
      const slug = `works-${times}`;
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
      if (code !== 0 || last !== '')
        throw new Error(`the server ended with ${code}: ${last}${stdout.slice(-2_000)}`);
    },
  };
}
