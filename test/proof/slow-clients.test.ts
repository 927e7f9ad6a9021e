import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkingDirectory, type ServerProcess, startServerProcess } from '../support/command.ts';
import { extent, tell } from './extent.ts';
import { requestBytes } from './load/open-loop.ts';
import { vitalSigns } from './load/vital-signs.ts';

const apiKey = 'api-key-of-slow-clients';

/** Of each kind. */
const count = extent(100, 1_500);
/** Of those who ask for much and do not read it: the kernel holds some megabytes for each. */
const readerCount = extent(10, 100);
const clientTimeoutMs = extent(2_000, 20_000);

let directory: ReturnType<typeof createWorkingDirectory>;
let server: ServerProcess;
const sockets: Socket[] = [];
beforeEach(async () => {
  directory = createWorkingDirectory();
  server = await startServerProcess(directory.path, {
    PRESETD_BOOTSTRAP_API_KEY: apiKey,
    PRESETD_CLIENT_TIMEOUT_MS: String(clientTimeoutMs),
    LOG_LEVEL: 'warn',
  });
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.stop();
  directory.remove();
});

/** Connections that begin with these bytes, and whether they are still open. */
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

/** A byte now and then, as long as somebody listens. */
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

describe('clients that are slow on purpose', () => {
  it('lose their connections, while others are served as if they were not there', async () => {
    const body = JSON.stringify({
      model: 'm',
      messages: [{ role: 'system', content: 'x'.repeat(1_000_000) }],
    });
    const made = await fetch(`${server.url}/api/v1/presets/big/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
    });
    expect(made.status).toBe(200);
    const pid = server.process.pid ?? 0;
    const before = vitalSigns(pid);

    const headers = await open('GET /api/v1/key HTTP/1.1\r\nhost: x\r\nx-slow: ', { isReading: true });
    const bodies = await open(
      `POST /api/v1/presets/slow/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n{"model":"`,
      { isReading: true },
    );
    const stopDripping = drip(0);
    const silent = await open('', { isReading: true });
    // These do not notice that they were closed, since they do not read.
    const much = Buffer.concat(
      Array.from({ length: 30 }, () => requestBytes('GET', '/api/v1/presets/big', apiKey)),
    );
    await open(much, { isReading: false, connections: readerCount });
    await open('no HTTP\r\n\r\n', { isReading: false });
    const kinds = { headers, bodies, silent };
    const meanwhile = vitalSigns(pid);
    tell(`slow clients: ${4 * count + readerCount} connections; ${JSON.stringify({ before, meanwhile })}`);

    const statuses: number[] = [];
    const deadline = performance.now() + 10 * clientTimeoutMs;
    // A server that is busy may not have taken them yet, so that few handles alone say nothing.
    const areClosed = () => Object.values(kinds).every(({ closed }) => closed() === count);
    const isOver = () => areClosed() && vitalSigns(pid).handles < before.handles + 10;
    while (!isOver() && performance.now() < deadline) {
      statuses.push(await read('/presets/big'), await read('/presets'), await read('/key'));
      await delay(50);
    }
    stopDripping();
    for (const { closed } of Object.values(kinds)) expect(closed()).toBe(count);
    expect(isOver()).toBe(true);
    expect(new Set(statuses)).toEqual(new Set([200]));
    tell(
      `slow clients: all closed; ${statuses.length} requests of others answered; ${JSON.stringify(vitalSigns(pid))}`,
    );
  });
});
