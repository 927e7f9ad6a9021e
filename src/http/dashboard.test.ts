import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDashboard } from './dashboard.ts';

const script = 'console.log("the program");';

describe('a built dashboard', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-dashboard-'));
  let app: FastifyInstance;

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>the page');
    writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
    writeFileSync(join(folder, 'assets', 'index-abc.js'), script);
    writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script));
    writeFileSync(join(folder, 'sources.sha256'), 'a hash');
    app = await appWith(folder);
  });

  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    '/',
    '/w/default',
    '/w/default/presets/a.b~c_d',
    '/w/default/presets/support-bot/compare?from=1&to=2',
    '/account',
    '/device',
    '/sign-in/device',
    '/sign-in?return_to=%2Faccount',
    '/sign-in/link',
    '/new',
    '/presets',
    '/presets/support-bot/compare?from=1&to=2',
    '/organization',
    '/organization/keys',
  ])('%s serves the page, which browsers must revalidate', async (url) => {
    const response = await app.inject({ url });
    expect(response.statusCode).toBe(200);
    expect(response.body).toBe('<!doctype html>the page');
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-cache');
  });

  it('allows the page to load only its own files and to call only its own server', async () => {
    const { headers } = await app.inject({ url: '/' });
    const policy = String(headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'none'");
    expect(policy.filter((rule) => /unsafe|https?:|\*|data:|blob:/.test(rule))).toEqual([]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    });
  });

  it('assets are cacheable forever, and compressed for clients that accept it', async () => {
    const response = await app.inject({
      url: '/assets/index-abc.js',
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(response.headers['content-type']).toMatch(/javascript/);
    expect(response.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const plain = await app.inject({ url: '/assets/index-abc.js' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe(script);
  });

  it('a page that a browser already has is not sent again', async () => {
    const { headers } = await app.inject({ url: '/' });
    const again = await app.inject({ url: '/', headers: { 'if-none-match': String(headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
    const changed = await app.inject({ url: '/', headers: { 'if-none-match': '"other"' } });
    expect(changed.statusCode).toBe(200);
  });

  it('HEAD has the headers of a file and no body', async () => {
    const { headers, body } = await app.inject({ method: 'HEAD', url: '/assets/index-abc.js' });
    expect([headers['content-length'], body]).toEqual([String(script.length), '']);
  });

  it('a missing asset is 404 and not cacheable', async () => {
    const response = await app.inject({ url: '/assets/index-old.js' });
    expect(response.statusCode).toBe(404);
    expect(response.headers['cache-control']).toBeUndefined();
  });

  it.each([
    '/assets/../sources.sha256',
    '/assets/%2e%2e/sources.sha256',
    '/assets/..%2fsources.sha256',
    '/sources.sha256',
  ])('%s exposes no other file', async (url) => {
    const response = await app.inject({ url });
    expect(response.statusCode).toBeGreaterThanOrEqual(400);
    expect(response.body).not.toContain('a hash');
  });
});

it('the page without a built dashboard says how to build it and links to the OpenAPI document', async () => {
  const app = await appWith(join(tmpdir(), 'presetd-no-such-folder'));
  const response = await app.inject({ url: '/' });
  expect(response.statusCode).toBe(200);
  expect(response.body).toContain('npm run build:dashboard');
  expect(response.body).toContain('href="/openapi.json"');
  await app.close();
});

async function appWith(folder: string): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(async (scope) => serveDashboard(scope, folder));
  return app;
}
