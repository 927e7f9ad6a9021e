import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { endConnection, isEnding, lingerOnClose } from './connections.ts';

let server: Server;
let client: Socket;
afterEach(async () => {
  client.destroy();
  server.close();
  await once(server, 'close');
});

async function open(lingerMs: number, serve: RequestListener): Promise<Socket> {
  server = createServer(serve);
  lingerOnClose(server, lingerMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(client, 'connect');
  return client;
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n';

const reject: RequestListener = (_request, response) => {
  response.writeHead(413, { connection: 'close', 'content-length': 3 }).end('end');
};

it('an ended connection whose client never closes its side is destroyed', async () => {
  const socket = await open(50, reject);
  const accepted = once(server, 'request').then(([{ socket: accepted }]) => accepted as Socket);
  socket.resume();
  socket.write(head);
  await once(await accepted, 'close');
  expect(socket.writable).toBe(true);
});

it('closing does not wait for a client that neither reads nor closes', async () => {
  const much = Buffer.alloc(64 * 2 ** 20);
  const socket = await open(50, ({ socket: accepted }, response) => {
    response.write(much);
    accepted.destroySoon();
  });
  const accepted = once(server, 'request').then(([{ socket: accepted }]) => accepted as Socket);
  socket.pause();
  socket.write(head);
  await once(await accepted, 'close');
  expect(socket.bytesRead).toBeLessThan(much.length);
});

it('a client that is still sending can read the last response', async () => {
  // More than the kernel holds on both ends, so that the client can only finish if the server goes
  // on reading.
  const rest = Buffer.alloc(8 * 2 ** 20);
  const socket = await open(60_000, reject);
  const errors: Error[] = [];
  socket.on('error', (error) => errors.push(error));
  socket.pause();
  socket.write(head);
  await new Promise((resolve) => socket.write(rest, resolve));
  let response = '';
  socket.on('data', (chunk) => {
    response += chunk;
  });
  socket.resume();
  await once(socket, 'end');
  socket.end();
  await once(socket, 'close');
  expect(errors).toEqual([]);
  expect(response).toMatch(/^HTTP\/1\.1 413 .*end$/s);
});

it('a connection is marked as ending from its last response on', async () => {
  const marks: boolean[] = [];
  const socket = await open(60_000, ({ socket: accepted, url }, response) => {
    marks.push(isEnding(accepted));
    if (url === '/last') endConnection(response);
    response.end();
  });
  for (const path of ['/', '/last', '/']) socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  socket.resume();
  await once(socket, 'end');
  expect(marks).toEqual([false, false, true]);
});
