import fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { serveOpenapi } from './openapi.ts';

function createApp(version = '1.2.3') {
  const app = fastify();
  const createDocument = vi.fn(() => ({ info: { version } }));
  serveOpenapi(app, createDocument);
  return { app, createDocument };
}

it('the OpenAPI document is created once, for all addresses and requests', async () => {
  const { app, createDocument } = createApp();
  const documents = [];
  for (const url of ['/openapi.json', '/docs/json', '/openapi.json'])
    documents.push((await app.inject({ url })).json());
  expect(documents).toEqual(Array(3).fill({ info: { version: '1.2.3' } }));
  expect(createDocument).toHaveBeenCalledTimes(1);
});

it('the OpenAPI document is sent again only if it has changed', async () => {
  const { app } = createApp();
  const { headers, statusCode } = await app.inject({ url: '/openapi.json' });
  expect([statusCode, headers['content-type'], headers['cache-control']]).toEqual([
    200,
    'application/json; charset=utf-8',
    'private, no-cache',
  ]);
  const { etag = '' } = headers;
  const unchanged = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(etag) } });
  expect([unchanged.statusCode, unchanged.headers.etag, unchanged.body]).toEqual([304, etag, '']);
  const changed = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': '"other"' } });
  expect(changed.statusCode).toBe(200);
  const next = createApp('1.2.4').app;
  expect((await next.inject({ url: '/openapi.json' })).headers.etag).not.toBe(etag);
});
