import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { PresetdError } from '../../core/errors.ts';
import { hasPendingResponse } from '../protocol/connections.ts';
import { acceptResponsesSockets } from './accept-responses-socket.ts';
import { HistoryMemory, type SocketOptions } from './responses-socket.ts';

function handler(more: object = {}) {
  const logRequest = vi.fn();
  const options = { closing: new AbortController().signal, log: { error() {} }, logRequest, ...more };
  return { ...acceptResponsesSockets(options as unknown as SocketOptions), logRequest };
}

const upgrade = { upgrade: 'websocket' };

it.each<[method: string, url: string, headers: object, isMatch: boolean]>([
  ['GET', '/api/v1/responses', upgrade, true],
  ['GET', '/api/v1/responses/?a=b', { upgrade: 'WebSocket' }, true],
  ['POST', '/api/v1/responses', upgrade, false],
  ['GET', '/api/v1/responses/resp_1', upgrade, false],
  ['GET', '/api/v1/responses', { upgrade: 'h2c' }, false],
  ['GET', '/api/v1/responses', { ...upgrade, 'content-length': '1' }, false],
  ['GET', '/api/v1/responses', { ...upgrade, 'transfer-encoding': 'chunked' }, false],
])('%s %s with %j becomes a WebSocket: %s', (method, url, headers, isMatch) => {
  expect(handler().matches({ method, url, headers } as IncomingMessage)).toBe(isMatch);
});

it.each([
  ['a server that stops', { closing: AbortSignal.abort() }, 503],
  ['a key over its limit', { admit: () => Promise.reject(limited) }, 429],
])('%s refuses a connection, with the headers of its error', async (_, more, status) => {
  const { accept, logRequest } = handler(more);
  const end = vi.fn();
  const destroy = vi.fn();
  const socket = Object.assign(new EventEmitter(), { end, destroy });
  const headers = { ...upgrade, host: 'x' };
  const request = { headers, rawHeaders: ['Host', 'x'], url: '/api/v1/responses', httpVersion: '1.1' };
  await accept(request as unknown as IncomingMessage, socket as unknown as Duplex, Buffer.alloc(0));
  expect(end.mock.calls[0]?.[0]).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nretry-after: \\d`, 'i'));
  expect(logRequest).toHaveBeenCalledWith(expect.objectContaining({ status, method: 'GET' }));
  socket.emit('error', new Error('reset'));
  expect(destroy).toHaveBeenCalled();
});

const limited = new PresetdError('rate_limited', 'Too many.', { retryAfterSeconds: 3 });

/** A server whose connections are admitted with the key of this caller. */
async function startServer(admit: () => unknown) {
  const { accept } = handler({ admit, memory: new HistoryMemory(0), trackMemory() {} });
  const server = createServer().on('upgrade', (...upgraded) => void accept(...upgraded));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.close();
  });
  return {
    server,
    connect() {
      const client = new WebSocket(`ws://127.0.0.1:${port}/api/v1/responses`);
      onTestFinished(() => client.terminate());
      return client;
    },
  };
}

const caller = { id: 'key', kind: 'api' };

it('a connection that has become a WebSocket does not count as idle', async () => {
  const { server, connect } = await startServer(() => caller);
  const connecting = once(server, 'connection');
  await once(connect(), 'open');
  const [connection] = (await connecting) as [Socket];
  expect(hasPendingResponse(connection)).toBe(true);
});

it('connections of a key that are accepted at the same time all count against its limit', async () => {
  const { promise: admitted, resolve: admitAll } = Promise.withResolvers<typeof caller>();
  const admit = vi.fn(() => admitted);
  const { connect } = await startServer(admit);
  const opening = Array.from({ length: 101 }, () =>
    once(connect(), 'open').then(
      () => 'open',
      (error: Error) => error.message,
    ),
  );
  await expect.poll(() => admit.mock.calls.length).toBe(101);
  admitAll(caller);
  const refused = (await Promise.all(opening)).filter((outcome) => outcome !== 'open');
  expect(refused).toEqual(['Unexpected server response: 429']);
});
