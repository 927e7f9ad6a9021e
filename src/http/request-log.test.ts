import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { PassThrough } from 'node:stream';
import fastify from 'fastify';
import { expect, it } from 'vitest';
import { createHttpServer } from './protocol/http-server.ts';
import { logRequests, unroutedPath } from './request-log.ts';

it.each([
  ['a plain path', '/v1/models', '/v1/models'],
  ['the path without its query', '/v1/models?key=secret', '/v1/models'],
  ['a placeholder for a key', '/sk-pst-v1-0123456789abcdef/x', '/…/x'],
  ['a placeholder for any long segment', `/x/${'4e'.repeat(20)}`, '/x/…'],
  ['question marks for control characters', '/\u001b[31m\n\r\u0085\u2028x', '/?[31m????x'],
  ['the first 200 characters', '/abc'.repeat(1_000), `${'/abc'.repeat(50)}…`],
  ['an empty path if there is no URL', undefined, ''],
])('the log of an unknown path has %s', (_, url, path) => {
  for (const status of [404, 405]) expect(unroutedPath(undefined, status, url)).toBe(path);
});

it.each([200, 304, 400, 401, 403, 500])('the log has no path with the status %i', (status) => {
  expect(unroutedPath(undefined, status, '/v1/models')).toBeUndefined();
});

it('the log has no path if a route matched', () => {
  expect(unroutedPath('/api/v1/keys/:hash', 404, '/api/v1/keys/x')).toBeUndefined();
});

it.each([1, 2])('a shutdown ends a connection after the last of its responses: %i', async (count) => {
  const closing = new AbortController();
  const app = fastify({
    serverFactory: (handler) =>
      createHttpServer({
        clientTimeoutMs: 60_000,
        serve(request, response) {
          if (closing.signal.aborted) response.shouldKeepAlive = false;
          handler(request, response);
        },
      }),
  });
  logRequests(app, () => undefined, closing.signal);
  const streams: PassThrough[] = [];
  app.get('/', () => {
    const stream = new PassThrough();
    streams.push(stream);
    stream.write('begun');
    if (closing.signal.aborted) stream.end();
    return stream;
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const client = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  client.on('data', (bytes) => {
    received += bytes;
  });
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  await expect.poll(() => received).toContain('begun');
  closing.abort();
  streams[0]?.end();
  await once(client, 'end');
  expect(received.match(/begun/g)).toHaveLength(count);
  await app.close();
});
