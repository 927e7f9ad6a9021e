import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PresetdError } from '../../core/errors.ts';
import type { Authenticator } from '../../core/organization/authenticate.ts';
import type { Caller } from '../../core/organization/caller.ts';
import { requireCaller } from '../authentication.ts';
import { sendError } from '../errors/error-response.ts';
import { FailedAuthentications } from '../overload/failed-authentications.ts';
import { streamResponse } from './stream-response.ts';

const chunk = 'x'.repeat(2 ** 20);
const endless = Number.POSITIVE_INFINITY;

let app: FastifyInstance;
let produced: number;
let isClosed: boolean;
const addPending = vi.fn();
const memory = { isOverLimit: false, addPending };
let authenticate: () => Caller;

/** Produces so many chunks; the test sees when it is closed. */
async function* chunks(count: number): AsyncGenerator<string> {
  try {
    for (produced = 0; produced < count; produced += 1) yield chunk;
  } finally {
    isClosed = true;
  }
}

beforeEach(async () => {
  [produced, isClosed, memory.isOverLimit] = [0, false, false];
  authenticate = () => ({ id: 'key' }) as Caller;
  addPending.mockClear();
  app = fastify();
  app.setErrorHandler(sendError);
  app.decorateRequest('caller', null);
  app.decorate('connectionMemory', memory as unknown as FastifyInstance['connectionMemory']);
  const authenticator = { authenticate: () => authenticate() } as unknown as Authenticator;
  requireCaller(app, authenticator, undefined, new FailedAuthentications({ limit: 0 }));
  app.get('/few', (_request, reply) => streamResponse(reply, 'text/plain', chunks(3)));
  app.get('/endless', (_request, reply) => streamResponse(reply, 'text/plain', chunks(endless)));
  app.get('/failing', (_request, reply) => streamResponse(reply, 'text/plain', failing()));
  await app.listen({ port: 0, host: '127.0.0.1' });
});
afterEach(() => app.close());

async function* failing(): AsyncGenerator<string> {
  yield* [];
  throw new PresetdError('not_found', 'Nothing to stream.');
}

function open(path: string, method = 'GET'): Socket {
  const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer a-key\r\n\r\n`,
  );
  return socket;
}

it('a stream is sent whole, counted as memory chunk by chunk, and closed', async () => {
  const received = await text(open('/few'));
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(received).toMatch(/\r\n0\r\n\r\n$/);
  expect(received.split('x'.repeat(1_000)).length).toBeGreaterThan(3_000);
  expect(addPending.mock.calls).toEqual([[chunk.length], [chunk.length], [chunk.length]]);
  expect(isClosed).toBe(true);
});

it('a client that reads nothing stops the stream, and one that disconnects closes it', async () => {
  const accepted = once(app.server, 'connection');
  const socket = open('/endless');
  await once(socket, 'readable');
  const [connection] = (await accepted) as [Socket];
  // Until the kernel has taken all it can.
  await expect.poll(() => connection.writableNeedDrain).toBe(true);
  expect(isClosed).toBe(false);
  socket.destroy();
  await expect.poll(() => isClosed).toBe(true);
  expect(produced).toBeLessThan(100);
});

it('an error before the first chunk is an ordinary error response', async () => {
  expect(await text(open('/failing'))).toMatch(/^HTTP\/1\.1 404 .*Nothing to stream\./s);
});

it('a HEAD request gets the headers and no chunk after the first', async () => {
  const received = await text(open('/endless', 'HEAD'));
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n.*content-type: text\/plain.*\r\n\r\n$/is);
  expect([produced, isClosed]).toEqual([0, true]);
});

it('a stream that begins while clients hold too much memory gets 503 and is closed', async () => {
  memory.isOverLimit = true;
  expect(await text(open('/endless'))).toMatch(/^HTTP\/1\.1 503 /);
  expect([produced, isClosed]).toEqual([0, true]);
});

it('a stream is cut off without its end when its key is revoked', async () => {
  const socket = open('/endless');
  let received = '';
  for await (const data of socket) {
    received = `${received}${data}`.slice(-100);
    authenticate = () => {
      throw new PresetdError('unauthenticated', 'Unknown API key.');
    };
  }
  expect(received).not.toMatch(/\r\n0\r\n\r\n$/);
  expect(isClosed).toBe(true);
});
