import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { contract } from '../../src/api/contract.ts';
import { healthOperations } from '../../src/api/health.ts';
import { type Operation, splitRoute } from '../../src/api/operation.ts';
import { type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';

const scimToken = 'scim-token-0123456789-0123456789-0123456789';

/** Public paths that are not part of the contract, with those of tokens of their own. */
const otherPaths = [
  '/openapi.json',
  '/docs/json',
  '/',
  '/docs',
  '/organization/members',
  '/favicon.svg',
  '/assets/missing.js',
  '/api',
  '/api/v1',
  '/metrics',
  '/sign-in/unknown',
  '/sign-in/unknown/callback',
  '/scim/v2/Schemas',
  '/scim/v2/Users',
  '/nowhere',
];

const parameters: Readonly<Record<string, string>> = { slug: 'big', version: '1' };
const fill = (path: string) => path.replace(/:(\w+)/g, (_, name) => parameters[name] ?? 'unknown');

const keyOf = ({ access }: Operation) => (/^(member|workspace|org)-?/.test(access) ? managementKey : apiKey);

/** A request of every operation, as its method, path and key. */
const operations = [
  ...Object.entries(contract).map(
    ([route, operation]) => [route.replace(' ', ' /api/v1'), operation] as const,
  ),
  ...Object.entries(healthOperations),
].map(([route, operation]) => {
  const { method, path } = splitRoute(route);
  return [method, fill(path), keyOf(operation)] as const;
});
const requests = [
  ...operations,
  ...otherPaths.map((path) => ['GET', path, path.startsWith('/scim') ? scimToken : apiKey] as const),
];

const bytesOf = (method: string, path: string, key: string) => {
  const body = method === 'GET' || method === 'DELETE' ? '' : '{}';
  const type = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n${type}\r\n${body}`;
};

/** As many as a client may have pending on a connection. */
const pendingMax = 33;

describe('pipelined requests', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  const clients: Socket[] = [];
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream, {
      PRESETD_SCIM_TOKEN: scimToken,
      PRESETD_METRICS_TOKEN: apiKey,
      PRESETD_METRICS_PORT: '0',
    });
    for (const word of ['one', 'two', 'three'])
      await server.capture('big', { model: 'm', instructions: word.repeat(100_000) }, 'responses');
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
  });
  afterAll(async () => {
    await server.stop();
    await upstream.stop();
  });

  /**
   * Sends bytes on a new connection and reads nothing. Returns the responses that Node.js creates,
   * and how many were pending at a time.
   */
  async function send(bytes: string, url = server.url) {
    const responses: ServerResponse[] = [];
    let mostPending = 0;
    const client = connect(Number(new URL(url).port), '127.0.0.1');
    clients.push(client);
    client.on('error', () => undefined).pause();
    await once(client, 'connect');
    const { port } = client.address() as AddressInfo;
    const collect = (message: unknown) => {
      const { response } = message as { readonly response: ServerResponse };
      if (response.req.socket.remotePort !== port) return;
      responses.push(response);
      const pending = responses.filter(({ writableFinished }) => !writableFinished);
      mostPending = Math.max(mostPending, pending.length);
    };
    subscribe('http.server.request.start', collect);
    client.once('close', () => unsubscribe('http.server.request.start', collect));
    client.write(bytes);
    await expect.poll(() => responses.length, { interval: 1 }).toBeGreaterThan(0);
    return { responses, mostPending: () => mostPending };
  }

  const isUnfinished = (response: ServerResponse) => response.headersSent && !response.writableFinished;
  const connectionOf = ([first]: readonly ServerResponse[]) => first?.req.socket as Socket;

  /** The most responses that were being sent at a time, and the most bytes that were queued. */
  async function watch(responses: readonly ServerResponse[]) {
    const socket = connectionOf(responses);
    let [mostAtOnce, mostBytes, stalledTurns] = [0, 0, 0];
    const isOver = () => responses.at(-1)?.writableFinished || stalledTurns > 50;
    while (!isOver() || responses.length < pendingMax) {
      mostAtOnce = Math.max(mostAtOnce, responses.filter(isUnfinished).length);
      const queued = responses.filter((response) => !response.writableFinished);
      mostBytes = Math.max(mostBytes, queued.map(({ writableLength }) => writableLength).reduce(sum, 0));
      stalledTurns = socket.writableLength > 0 ? stalledTurns + 1 : 0;
      await nextTurn();
    }
    return { mostAtOnce, mostBytes };
  }

  it.each(requests)(
    'a client that reads nothing has at most one response of %s %s queued',
    async (method, path, key) => {
      const { responses } = await send(bytesOf(method, path, key).repeat(pendingMax));
      const { mostAtOnce, mostBytes } = await watch(responses);
      expect(responses).toHaveLength(pendingMax);
      expect(mostAtOnce).toBeLessThanOrEqual(1);
      // The longest response, a list of versions, is not longer than this.
      expect(mostBytes).toBeLessThan(2_000_000);
    },
  );

  it.each(requests)(
    'a client that sends %s %s 300 times has at most 34 requests pending',
    async (method, path, key) => {
      const { responses, mostPending } = await send(bytesOf(method, path, key).repeat(300));
      // Those that are served faster than the server parses them never wait.
      const isServed = () => responses.length === 300 && responses.at(-1)?.writableFinished === true;
      const isOver = () => connectionOf(responses).destroyed || isServed();
      await expect.poll(isOver, { interval: 1 }).toBe(true);
      expect(mostPending()).toBeLessThanOrEqual(pendingMax + 1);
    },
  );

  it('the metrics port has the same limits', async () => {
    const scrape = bytesOf('GET', '/metrics', 'none');
    const { responses } = await send(scrape.repeat(pendingMax), server.metricsUrl);
    expect((await watch(responses)).mostAtOnce).toBeLessThanOrEqual(1);
    const many = await send(scrape.repeat(300), server.metricsUrl);
    await expect.poll(() => connectionOf(many.responses).destroyed).toBe(true);
    expect(many.mostPending()).toBeLessThanOrEqual(pendingMax + 1);
  });

  it('a client that reads gets all responses in order', async () => {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    const paths = ['/openapi.json', '/api/v1/presets/big', '/healthz', '/api/v1/presets/big/versions'];
    const sent = Array.from({ length: pendingMax }, (_, index) => {
      const last = index === pendingMax - 1 ? 'Connection: close\r\n' : '';
      const bytes = bytesOf('GET', paths[index % paths.length] ?? '', apiKey);
      return bytes.replace('Host: x\r\n', `Host: x\r\nX-Request-Id: of-${index}\r\n${last}`);
    });
    client.write(sent.join(''));
    const received = await text(client);
    expect([...received.matchAll(/^x-request-id: of-(\d+)\r$/gim)].map(([, index]) => Number(index))).toEqual(
      sent.keys().toArray(),
    );
    expect(received.match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(pendingMax);
  });

  it('an upgrade behind a pending response is not performed', async () => {
    const client = connect(Number(new URL(server.url).port), '127.0.0.1');
    const upgrade =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
    client.write(
      bytesOf('GET', '/api/v1/presets/big', apiKey) +
        bytesOf('GET', '/api/v1/responses', apiKey).replace('Host: x', `Host: x\r\n${upgrade}`),
    );
    let received = '';
    client.on('data', (bytes) => {
      received += bytes;
    });
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    await expect.poll(statuses).toEqual(['200', '426']);
    client.destroy();
  });
});

const sum = (one: number, other: number) => one + other;
