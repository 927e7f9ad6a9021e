import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { apiKey, managementKey, startServerOn, startTestServer, type TestServer } from '../support/server.ts';

const token = 'a-token-for-the-metrics';
let server: TestServer;
afterEach(() => server.stop());

const start = async (environment: Readonly<Record<string, string>>) => {
  server = await startTestServer('sqlite', environment);
};

describe('metrics on the API port', () => {
  it('metrics are off by default, and the error says how to enable them', async () => {
    await start({});
    const { status, body } = await server.get('/metrics', { key: apiKey });
    expect(status).toBe(404);
    expect(body.error.message).toContain('PRESETD_METRICS_TOKEN');
    expect(body.error.message).toContain('or PRESETD_METRICS_PORT to serve them');
    expect(server.metricsUrl).toBeUndefined();
  });

  it('metrics need the metrics token; API keys do not work', async () => {
    await start({ PRESETD_METRICS_TOKEN: token });
    for (const key of [null, apiKey, managementKey, `${token}x`, token.slice(1)]) {
      const rejected = await server.get('/metrics', { key });
      expect(rejected.status).toBe(401);
      expect(rejected.headers.get('www-authenticate')).toBe('Bearer');
      expect(rejected.text).not.toContain(token);
    }
    const allowed = await server.get('/metrics', { key: token });
    expect(allowed.status).toBe(200);
    expect(allowed.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(allowed.text).toContain('presetd_build_info{');
  });

  it('a wrong metrics token counts as a failed authentication', async () => {
    await start({ PRESETD_METRICS_TOKEN: token, PRESETD_AUTH_FAILURE_LIMIT: '2' });
    for (const _guess of [1, 2]) expect((await server.get('/metrics', { key: 'guess' })).status).toBe(401);
    expect((await server.get('/metrics', { key: token })).status).toBe(429);
  });

  it('metrics count requests and cache lookups of the fast path and of routes', async () => {
    await start({ PRESETD_METRICS_TOKEN: token });
    await server.post('/api/v1/presets/warm/chat/completions', {
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    for (const path of ['warm', 'warm', 'warm/', 'missing']) {
      await server.get(`/api/v1/presets/${path}`, { key: apiKey });
    }
    await server.get('/nowhere/at/all');
    const expected = [
      'presetd_http_requests_total{method="POST",route="/api/v1/presets/:slug/chat/completions",status="200"} 1',
      'presetd_http_requests_total{method="GET",route="/api/v1/presets/:slug",status="200"} 3',
      'presetd_http_requests_total{method="GET",route="/api/v1/presets/:slug",status="404"} 1',
      'presetd_http_requests_total{method="GET",route="",status="404"} 1',
    ];
    // A request is counted after its response is sent, so the client may be faster.
    await expect
      .poll(async () => (await server.get('/metrics', { key: token })).text.split('\n'))
      .toEqual(expect.arrayContaining(expected));
    const { text } = await server.get('/metrics', { key: token });
    for (const cache of ['keys', 'presets']) {
      for (const result of ['hit', 'miss']) {
        expect(text).toMatch(
          new RegExp(`^presetd_cache_lookups_total{cache="${cache}",result="${result}"} [1-9]`, 'm'),
        );
      }
    }
  });
});

describe('metrics on a separate port', () => {
  it('the metrics port serves nothing but metrics', async () => {
    await start({ PRESETD_METRICS_PORT: '0' });
    const scraped = await fetch(`${server.metricsUrl}/metrics?x=1`);
    expect(scraped.status).toBe(200);
    expect(await scraped.text()).toContain('process_resident_memory_bytes ');
    expect((await fetch(`${server.metricsUrl}/healthz`)).status).toBe(404);
    const posted = await fetch(`${server.metricsUrl}/metrics`, { method: 'POST', body: '{}' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    const { status, body } = await server.get('/metrics', { key: apiKey });
    expect(status).toBe(404);
    expect(body.error.message).toContain('Metrics are served on the port that PRESETD_METRICS_PORT names.');
    expect(body.error.message).not.toContain('Set PRESETD_METRICS_PORT');
    expect(server.log.join('')).toContain(`${server.metricsUrl}/metrics`);
  });

  it('the metrics port rejects browsers that use a host name, which may be rebound, and serves scrapers', async () => {
    await start({ PRESETD_METRICS_PORT: '0' });
    const { port } = new URL(server.metricsUrl ?? '');
    const scrape = async (host: string, headers: Readonly<Record<string, string>>) => {
      const sent = request(`${server.metricsUrl}/metrics`, { headers: { host, ...headers } }).end();
      const [response] = await once(sent, 'response');
      return { status: response.statusCode, text: await text(response) };
    };
    const programs = [
      {},
      { 'user-agent': 'Prometheus/3.0.0' },
      { 'user-agent': 'curl/8.5.0', accept: '*/*' },
    ];
    // In some browsers a page can change the user agent, in others drop the language; in none both.
    const browsers = [
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' },
      { 'user-agent': 'curl/8.5.0', 'accept-language': 'en' },
      { 'user-agent': 'curl/8.5.0', 'accept-language': '' },
    ];
    const addresses = ['127.0.0.1', '10.1.2.3', '[::1]', 'localhost', 'LocalHost'];
    const names = ['evil.example', 'presetd', '127.0.0.1.evil.example', 'localhost.evil.example'];
    const withPort = (hosts: readonly string[]) => hosts.flatMap((host) => [host, `${host}:${port}`]);
    for (const host of withPort([...addresses, ...names]))
      for (const headers of programs)
        expect([host, (await scrape(host, headers)).status]).toEqual([host, 200]);
    for (const headers of browsers) {
      for (const host of withPort(addresses))
        expect([host, (await scrape(host, headers)).status]).toEqual([host, 200]);
      for (const host of withPort(names)) {
        const rejected = await scrape(host, headers);
        expect([host, rejected.status, rejected.text]).toEqual([
          host,
          403,
          expect.stringContaining('only by IP address'),
        ]);
      }
    }
  });

  it('metrics can be served on both ports, and both close with the server', async () => {
    await start({ PRESETD_METRICS_PORT: '0', PRESETD_METRICS_TOKEN: token });
    expect((await server.get('/metrics', { key: token })).status).toBe(200);
    expect((await fetch(`${server.metricsUrl}/metrics`)).status).toBe(200);
    const url = `${server.metricsUrl}/metrics`;
    await server.stop();
    await expect(fetch(url)).rejects.toThrow();
    await start({});
  });

  it('a metrics port that is in use fails the start and names the setting', async () => {
    await start({});
    const { port } = new URL(server.url);
    await expect(startServerOn(server.database, { PRESETD_METRICS_PORT: port })).rejects.toThrow(
      /PRESETD_METRICS_PORT.*EADDRINUSE/,
    );
  });
});
