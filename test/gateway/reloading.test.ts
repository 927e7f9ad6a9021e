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

describe('a server that gets SIGHUP', () => {
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

  /** Configures another upstream and waits until it is asked. */
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

  it('takes new upstreams without dropping a stream under way', async () => {
    first.respondWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response } = await first.nextExchange();
    beginStream(response).write(beginning);
    const opened = await opening;
    await change('second', second);
    response.end(remainder);
    expect(await opened.end()).toBe(beginning + remainder);
    // Nobody needs the first one any more.
    await expect.poll(() => first.openConnections()).toBe(0);
  });

  it('lets go of the old upstream when a client leaves it', async () => {
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

  it('answers every one of many requests, again and again', async () => {
    let isOver = false;
    const workers = Array.from({ length: 4 }, async () => {
      const answers: string[] = [];
      while (!isOver) {
        const opened = await openStream(server, 'chat-completions', question);
        answers.push(`${opened.status} ${await opened.end()}`);
      }
      return answers;
    });
    for (let time = 0; time < 5; time += 1) {
      await change('second', second);
      await change('first', first);
    }
    isOver = true;
    const answers = (await Promise.all(workers)).flat();
    expect(new Set(answers)).toEqual(new Set([`200 ${beginning}${remainder}`]));
    expect(second.requests.length).toBeGreaterThan(10);
  });

  it('keeps its upstreams when the new file is wrong, and says so', async () => {
    reload('{"upstreams": [{"name": "second", "kind": "nonsense"}]}');
    await expect.poll(server.stdout).toContain('not reloaded');
    expect(await servedBy()).toBe('first');
  });

  it('takes a key that is put into .env', async () => {
    const status = async () => {
      const opened = await openStream(server, 'chat-completions', question);
      await opened.end();
      return opened.status;
    };
    const keyed = { upstreams: [compatible('first', first, { api_key_env: 'FIRST_KEY' })] };
    reload(keyed);
    await expect.poll(status).toBe(424);
    first.clear();
    writeFileSync(join(directory.path, '.env'), 'FIRST_KEY=sk-from-the-env-file\n');
    reload(keyed);
    await expect.poll(status).toBe(200);
    expect(first.requests[0]?.headers.authorization).toBe('Bearer sk-from-the-env-file');
    // Lines are written once a second.
    await expect.poll(server.stdout).toContain('FIRST_KEY');
    expect(server.stdout()).not.toContain('sk-from-the-env-file');
  });
});
