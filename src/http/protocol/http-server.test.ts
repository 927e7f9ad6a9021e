import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { serveInTurn } from './connections.ts';
import { closeIdleConnections, createHttpServer } from './http-server.ts';

const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n';

let server: Server;
let client: Socket;
let timer: NodeJS.Timeout | undefined;
afterEach(async () => {
  clearInterval(timer);
  vi.useRealTimers();
  client.destroy();
  server.close();
  await once(server, 'close');
});

async function open(idleMsMax: number): Promise<Socket> {
  server = createServer((_request, response) => {
    serveInTurn(response, () => response.end());
  });
  closeIdleConnections(server, idleMsMax, 200);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  client.resume();
  return client;
}

/** Also resolves if the connection is reset. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

it('a keep-alive connection on which only empty lines arrive is closed', async () => {
  const socket = await open(100);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  timer = setInterval(() => socket.write('\r\n'), 10);
  await closed(socket);
});

it.each([
  ['stops', 0],
  ['trickles', 10],
])(
  'a connection is closed if its client has its response and %s in the middle of the body',
  async (_, everyMs) => {
    const socket = await open(60_000);
    socket.write(`${head}{`);
    if (everyMs > 0) timer = setInterval(() => socket.write(' '), everyMs);
    await closed(socket);
  },
);

it('a connection stays open while a body arrives at full speed, even after its response', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const socket = await open(60_000);
  const [accepted] = (await once(server, 'connection')) as [Socket];
  socket.write(head);
  for (let scan = 1; scan <= 10; scan += 1) {
    const goal = accepted.bytesRead + 65_536;
    socket.write(' '.repeat(70_000));
    while (accepted.bytesRead < goal) await once(accepted, 'data');
    vi.advanceTimersByTime(200);
    expect(accepted.destroyed).toBe(false);
  }
});

it('a connection ends after the response to an upgrade that is not performed', async () => {
  server = createHttpServer({
    clientTimeoutMs: 60_000,
    serve: (_request, response) => response.end(),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n');
  expect(await text(client)).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
});
