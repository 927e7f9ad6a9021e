import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { type OpenStream, openStream } from '../support/event-stream.ts';
import { startWithUpstream, upstreamKey } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { answerInKind, beginStream, stall } from '../support/upstream-scripts.ts';
import { dialects, recordingOf, recordings } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };
const [beginning = '', ...others] = recordings['openai-chat'].stream.toString().split(/(?<=\n\n)/);
const remainder = others.join('');

const isRefused = ({ url }: { readonly url: string }) =>
  fetch(url).then(
    () => false,
    () => true,
  );

describe('a server that stops', () => {
  it('finishes streams and answers under way first, and takes nothing new', async () => {
    const upstream = await startScriptedUpstream();
    const server = await startWithUpstream(upstream);
    upstream.answerAlways(stall);
    const streams: { opened: OpenStream; whole: string; finish(): void }[] = [];
    for (const dialect of dialects) {
      const whole = recordingOf[dialect].stream.toString();
      const [event, ...rest] = whole.split(/(?<=\n\n)/);
      const opening = openStream(server, dialect, question);
      const { response } = await upstream.take();
      beginStream(response).write(event);
      streams.push({ opened: await opening, whole, finish: () => response.end(rest.join('')) });
    }
    const asked = server.ask(question);
    const plain = await upstream.take();
    let hasStopped = false;
    const stopped = server.stop().then(() => {
      hasStopped = true;
    });
    await expect.poll(() => isRefused(server)).toBe(true);
    answerInKind(plain);
    expect((await asked).text).toBe(recordings['openai-chat'].json.toString());
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

describe('the process', () => {
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

  /** A stream of which one event has come; the rest is for the test to send. */
  async function beginOne(server: ServerProcess): Promise<{ opened: OpenStream; finish(): void }> {
    upstream.answerWith(stall);
    const opening = openStream(server, 'chat-completions', question);
    const { response } = await upstream.take();
    beginStream(response).write(beginning);
    const opened = await opening;
    await opened.until(beginning);
    return { opened, finish: () => response.end(remainder) };
  }

  it('ends a stream in order when SIGTERM comes in its middle, and then itself with 0', async () => {
    const server = await start();
    const { opened, finish } = await beginOne(server);
    const stopped = server.stop();
    await expect.poll(() => isRefused(server)).toBe(true);
    finish();
    expect(await opened.end()).toBe(beginning + remainder);
    expect((await stopped).code).toBe(0);
  });

  it('gives up on a stream that does not end in time, and its client learns that it is not whole', async () => {
    const server = await start({ PRESETD_SHUTDOWN_TIMEOUT_MS: '200' });
    const { opened } = await beginOne(server);
    const ending = opened.end().then(
      (text) => text,
      () => 'broken off',
    );
    expect((await server.stop()).code).toBe(1);
    expect(await ending).toSatisfy((text: string) => text === 'broken off' || text.includes('"error"'));
  });
});
