import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { openStream, parseEvents } from '../support/event-stream.ts';
import { type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import type { Script } from '../support/upstream-scripts.ts';
import { beginStream, stall, stallAfter, stallAfterHeaders } from '../support/upstream-scripts.ts';
import { dialects, recordingOf } from '../support/wire/recordings.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }];
const long = 60_000;

describe('upstream timeouts', () => {
  let upstream: ScriptedUpstream;
  let silent: { readonly url: string; stop(): void };
  let server: GatewayServer;
  beforeAll(async () => {
    [upstream] = (await startUpstreams(1)) as [ScriptedUpstream];
    silent = await startSilentServer();
    const withTimeouts = (name: string, timeouts: object, base_url = upstream.url) => ({
      name,
      kind: 'openai-compatible',
      base_url,
      models: [`${name}/*`],
      dialects: [...dialects],
      timeouts: { connect_ms: long, first_byte_ms: long, idle_ms: long, total_ms: long, ...timeouts },
    });
    server = await startWithFile({
      upstreams: [
        withTimeouts('connect', { connect_ms: 200 }, silent.url),
        withTimeouts('first-byte', { first_byte_ms: 200 }),
        withTimeouts('idle', { idle_ms: 200 }),
        withTimeouts('total', { total_ms: 300 }),
      ],
    });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    silent.stop();
  });

  it.each<[string, Script]>([
    ['before its headers', stall],
    ['after its headers', stallAfterHeaders],
  ])('return 504 and close the connection if the upstream stalls %s', async (_title, script) => {
    upstream.respondAlways(script);
    const calls = dialects.flatMap((dialect) => [
      { dialect, stream: false },
      { dialect, stream: true },
    ]);
    const expectTimeout = async ({ dialect, stream }: (typeof calls)[number]) => {
      const response = await server.call({ model: 'first-byte/a', messages, stream }, { dialect });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        504,
        expect.stringMatching(/^application\/json/),
      ]);
      expect(response.body.error).toMatchObject(
        dialect === 'messages' ? { type: 'timeout_error' } : { code: 504 },
      );
      expect(await (await upstream.nextExchange()).ended).toBe('disconnected');
    };
    await Promise.all(calls.map(expectTimeout));
  });

  it('end a call if no connection can be established', async () => {
    const response = await server.call({ model: 'connect/a', messages });
    expect([502, 504]).toContain(response.status);
    expect(response.body.error.message).toContain('connect');
  });

  it.each(dialects)('end a stream that stalls midway, in %s', async (dialect) => {
    const { stream } = recordingOf[dialect];
    const half = stream.subarray(0, stream.length / 2);
    upstream.respondWith(stallAfter(half));
    const opened = await openStream(server, dialect, { model: 'idle/a', messages, store: false });
    expectBroken(await opened.end(), half, dialect);
    expect(await (await upstream.nextExchange()).ended).toBe('disconnected');
  });

  it.each(dialects)('end a stream that never stalls but takes too long, in %s', async (dialect) => {
    const beginning = Buffer.from(firstEvent(recordingOf[dialect].stream));
    upstream.respondWith(async ({ response, ended }) => {
      beginStream(response).write(beginning);
      let isOver = false;
      ended.then(() => {
        isOver = true;
      });
      while (!isOver) {
        response.write(': still here\n\n');
        await delay(20);
      }
    });
    const opened = await openStream(server, dialect, { model: 'total/a', messages, store: false });
    const text = await opened.end();
    expect(text).toContain(': still here\n\n');
    expectBroken(text, beginning, dialect);
    expect(await (await upstream.nextExchange()).ended).toBe('disconnected');
  });

  it('return 504 if a response that is not streamed stalls midway', async () => {
    for (const [model, time] of [
      ['idle/a', 'silent'],
      ['total/a', 'slow'],
    ] as const) {
      upstream.respondWith(async ({ response, ended }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{"choices":');
        let isOver = false;
        ended.then(() => {
          isOver = true;
        });
        while (time === 'slow' && !isOver) {
          response.write(' ');
          await delay(20);
        }
      });
      const response = await server.call({ model, messages });
      expect([response.status, response.body.error.code]).toEqual([504, 504]);
      expect(await (await upstream.nextExchange()).ended).toBe('disconnected');
    }
  });

  it('do not apply while the upstream sends comments', async () => {
    const { stream } = recordingOf['chat-completions'];
    upstream.respondWith(async ({ response }) => {
      beginStream(response);
      // Each pause is shorter than the idle timeout, all of them together are longer.
      for (let time = 0; time < 8; time += 1) {
        response.write(': OPENROUTER PROCESSING\n\n');
        await delay(50);
      }
      response.end(stream);
    });
    const opened = await openStream(server, 'chat-completions', { model: 'idle/a', messages });
    expect(await opened.end()).toBe(': OPENROUTER PROCESSING\n\n'.repeat(8) + stream);
  });

  it('do not affect responses that are fast enough', async () => {
    for (const model of ['first-byte/a', 'idle/a', 'total/a'])
      for (let time = 0; time < 3; time += 1)
        expect((await server.call({ model, messages })).status).toBe(200);
  });

  /** Expects the complete events that the upstream sent, then the error event of the dialect. */
  function expectBroken(text: string, sent: Buffer, dialect: Dialect): void {
    const { events, rest } = parseEvents(text);
    const whole = parseEvents(sent.toString()).events;
    expect(rest).toBe('');
    expect(events.slice(0, whole.length)).toEqual(whole);
    const ending = events.slice(whole.length);
    expect(ending.map(({ name }) => name)).toEqual(endings[dialect]);
    for (const { data } of ending) expect(data).toMatch(/"error"/);
  }
});

/** The names of the events that end a broken stream. */
const endings: Readonly<Record<Dialect, readonly (string | undefined)[]>> = {
  'chat-completions': [undefined],
  messages: ['error'],
  responses: ['error', 'response.failed'],
};

function firstEvent(stream: Buffer): string {
  const text = stream.toString();
  return text.slice(0, text.indexOf('\n\n') + 2);
}

/** Accepts connections but never sends a byte, so that TLS handshakes stall. */
async function startSilentServer(): Promise<{ url: string; stop(): void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
