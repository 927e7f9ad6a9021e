import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  creatingOperations,
  inferenceOperations,
  organizationOperations,
  presetOperations,
} from '../support/every-operation.ts';
import { unknownNames } from '../support/sample-requests.ts';
import { apiKey, managementKey, startTestServer, type TestServer } from '../support/server.ts';

const operations = {
  ...presetOperations,
  ...inferenceOperations,
  ...creatingOperations,
  ...organizationOperations,
};

describe('a page from another origin', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer('sqlite');
  });
  afterAll(() => server.stop());

  const requests = () =>
    Object.values(operations).flatMap((requestsOf) => requestsOf(unknownNames()).slice(0, 1));
  const origin = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };

  it('cannot use cookies: none are set, and none are accepted as a key', async () => {
    const cookie = `key=${managementKey}; authorization=Bearer ${managementKey}; x-api-key=${managementKey}`;
    for (const { method, path, body, headers } of requests()) {
      const authenticated = await server.send(method, `/api/v1${path}`, body, {
        key: managementKey,
        headers: { ...headers },
      });
      expect([path, authenticated.headers.get('set-cookie')]).toEqual([path, null]);
      const withCookie = await server.send(method, `/api/v1${path}`, body, {
        key: null,
        headers: { ...headers, ...origin, cookie },
      });
      expect([path, withCookie.status, withCookie.headers.get('set-cookie')]).toEqual([path, 401, null]);
    }
  });

  it('cannot read a response, and fails the preflight for a request with a key', async () => {
    for (const { method, path, body, headers } of requests()) {
      const preflightHeaders = {
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization',
      };
      const preflight = await server.send('OPTIONS', `/api/v1${path}`, undefined, {
        key: null,
        headers: { ...origin, ...preflightHeaders },
      });
      const response = await server.send(method, `/api/v1${path}`, body, {
        key: apiKey,
        headers: { ...headers, ...origin },
      });
      expect([path, preflight.status]).toEqual([path, 405]);
      for (const { headers: returned } of [preflight, response])
        expect([...returned.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('cannot frame our pages, script their windows or see them as a referrer', async () => {
    for (const path of ['/', '/presets', '/docs', '/docs/']) {
      const { status, headers } = await server.get(path, { key: null });
      expect([path, status]).toEqual([path, 200]);
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        expect.stringMatching(/^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/),
      ]);
      expect([path, Object.fromEntries(headers)]).toMatchObject([
        path,
        {
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
          'referrer-policy': 'no-referrer',
          'cross-origin-opener-policy': 'same-origin',
          'cross-origin-resource-policy': 'same-origin',
        },
      ]);
    }
  });

  it('cannot send a body without a preflight, because only the JSON content type is accepted', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const headers = { ...origin, 'content-type': type };
      const { status } = await server.post('/api/v1/presets/mine/responses', '{"model":"m"}', { headers });
      expect([type, status]).toEqual([type, 415]);
    }
  });
});
