import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { openStream } from '../support/event-stream.ts';
import { compatible, startUpstreams, writeUpstreamFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { beginStream, stall } from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };
const [beginning = '', ...others] = recordings['openai-chat'].stream.toString().split(/(?<=\n\n)/);
const remainder = others.join('');

describe('a server that receives SIGHUP', () => {
  let directory: ReturnType<typeof createWorkingDirectory>;
  let first: ScriptedUpstream;
  let second: ScriptedUpstream;
  let file: ReturnType<typeof writeUpstreamFile>;
  let server: ServerProcess;
  beforeAll(async () => {
    directory = createWorkingDirectory();
    [first, second] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    file = writeUpstreamFile({ upstreams: [compatible('first', first)] });
    server = await startServerProcess(directory.path, {
      PRESETD_CONFIG: file.path,
      PRESETD_BOOTSTRAP_API_KEY: apiKey,
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    });
  });
  beforeEach(async () => {
    await change('first', first);
    first.clear();
    second.clear();
  });
  afterAll(async () => {
    await Promise.all([first.stop(), second.stop()]);
    expect((await server.stop()).code).toBe(0);
    file.remove();
    directory.remove();
  });

  /** Configures another upstream and waits until it is in use. */
  async function change(name: string, upstream: ScriptedUpstream): Promise<void> {
    reload({ upstreams: [compatible(name, upstream)] });
    await expect.poll(servedBy, { interval: 5 }).toBe(name);
  }

  function reload(configured: unknown): void {
    file.replace(configured);
    server.process.kill('SIGHUP');
  }

  async function servedBy(): Promise<string | null> {
    const opened = await openStream(server, 'chat-completions', { ...question, stream: false });
    await opened.end();
    return opened.headers.get('x-presetd-upstream');
  }

  it('switches to new upstreams without dropping an in-flight stream', async () => {
    first.respondWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response } = await first.nextExchange();
    beginStream(response).write(beginning);
    const opened = await opening;
    await change('second', second);
    response.end(remainder);
    expect(await opened.end()).toBe(beginning + remainder);
    // The first upstream is no longer in use.
    await expect.poll(() => first.openConnections()).toBe(0);
  });

  it('closes connections to the old upstream when its last client disconnects', async () => {
    first.respondWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response, ended } = await first.nextExchange();
    beginStream(response).write(beginning);
    const opened = await opening;
    await change('second', second);
    opened.abort();
    expect(await ended).toBe('disconnected');
    await expect.poll(() => first.openConnections()).toBe(0);
  });

  it('responds to every request during repeated reloads', async () => {
    let isDone = false;
    const workers = Array.from({ length: 4 }, async () => {
      const responses: string[] = [];
      while (!isDone) {
        const opened = await openStream(server, 'chat-completions', question);
        responses.push(`${opened.status} ${await opened.end()}`);
      }
      return responses;
    });
    for (let time = 0; time < 5; time += 1) {
      await change('second', second);
      await change('first', first);
    }
    isDone = true;
    const responses = (await Promise.all(workers)).flat();
    expect(new Set(responses)).toEqual(new Set([`200 ${beginning}${remainder}`]));
    expect(second.requests.length).toBeGreaterThan(10);
  });

  it('keeps its upstreams and logs an error if the new file is invalid', async () => {
    reload('{"upstreams": [{"name": "second", "kind": "nonsense"}]}');
    await expect.poll(server.stdout).toContain('not reloaded');
    expect(await servedBy()).toBe('first');
  });

  it('uses a key that was added to .env', async () => {
    const status = async () => {
      const opened = await openStream(server, 'chat-completions', question);
      await opened.end();
      return opened.status;
    };
    const withKey = { upstreams: [compatible('first', first, { api_key_env: 'FIRST_KEY' })] };
    reload(withKey);
    await expect.poll(status).toBe(424);
    first.clear();
    writeFileSync(join(directory.path, '.env'), 'FIRST_KEY=sk-from-the-env-file\n');
    reload(withKey);
    await expect.poll(status).toBe(200);
    expect(first.requests[0]?.headers.authorization).toBe('Bearer sk-from-the-env-file');
    // The log is flushed once a second.
    await expect.poll(server.stdout).toContain('FIRST_KEY');
    expect(server.stdout()).not.toContain('sk-from-the-env-file');
  });
});
