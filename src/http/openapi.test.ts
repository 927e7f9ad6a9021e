import fastify from 'fastify';
import { expect, it, vi } from 'vitest';
import { serveOpenapi } from './openapi.ts';

async function createApp() {
  const app = fastify();
  await serveOpenapi(app, '1.2.3');
  await app.ready();
  return app;
}

it('the OpenAPI document is generated once, for all addresses and requests', async () => {
  const app = await createApp();
  const generate = vi.spyOn(app, 'swagger');
  const documents = [];
  for (const url of ['/openapi.json', '/docs/json', '/openapi.json'])
    documents.push((await app.inject({ url })).body);
  expect(JSON.parse(documents[0] ?? '').info.version).toBe('1.2.3');
  expect(new Set(documents).size).toBe(1);
  expect(generate).toHaveBeenCalledTimes(1);
});

it('the OpenAPI document is sent again only if it has changed', async () => {
  const app = await createApp();
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
  const next = fastify();
  await serveOpenapi(next, '1.2.4');
  expect((await next.inject({ url: '/openapi.json' })).headers.etag).not.toBe(etag);
});
