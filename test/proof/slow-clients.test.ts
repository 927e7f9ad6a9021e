import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { requestBytes } from './load/open-loop.ts';
import { vitalSigns } from './load/vital-signs.ts';
import { logProgress, scale } from './scale.ts';

const apiKey = 'api-key-of-slow-clients';

/** Clients of each kind. */
const count = scale(30, 1_500);
/** Clients that do not read large responses: the kernel buffers some megabytes for each. */
const readerCount = scale(10, 100);
/** The short run lowers the limit on memory, which follows the heap and the largest body. */
const heapMiB = scale(256, 512);
const bodyMiB = scale(8, 32);
const clientTimeoutMs = scale(2_000, 20_000);

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

async function serve(environment: Readonly<Record<string, string>>): Promise<void> {
  server = await startServerProcess(directory.path, {
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    LOG_LEVEL: 'warn',
    ...environment,
  });
}

async function store(slug: string, systemPrompt: string): Promise<void> {
  const created = await fetch(`${server.url}/api/v1/presets/${slug}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'system', content: systemPrompt }] }),
  });
  expect(created.status).toBe(200);
}

/** Opens connections that send these bytes, and counts those that close. */
async function open(
  first: string | Buffer,
  { isReading, connections = count }: { readonly isReading: boolean; readonly connections?: number },
): Promise<{ readonly closed: () => number }> {
  let closed = 0;
  const port = Number(new URL(server.url).port);
  const opened = Array.from({ length: connections }, () => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      closed += 1;
    });
    socket.write(first);
    if (isReading) socket.resume();
    else socket.pause();
    return once(socket, 'connect');
  });
  await Promise.all(opened);
  return { closed: () => closed };
}

/** Sends one byte at a time on all connections after index `from`. Call the result to stop. */
function drip(from: number): () => void {
  const dripping = sockets.slice(from);
  const timer = setInterval(() => {
    for (const socket of dripping) if (socket.writable) socket.write('a');
  }, clientTimeoutMs / 10);
  return () => clearInterval(timer);
}

const read = async (path: string) => {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  await response.arrayBuffer();
  return response.status;
};

describe('intentionally slow clients', () => {
  it('lose their connections, while others are served normally', async () => {
    await serve({ PRESETD_CLIENT_TIMEOUT_MS: String(clientTimeoutMs) });
    await store('big', 'x'.repeat(1_000_000));
    const pid = server.process.pid ?? 0;
    const before = vitalSigns(pid);

    const headers = await open('GET /api/v1/key HTTP/1.1\r\nhost: x\r\nx-slow: ', { isReading: true });
    const bodies = await open(
      `POST /api/v1/presets/slow/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"model":"`,
      { isReading: true },
    );
    const stopDripping = drip(0);
    const silent = await open('', { isReading: true });
    // These clients do not read, so they do not notice when they are closed.
    const manyRequests = Buffer.concat(
      Array.from({ length: 30 }, () => requestBytes('GET', '/api/v1/presets/big', apiKey)),
    );
    await open(manyRequests, { isReading: false, connections: readerCount });
    await open('no HTTP\r\n\r\n', { isReading: false });
    const kinds = { headers, bodies, silent };
    const meanwhile = vitalSigns(pid);
    logProgress(
      `slow clients: ${4 * count + readerCount} connections; ${JSON.stringify({ before, meanwhile })}`,
    );

    const statuses: number[] = [];
    const deadline = performance.now() + 60 * clientTimeoutMs;
    // A busy server may not have accepted them yet, so a low handle count alone proves nothing.
    const areClosed = () => Object.values(kinds).every(({ closed }) => closed() === count);
    const isOver = () => areClosed() && vitalSigns(pid).handles < before.handles + 10;
    while (!isOver() && performance.now() < deadline) {
      statuses.push(await read('/presets/big'), await read('/presets'), await read('/key'));
      await delay(scale(200, 50));
    }
    stopDripping();
    for (const { closed } of Object.values(kinds)) expect(closed()).toBe(count);
    expect(isOver()).toBe(true);
    expect(new Set(statuses)).toEqual(new Set([200]));
    logProgress(
      `slow clients: all closed; ${statuses.length} requests of other clients served; ${JSON.stringify(vitalSigns(pid))}`,
    );
  });

  it.each([
    [
      'do not read responses',
      // Each character of the prompt takes six bytes in JSON.
      () => requestBytes('GET', '/api/v1/presets/big/versions?limit=100', apiKey),
      scale(24, 60),
      scale(400, 600),
      scale(5, 17),
    ],
    [
      'do not finish their bodies',
      () =>
        requestBytes(
          'POST',
          '/api/v1/chat/completions',
          apiKey,
          'x'.repeat((bodyMiB - 2) * 2 ** 20),
        ).subarray(0, -1),
      scale(50, 20),
      scale(200, 300),
      1,
    ],
  ])('cannot exhaust memory if they %s', async (_, request, connections, mostMiB, versions) => {
    await serve({
      NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
      PRESETD_BODY_LIMIT: `${bodyMiB}MiB`,
    });
    for (let version = 1; version <= versions; version += 1)
      await store('big', `${'\u0001'.repeat(1_040_000)}${version}`);
    const pid = server.process.pid ?? 0;
    const before = vitalSigns(pid).residentMiB;
    let most = 0;
    const bytes = request();
    for (let opened = 0; opened < connections; opened += 1) {
      await open(bytes, { isReading: false, connections: 1 });
      await delay(20);
      most = Math.max(most, vitalSigns(pid).residentMiB);
    }
    const hasClosedConnections = () => {
      most = Math.max(most, vitalSigns(pid).residentMiB);
      return server.stdout().includes('closed connections to free memory');
    };
    await expect.poll(hasClosedConnections).toBe(true);
    logProgress(`slow clients: ${before} MiB before, ${most} MiB with ${connections} clients`);
    // While memory is over the limit, other requests may get 503 for a moment.
    await expect.poll(() => read('/presets/big')).toBe(200);
    expect(most).toBeLessThan(before + mostMiB);
  });

  it.each<[what: string, connections: number, bytes: () => string | Buffer]>([
    [
      'pipeline requests for the OpenAPI document',
      7,
      () => 'GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000),
    ],
    ['pipeline requests for a page', 7, () => 'GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000)],
    [
      'pipeline requests for a list of long versions',
      7,
      () => requestBytes('GET', '/api/v1/presets/big/versions', apiKey).toString().repeat(1_000),
    ],
    ['pipeline tiny invalid requests', scale(200, 1_000), () => 'GET / HTTP/1.1\r\n\r\n'.repeat(3_600)],
  ])('cannot exhaust memory if they %s', async (_, connections, bytes) => {
    await serve({ NODE_OPTIONS: `--max-old-space-size=${scale(128, 256)}` });
    await store('big', 'x'.repeat(1_000_000));
    const before = vitalSigns(server.process.pid ?? 0).residentMiB;
    await open(bytes(), { isReading: false, connections });
    // The server reads from all of them before it gets to later requests.
    for (const path of ['/key', '/presets/big', '/presets']) await expect.poll(() => read(path)).toBe(200);
    const after = vitalSigns(server.process.pid ?? 0).residentMiB;
    logProgress(`slow clients: ${before} MiB before, ${after} MiB with ${connections} pipelining clients`);
    expect(server.process.exitCode).toBeNull();
  });

  it('cannot exhaust memory with all the responses of one event-loop tick', async () => {
    await serve({ NODE_OPTIONS: '--max-old-space-size=128', PRESETD_BODY_LIMIT: '8MiB' });
    // Longer than what the kernel buffers, and cached, so that responses are sent at once.
    await store('big', '\u0001'.repeat(1_040_000));
    expect(await read('/presets/big')).toBe(200);
    server.process.kill('SIGSTOP');
    const statuses: string[] = [];
    for (let opened = 0; opened < 60; opened += 1) {
      await open(requestBytes('GET', '/api/v1/presets/big', apiKey), { isReading: false, connections: 1 });
      sockets.at(-1)?.once('data', (bytes: Buffer) => statuses.push(bytes.toString('latin1', 9, 12)));
      sockets.at(-1)?.pause();
    }
    server.process.kill('SIGCONT');
    await expect.poll(() => read('/key')).toBe(200);
    for (const socket of sockets) socket.resume();
    await expect.poll(() => statuses).toContain('503');
  });

  it('do not cause other connections to close with bodies that are not buffered', async () => {
    await serve({ NODE_OPTIONS: '--max-old-space-size=128', PRESETD_BODY_LIMIT: '1MiB' });
    const post = (key: string, more: string) =>
      `POST /api/v1/presets/x/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n${more}\r\n\r\n`;
    const half = 'x'.repeat(2 ** 19);
    const honest = await open(`${post(apiKey, `content-length: ${2 ** 20}`)}${half}`, {
      isReading: true,
      connections: 1,
    });
    // More than the limit if it were buffered, but these clients already have their 401.
    const rejected = await open(`${post('no-key', `content-length: ${2 ** 20}`)}${half}`, {
      isReading: true,
      connections: 80,
    });
    // Nor do the bodies of earlier requests on a connection count.
    const finished = requestBytes('POST', '/api/v1/chat/completions', apiKey, `"${half}"`);
    const reused = await open(Buffer.concat(Array.from({ length: 4 }, () => finished)), {
      isReading: true,
      connections: 30,
    });
    await delay(1_000);
    for (const socket of sockets.slice(-30))
      socket.write(`${post(apiKey, 'transfer-encoding: chunked')}1\r\n{\r\n`);
    await delay(1_000);
    expect([honest.closed(), reused.closed()]).toEqual([0, 0]);
    // These have their response and send nothing more.
    await expect.poll(rejected.closed).toBe(80);
    expect(server.stdout()).not.toContain('closed connections to free memory');
  });
});
