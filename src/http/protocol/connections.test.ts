import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import {
  endInTurn,
  hasPendingResponse,
  keepOpen,
  lingerOnClose,
  serveInTurn,
  unservedBytes,
} from './connections.ts';

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

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const post = (body: string) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n${body}`;

/** A server whose requests are served in turn; the test ends the responses that have begun. */
async function openInTurn() {
  const begun: ServerResponse[] = [];
  let arrived = 0;
  const socket = await open(60_000, (request, response) => {
    arrived += 1;
    serveInTurn(response, () => {
      request.resume();
      begun.push(response);
    });
  });
  const send = async (bytes: string, requests: number) => {
    const goal = arrived + requests;
    socket.write(bytes);
    await expect.poll(() => arrived).toBe(goal);
    return begun[0]?.req.socket as Socket;
  };
  return { socket, send, begun, paths: () => begun.map(({ req }) => req.url), arrived: () => arrived };
}

/** Every turn that could begin has begun by then. */
const turns = async () => {
  for (let count = 0; count < 3; count += 1) await nextTurn();
};

it('the requests of a connection are served one after the other', async () => {
  const { send, begun, paths } = await openInTurn();
  await send(get('/0') + get('/1') + get('/2'), 3);
  for (const expected of [['/0'], ['/0', '/1'], ['/0', '/1', '/2']]) {
    await expect.poll(paths).toEqual(expected);
    await turns();
    expect(paths()).toEqual(expected);
    begun.at(-1)?.end();
  }
  await send(get('/3'), 1);
  expect(paths()).toEqual(['/0', '/1', '/2', '/3']);
});

it('32 requests may wait, and all of them are served', async () => {
  const { socket, send, begun } = await openInTurn();
  socket.resume();
  await send(get('/').repeat(33), 33);
  for (let count = 1; count <= 33; count += 1) {
    await expect.poll(() => begun.length, { interval: 1 }).toBe(count);
    begun.at(-1)?.end();
  }
});

it('one more request closes the connection, and nothing that follows it is parsed', async () => {
  const { socket, send, begun, arrived } = await openInTurn();
  const accepted = await send(get('/').repeat(33), 33);
  expect(accepted.destroyed).toBe(false);
  socket.write(get('/').repeat(1_000));
  await once(accepted, 'close');
  await turns();
  expect([begun.length, arrived()]).toEqual([1, 34]);
});

it('an upgrade behind the request that closed the connection is not performed', async () => {
  const { socket, send } = await openInTurn();
  const upgrades: string[] = [];
  server.on('upgrade', ({ url = '' }) => upgrades.push(url));
  const accepted = await send(get('/').repeat(33), 33);
  const upgrade = get('/upgrade').replace('Host', 'Connection: Upgrade\r\nUpgrade: websocket\r\nHost');
  socket.write(get('/') + upgrade);
  await once(accepted, 'close');
  expect(upgrades).toEqual([]);
});

it('requests behind the last response of a connection are not served, and take no memory', async () => {
  const { socket, send, begun } = await openInTurn();
  const accepted = await send(get('/0') + get('/1'), 2);
  const [last] = begun;
  if (last !== undefined) last.shouldKeepAlive = false;
  last?.end();
  await once(socket.resume(), 'end');
  await turns();
  expect(begun).toHaveLength(1);
  expect(unservedBytes(accepted)).toBe(0);
});

it('a request on a connection that the server has ended is not served', async () => {
  const { send, begun, paths } = await openInTurn();
  const accepted = await send(get('/0'), 1);
  begun[0]?.end();
  await expect.poll(() => hasPendingResponse(accepted)).toBe(false);
  await turns();
  accepted.end();
  await send(get('/1'), 1);
  await turns();
  expect(paths()).toEqual(['/0']);
});

it('the requests of a client that has disconnected are not served', async () => {
  const { socket, send, begun } = await openInTurn();
  const accepted = await send(get('/0') + get('/1'), 2);
  socket.destroy();
  await once(accepted, 'close');
  await turns();
  expect(begun).toHaveLength(1);
});

it('a request begins after everyone has heard of the end of the response before it', async () => {
  const { send, begun } = await openInTurn();
  await send(get('/0') + get('/1'), 2);
  let begunAtClose = 0;
  begun[0]?.on('close', () =>
    process.nextTick(() => {
      begunAtClose = begun.length;
    }),
  );
  begun[0]?.end();
  await expect.poll(() => begun.length).toBe(2);
  expect(begunAtClose).toBe(1);
});

it('a request that arrives between two turns waits for its own', async () => {
  const { send, begun } = await openInTurn();
  await send(get('/0') + get('/1'), 2);
  const [first] = begun as [ServerResponse];
  const isWaiting = new Promise<boolean>((resolve) =>
    first.on('close', () => resolve(serveInTurn(first, () => undefined))),
  );
  first.end();
  expect(await isWaiting).toBe(true);
});

it('what a client sends after its last response is read, but not parsed', async () => {
  const errors: Error[] = [];
  const { socket, send, begun, arrived } = await openInTurn();
  const accepted = await send(get('/'), 1);
  server.on('clientError', (error) => errors.push(error));
  // As Node.js does if it has much to send.
  accepted.pause();
  const [last] = begun;
  if (last !== undefined) last.shouldKeepAlive = false;
  last?.end();
  await expect.poll(() => accepted.writableEnded).toBe(true);
  const rest = get('/').repeat(10_000);
  const goal = accepted.bytesRead + rest.length;
  socket.write(rest);
  await expect.poll(() => accepted.bytesRead).toBe(goal);
  await turns();
  expect([arrived(), errors]).toEqual([1, []]);
});

it.each<[name: string, bytesHeld: number, bytes: string, requests: number]>([
  ['a request without a body', 0, get('/'), 1],
  ['a complete body', 0, post('12345'), 1],
  ['two waiting requests', 8_192, get('/').repeat(3), 3],
])('%s: counts as %i bytes held by the client', async (_, bytesHeld, bytes, requests) => {
  const { send } = await openInTurn();
  expect(unservedBytes(await send(bytes, requests))).toBe(bytesHeld);
});

it.each([
  ['an arriving body counts as memory held by the client', post(''), [0, 3, 0]],
  ['the arriving body of GET does not count', post('').replace('POST', 'GET'), [0, 0, 0]],
  ['the body of a waiting request counts', get('/') + post(''), [4_096, 4_099, 4_101]],
])('%s', async (_, bytes, held) => {
  const { socket, send } = await openInTurn();
  const accepted = await send(bytes, bytes.split('HTTP/1.1').length - 1);
  expect(unservedBytes(accepted)).toBe(held[0]);
  for (const [index, part] of ['123', '45'].entries()) {
    const goal = accepted.bytesRead + part.length;
    socket.write(part);
    await expect.poll(() => accepted.bytesRead).toBe(goal);
    expect(unservedBytes(accepted)).toBe(held[index + 1]);
  }
});

it('a body whose response is sent counts no longer', async () => {
  const { socket, send, begun } = await openInTurn();
  const accepted = await send(post(''), 1);
  const goal = accepted.bytesRead + 2;
  socket.write('12');
  await expect.poll(() => accepted.bytesRead).toBe(goal);
  expect(unservedBytes(accepted)).toBe(2);
  begun[0]?.end();
  expect(unservedBytes(accepted)).toBe(0);
});

it.each<[name: string, bytes: string, requests: number, answered: readonly number[]]>([
  ['one request', get('/'), 1, [1]],
  ['two requests', get('/').repeat(2), 2, [1, 2]],
  ['a request, and the body of a second one that is not served', get('/') + post('1'), 2, [1]],
  ['no request, but the body of one that is being served', post('1'), 1, []],
])('a connection ends in turn behind %s', async (_, bytes, requests, answered) => {
  const { send, begun } = await openInTurn();
  const accepted = await send(bytes, requests);
  let hasEnded = false;
  endInTurn(accepted, () => {
    hasEnded = true;
    accepted.destroy();
  });
  for (const count of answered) {
    await expect.poll(() => begun.length).toBe(count);
    await turns();
    expect(hasEnded).toBe(false);
    begun.at(-1)?.end();
  }
  await expect.poll(() => hasEnded).toBe(true);
  expect(begun).toHaveLength(Math.max(1, answered.length));
});

it('what follows on a connection that is to end is not parsed', async () => {
  const { socket, send, arrived } = await openInTurn();
  const accepted = await send(get('/'), 1);
  endInTurn(accepted, () => undefined);
  expect(unservedBytes(accepted)).toBe(4_096);
  const goal = accepted.bytesRead + get('/').length;
  socket.write(get('/'));
  await expect.poll(() => accepted.bytesRead).toBe(goal);
  await turns();
  expect(arrived()).toBe(1);
});

it('a connection that sent something else than HTTP is reported once', async () => {
  const { socket, send } = await openInTurn();
  const accepted = await send(get('/'), 1);
  let errors = 0;
  server.on('clientError', () => {
    errors += 1;
    endInTurn(accepted, () => undefined);
  });
  for (const garbage of ['not HTTP\r\n\r\n', 'nor this\r\n\r\n']) {
    const goal = accepted.bytesRead + garbage.length;
    socket.write(garbage);
    await expect.poll(() => accepted.bytesRead).toBe(goal);
    await turns();
    expect(errors).toBe(1);
  }
});

it('a connection that was upgraded counts as one whose client waits for a response', async () => {
  const { send, begun } = await openInTurn();
  const accepted = await send(get('/'), 1);
  begun[0]?.end();
  await expect.poll(() => hasPendingResponse(accepted)).toBe(false);
  keepOpen(accepted);
  expect(hasPendingResponse(accepted)).toBe(true);
});

it('a connection ends at once if it has no pending response', async () => {
  const { send, begun } = await openInTurn();
  const accepted = await send(get('/'), 1);
  begun[0]?.end();
  await expect.poll(() => hasPendingResponse(accepted)).toBe(false);
  await turns();
  let hasEnded = false;
  endInTurn(accepted, () => {
    hasEnded = true;
  });
  expect(hasEnded).toBe(true);
});
