import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { type OpenStream, openStream } from '../support/event-stream.ts';
import { startWithUpstream, upstreamKey } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { beginStream, respondInDialect, stall } from '../support/upstream-scripts.ts';
import { dialects, recordingOf, recordings } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };
const [beginning = '', ...others] = recordings['openai-chat'].stream.toString().split(/(?<=\n\n)/);
const remainder = others.join('');

const isRefused = ({ url }: { readonly url: string }) =>
  fetch(url).then(
    () => false,
    () => true,
  );

describe('a stopping server', () => {
  it('finishes in-flight calls and streams and accepts no new ones', async () => {
    const upstream = await startScriptedUpstream();
    const server = await startWithUpstream(upstream);
    upstream.respondAlways(stall);
    const streams: { opened: OpenStream; whole: string; finish(): void }[] = [];
    for (const dialect of dialects) {
      const whole = recordingOf[dialect].stream.toString();
      const [event, ...rest] = whole.split(/(?<=\n\n)/);
      const opening = openStream(server, dialect, question);
      const { response } = await upstream.nextExchange();
      beginStream(response).write(event);
      streams.push({ opened: await opening, whole, finish: () => response.end(rest.join('')) });
    }
    const pending = server.call(question);
    const plain = await upstream.nextExchange();
    let hasStopped = false;
    const stopped = server.stop().then(() => {
      hasStopped = true;
    });
    await expect.poll(() => isRefused(server)).toBe(true);
    respondInDialect(plain);
    expect((await pending).text).toBe(recordings['openai-chat'].json.toString());
    for (const { opened, whole, finish } of streams) {
      expect(hasStopped).toBe(false);
      finish();
      expect(await opened.end()).toBe(whole);
    }
    await stopped;
    await expect.poll(() => upstream.openConnections()).toBe(0);
    await upstream.stop();
  });
});

describe('the server process', () => {
  let directory: ReturnType<typeof createWorkingDirectory>;
  let upstream: ScriptedUpstream;
  beforeEach(async () => {
    directory = createWorkingDirectory();
    upstream = await startScriptedUpstream();
  });
  afterEach(async () => {
    await upstream.stop();
    directory.remove();
  });

  const start = (environment: Record<string, string> = {}) =>
    startServerProcess(directory.path, {
      PRESETD_UPSTREAM_URL: upstream.url,
      OPENROUTER_API_KEY: upstreamKey,
      PRESETD_BOOTSTRAP_API_KEY: apiKey,
      PRESETD_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      ...environment,
    });

  /** Opens a stream and waits for its first event. `finish` sends the rest. */
  async function startStream(server: ServerProcess): Promise<{ opened: OpenStream; finish(): void }> {
    upstream.respondWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response } = await upstream.nextExchange();
    beginStream(response).write(beginning);
    const opened = await opening;
    await opened.until(beginning);
    return { opened, finish: () => response.end(remainder) };
  }

  it('finishes an in-flight stream after SIGTERM and exits with 0', async () => {
    const server = await start();
    const { opened, finish } = await startStream(server);
    const stopped = server.stop();
    await expect.poll(() => isRefused(server)).toBe(true);
    finish();
    expect(await opened.end()).toBe(beginning + remainder);
    expect((await stopped).code).toBe(0);
  });

  it('aborts a stream that exceeds the shutdown timeout, visibly for its client', async () => {
    const server = await start({ PRESETD_SHUTDOWN_TIMEOUT_MS: '200' });
    const { opened } = await startStream(server);
    const ending = opened.end().then(
      (text) => text,
      () => 'disconnected',
    );
    expect((await server.stop()).code).toBe(1);
    expect(await ending).toSatisfy((text: string) => text === 'disconnected' || text.includes('"error"'));
  });
});
