import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeIdle, openConnections } from './slow-clients.ts';
import { noteAnswer } from './unreadable-request.ts';

const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n';

let server: Server;
let client: Socket;
let timer: NodeJS.Timeout | undefined;
afterEach(async () => {
  clearInterval(timer);
  client.destroy();
  server.close();
  await once(server, 'close');
});

async function open(idleMsMax: number): Promise<Socket> {
  server = createServer((_request, response) => {
    noteAnswer(response);
    response.end();
  });
  closeIdle(server, openConnections(server), idleMsMax, 200);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  client.resume();
  return client;
}

/** A reset is an end as well. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

it('closes a kept connection on which only empty lines arrive', async () => {
  const socket = await open(100);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  timer = setInterval(() => socket.write('\r\n'), 10);
  await closed(socket);
});

it('closes a connection whose client has its answer and stops in the body', async () => {
  const socket = await open(60_000);
  socket.write(`${head}{`);
  await closed(socket);
});

it('keeps a connection on which the rest of an answered body arrives', async () => {
  const socket = await open(60_000);
  let isClosed = false;
  socket.once('close', () => {
    isClosed = true;
  });
  socket.write(head);
  timer = setInterval(() => socket.write(' '), 10);
  await expect.poll(() => socket.bytesWritten, { timeout: 20_000 }).toBeGreaterThan(head.length + 100);
  expect(isClosed).toBe(false);
});
