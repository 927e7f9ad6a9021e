import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveDashboard } from './dashboard.ts';

const script = 'console.log("the program");';

describe('the pages of a dashboard that was built', () => {
  const folder = mkdtempSync(join(tmpdir(), 'presetd-dashboard-'));
  let app: FastifyInstance;

  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html>the page');
    writeFileSync(join(folder, 'favicon.svg'), '<svg/>');
    writeFileSync(join(folder, 'assets', 'index-abc.js'), script);
    writeFileSync(join(folder, 'assets', 'index-abc.js.gz'), gzipSync(script));
    writeFileSync(join(folder, 'sources.sha256'), 'a stamp');
    app = await appWith(folder);
  });

  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    '/',
    '/new',
    '/presets',
    '/presets/a.b~c_d',
    '/presets/support-bot/compare?from=1&to=2',
    '/organization',
    '/organization/keys',
  ])('%s is the page, to be asked for again each time', async (url) => {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toBe('<!doctype html>the page');
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-cache');
  });

  it('lets the page load its own files and speak to its own server, and nothing else', async () => {
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

  it('assets may be kept, and come compressed to whoever takes them so', async () => {
    const answer = await app.inject({ url: '/assets/index-abc.js', headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.headers['content-type']).toMatch(/javascript/);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const plain = await app.inject({ url: '/assets/index-abc.js' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(plain.body).toBe(script);
  });

  it('an asset that is not there is 404, and is not remembered', async () => {
    const answer = await app.inject({ url: '/assets/index-old.js' });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers['cache-control']).toBeUndefined();
  });

  it.each([
    '/assets/../sources.sha256',
    '/assets/%2e%2e/sources.sha256',
    '/assets/..%2fsources.sha256',
    '/sources.sha256',
  ])('%s leads to no other file', async (url) => {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
    expect(answer.body).not.toContain('a stamp');
  });
});

it('without built pages, says how to build them, and where the API is', async () => {
  const app = await appWith(join(tmpdir(), 'presetd-no-such-folder'));
  const answer = await app.inject({ url: '/' });
  expect(answer.statusCode).toBe(200);
  expect(answer.body).toContain('npm run build:dashboard');
  expect(answer.body).toContain('href="/docs"');
  await app.close();
});

async function appWith(folder: string): Promise<FastifyInstance> {
  const app = fastify();
  await app.register(async (scope) => serveDashboard(scope, folder));
  return app;
}
