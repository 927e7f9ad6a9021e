import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { vitalSigns } from './load/vital-signs.ts';
import { logProgress, scale } from './scale.ts';

const apiKey = 'api-key-of-half-open-clients';
const clientTimeoutMs = 3_000;
const clients = scale(300, 1_500);

const head = (method: string, path: string, lines: readonly string[] = [], key = apiKey) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...lines, '', ''].join('\r\n');
const json = 'Content-Type: application/json';
const create = '/api/v1/presets/x/chat/completions';
const call = '/api/v1/chat/completions';
const half = '{"model":"';

/** The bytes that each client sends before it goes silent, and the status of the last response. */
const openings: Readonly<Record<string, readonly [bytes: string, status: number]>> = {
  'nothing at all': ['', 408],
  'a bare CRLF': ['\r\n', 408],
  'half a request line': ['GET /heal', 408],
  'unfinished headers': ['GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ', 408],
  'something other than HTTP': ['\x16\x03\x01 hello\r\n\r\n', 400],
  'garbage after a request': [`${head('GET', '/healthz')}garbage\r\n\r\n`, 400],
  'headers that are too long': [`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}`, 431],
  'an ambiguous body length': [head('POST', create, [json, 'Transfer-Encoding: gzip, chunked']), 400],
  'a broken chunk': [`${head('POST', create, [json, 'Transfer-Encoding: chunked'])}zz\r\n`, 400],
  'a body over the limit': [head('POST', create, [json, 'Content-Length: 99999999']) + half, 413],
  'a call over the limit': [head('POST', call, [json, 'Content-Length: 99999999']) + half, 413],
  'half a body': [head('POST', create, [json, 'Content-Length: 1000']) + half, 408],
  'half a call': [head('POST', call, [json, 'Content-Length: 1000']) + half, 408],
  'half a body with a wrong key': [head('POST', call, [json, 'Content-Length: 1000'], 'wrong') + half, 401],
  'half a body to an unknown path': [head('POST', '/nowhere', [json, 'Content-Length: 1000']) + half, 404],
  'an expectation and no body': [
    head('POST', create, [json, 'Content-Length: 1000', 'Expect: 100-continue']),
    408,
  ],
  'a request to close': [head('GET', '/healthz', ['Connection: close']), 200],
  'a request of HTTP/1.0': ['GET /healthz HTTP/1.0\r\n\r\n', 200],
  'a request to upgrade': [head('GET', '/healthz', ['Connection: Upgrade', 'Upgrade: websocket']), 200],
  'a request without a host': ['GET /healthz HTTP/1.1\r\n\r\n', 400],
};
const kinds = Object.entries(openings);

let directory: ReturnType<typeof createWorkingDirectory>;
let server: ServerProcess;
const sockets: Socket[] = [];
beforeEach(() => {
  directory = createWorkingDirectory();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
  directory.remove();
});

interface Client {
  readonly kind: string;
  readonly response: () => string;
}

/** A client that sends its bytes, reads what comes back and never closes its side. */
async function openClient(port: number, kind: string, bytes: string): Promise<Client> {
  let response = '';
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    response += chunk.toString('latin1');
  });
  socket.write(bytes, 'latin1');
  await once(socket, 'connect');
  return { kind, response: () => response };
}

const lastStatus = ({ response }: Client) =>
  Number([...response().matchAll(/HTTP\/1\.1 (\d{3}) /g)].at(-1)?.[1] ?? 0);

async function serve(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  server = await startServerProcess(directory.path, {
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    LOG_LEVEL: 'warn',
    ...environment,
  });
}

const handles = () => vitalSigns(server.process.pid ?? 0).handles;

describe('clients that never close their side', () => {
  it('get a response, after which the server closes their descriptors', async () => {
    await serve({ PRESETD_CLIENT_TIMEOUT_MS: String(clientTimeoutMs) });
    const port = Number(new URL(server.url).port);
    const before = handles();
    const opened: Client[] = [];
    while (opened.length < clients)
      opened.push(...(await Promise.all(kinds.map(([kind, [bytes]]) => openClient(port, kind, bytes)))));
    const most = handles();

    // On a busy machine any of them may time out before the server reads its bytes.
    const hasResponse = (client: Client) => [openings[client.kind]?.[1], 408].includes(lastStatus(client));
    const waiting = () => opened.filter((client) => !hasResponse(client)).map(({ kind }) => kind);
    await expect.poll(waiting).toEqual([]);
    await expect.poll(handles, { interval: 100 }).toBeLessThanOrEqual(before + 2);
    logProgress(`half-open: ${opened.length} clients; ${before} handles before, ${most} with all clients`);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it('lose their descriptors after a rejection, regardless of the client timeout', async () => {
    // Longer than the poll waits, so that only a rejection can close them.
    await serve({ PRESETD_CLIENT_TIMEOUT_MS: '600000' });
    const port = Number(new URL(server.url).port);
    const before = handles();
    const rejected = kinds.filter(([, [, status]]) => status !== 408);
    const opened = await Promise.all(
      rejected.flatMap(([kind, [bytes]]) => Array.from({ length: 5 }, () => openClient(port, kind, bytes))),
    );
    const statuses = () => opened.map((client) => [client.kind, lastStatus(client)]);
    await expect.poll(statuses).toEqual(opened.map(({ kind }) => [kind, openings[kind]?.[1]]));
    await expect.poll(handles, { interval: 100 }).toBeLessThanOrEqual(before + 2);
  });

  it('lose their descriptors on the metrics port', async () => {
    await serve({
      PRESETD_CLIENT_TIMEOUT_MS: String(clientTimeoutMs),
      PRESETD_METRICS_PORT: '0',
      LOG_LEVEL: 'info',
    });
    const find = () => /"url":"(http:[^"]+)\/metrics"/.exec(server.stdout())?.[1] ?? '';
    await expect.poll(find).not.toBe('');
    const metricsUrl = find();
    const port = Number(new URL(metricsUrl).port);
    const before = handles();
    const opened = await Promise.all(
      kinds.flatMap(([kind, [bytes]]) => Array.from({ length: 5 }, () => openClient(port, kind, bytes))),
    );
    await expect.poll(() => opened.every((client) => lastStatus(client) > 0)).toBe(true);
    await expect.poll(handles, { interval: 100 }).toBeLessThanOrEqual(before + 2);
    expect((await fetch(`${metricsUrl}/metrics`)).status).toBe(200);
  });
});
