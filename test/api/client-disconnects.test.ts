import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { type Exchange, type Script, stall, stallAfter } from '../support/upstream-scripts.ts';
import { recordingOf } from '../support/wire/recordings.ts';

describe('clients that disconnect', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
    // More than the kernel buffers for a client that does not read.
    for (let version = 1; version <= 14; version += 1)
      await server.capture('long', { model: 'm', instructions: `${version}`.repeat(500_000) }, 'responses');
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  const head = (method: string, path: string, lines: readonly string[] = []) =>
    [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${apiKey}`, ...lines, '', ''].join(
      '\r\n',
    );
  const post = (path: string, type: string, body: string, missing = 0) =>
    head('POST', path, [`Content-Type: ${type}`, `Content-Length: ${body.length + missing}`]) + body;
  const question = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], stream: true });
  const chat = '/api/v1/chat/completions';
  const { stream } = recordingOf['chat-completions'];
  const firstHalf = stream.subarray(0, stream.lastIndexOf('\n\n', stream.length / 2) + 2);

  const open = (bytes: string): Socket => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(bytes);
    return socket;
  };
  const begin = async (bytes: string) => {
    const socket = open(bytes);
    // The rest stays unread.
    await once(socket, 'readable');
    return socket;
  };
  /** The server has read everything that was sent before this. */
  const upload = async (bytes: string) => {
    const socket = open(bytes);
    await once(socket, 'connect');
    await server.get('/healthz');
    return socket;
  };
  const called = async (bytes: string) => {
    const socket = open(bytes);
    await upstream.nextExchange();
    return socket;
  };

  let respond: Script = stall;
  /** How the calls of the test ended, seen from the upstream. */
  let endings: Exchange['ended'][] = [];
  beforeEach(() => {
    [respond, endings] = [stall, []];
    upstream.clear();
    upstream.respondAlways((exchange) => {
      endings.push(exchange.ended);
      return respond(exchange);
    });
  });

  const linesOf = (route: string, from: number) =>
    server.log.slice(from).filter((line) => line.includes(`"route":"${route}"`));

  it.each<[what: string, route: string, open: () => Promise<Socket>]>([
    ['during an export', '/api/v1/export', () => begin(head('GET', '/api/v1/export'))],
    [
      'during a long list',
      '/api/v1/presets/:slug/versions',
      () => begin(head('GET', '/api/v1/presets/long/versions?limit=100')),
    ],
    ['before the response to its call', chat, () => called(post(chat, 'application/json', question))],
    [
      'before the response to its call by the route',
      chat,
      () => called(post(chat, 'application/json; charset=utf-8', question)),
    ],
    [
      'during the stream of its call',
      chat,
      async () => {
        respond = stallAfter(firstHalf);
        return begin(post(chat, 'application/json', question));
      },
    ],
    [
      'during the stream of its call by the route',
      chat,
      async () => {
        respond = stallAfter(firstHalf);
        return begin(post(chat, 'application/json; charset=utf-8', question));
      },
    ],
    [
      'before its call is complete',
      chat,
      () => upload(post(chat, 'application/json', question.slice(0, -1), 1)),
    ],
    [
      'before its import is complete',
      '/api/v1/import',
      () => upload(post('/api/v1/import', 'application/x-ndjson', '{"type":', 100)),
    ],
    [
      'before its preset is complete',
      '/api/v1/presets/:slug/responses',
      () => upload(post('/api/v1/presets/x/responses', 'application/json', '{"model":', 100)),
    ],
  ])(
    'a client that disconnects %s is logged as 499, and its call is canceled',
    async (_, route, openRequest) => {
      const from = server.log.length;
      const socket = await openRequest();
      socket.destroy();
      await expect.poll(() => linesOf(route, from).join('')).toContain('"status":499');
      expect(await Promise.all(endings)).toEqual(endings.map(() => 'disconnected'));
      expect((await server.get('/api/v1/presets')).status).toBe(200);
      expect(linesOf(route, from)).toHaveLength(1);
      expect(server.log.slice(from).filter((line) => /^\{"level":[56]0/.test(line))).toEqual([]);
    },
  );

  it('a client that disconnects takes along the request that waits behind its call', async () => {
    const from = server.log.length;
    const socket = open(post(chat, 'application/json', question) + head('GET', '/api/v1/presets/waiting'));
    await upstream.nextExchange();
    await server.get('/healthz');
    socket.destroy();
    await expect.poll(() => linesOf(chat, from).join('')).toContain('"status":499');
    await server.get('/healthz');
    expect(linesOf('/api/v1/presets/:slug', from)).toEqual([]);
  });

  it('a client that disconnects before its file is opened is logged as 499, not as an error', async () => {
    const from = server.log.length;
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.resume().on('error', () => undefined);
    await once(socket, 'connect');
    // No handler accepts CONNECT, so Node.js drops the connection while the first request is in
    // flight.
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.write('CONNECT x HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'close');
    await expect.poll(() => server.log.slice(from).join('')).toContain('"status":499');
    // Once later requests have got the file, the first one has finished with it, too.
    for (let count = 0; count < 3; count += 1) expect((await server.get('/')).status).toBe(200);
    expect(server.log.slice(from).filter((line) => /^\{"level":[56]0/.test(line))).toEqual([]);
  });
});
