import { channel } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anyEngine } from '../support/engines.ts';
import {
  apiKey,
  managementKey,
  startTestServer,
  type TestResponse,
  type TestServer,
} from '../support/server.ts';
import { openBrowser } from '../support/sign-in.ts';
import { addKey } from '../support/storage-access.ts';

const warm = '/api/v1/presets/warm';
const members = '/api/v1/organization/members';
const unknownKey = 'sk-pst-v1-unknown';
const limited = { PRESETD_AUTH_FAILURE_LIMIT: '3', PRESETD_TRUSTED_PROXIES: 'loopback' };

const from = (address: string, key: string | null = apiKey) => ({
  key,
  headers: { 'x-forwarded-for': address },
});

describe('the limit on failed authentications', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(anyEngine, limited);
    await server.post(`${warm}/responses`, { model: 'm' });
  });
  afterAll(() => server.stop());

  const read = async (address: string, key?: string | null) =>
    (await server.get(warm, from(address, key))).status;
  const block = async (address: string) => {
    for (let count = 0; count < 3; count += 1) expect(await read(address, unknownKey)).toBe(401);
    expect(await read(address, unknownKey)).toBe(429);
  };

  it('missing, malformed, unknown, disabled and expired keys count as failed authentications', async () => {
    const disabled = await addKey(server.database, { disabled: true });
    const expired = await addKey(server.database, { expiresAt: '2020-01-01T00:00:00.000Z' });
    for (const [index, key] of [null, 'two words', unknownKey, disabled, expired].entries()) {
      const address = `192.0.2.${index}`;
      for (let count = 0; count < 3; count += 1) expect(await read(address, key)).toBe(401);
      expect(await read(address, key)).toBe(429);
    }
  });

  it('wrong passwords, used links and ended sessions do not count as failed authentications', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.90' };
    const browser = openBrowser(server, 'presetd_session=pst_session_ended');
    for (let count = 0; count < 4; count += 1) {
      const body = { email: 'nobody@example.com', password: 'wrong' };
      expect((await browser.send('POST', '/sign-in/password', body, { headers })).status).toBe(401);
      const link = { token: 'pst_link_used' };
      expect((await browser.send('POST', '/sign-in/link', link, { headers })).status).toBe(401);
      expect((await browser.send('GET', '/account', undefined, { headers })).status).toBe(401);
    }
    expect(await read('198.51.100.90')).toBe(200);
  });

  it('rejects a valid key from a blocked address, even for a cached preset, and serves other addresses', async () => {
    expect(await read('198.51.100.1')).toBe(200);
    await block('198.51.100.1');
    for (const key of [apiKey, managementKey]) expect(await read('198.51.100.1', key)).toBe(429);
    expect((await server.post(`${warm}/responses`, {}, from('198.51.100.1'))).status).toBe(429);
    expect((await server.get(members, from('198.51.100.1', managementKey))).status).toBe(429);
    expect(await read('198.51.100.2')).toBe(200);
    expect(await read('198.51.100.2', unknownKey)).toBe(401);
  });

  it('logs the address of failed authentications only', async () => {
    const address = '198.51.100.77"}{"forged":"';
    const logged = async (key: string | null) => {
      await server.get(members, from(address, key));
      return JSON.parse(server.log.at(-1) ?? '');
    };
    expect(await logged(managementKey)).not.toHaveProperty('address');
    expect(await logged(unknownKey)).toMatchObject({ status: 401, address });
    expect(await logged(unknownKey)).not.toHaveProperty('forged');
  });

  it('a blocked address gets a message and headers that say when to retry', async () => {
    const address = '198.51.100.3';
    expect(rateHeaders(await server.get(warm, from(address)))).toEqual({});
    for (let count = 0; count < 3; count += 1) {
      const failed = await server.get(warm, from(address, null));
      expect([failed.status, rateHeaders(failed)]).toEqual([401, {}]);
    }
    const rejected = await server.get(warm, from(address));
    expect(rejected.status).toBe(429);
    const seconds = expectRateLimitHeaders(rejected);
    expect(rejected.body).toEqual({
      error: {
        code: 429,
        message: expect.stringMatching(
          `^Too many failed authentications from this address. Try again in ${seconds} seconds?.$`,
        ),
      },
    });
    expect(rejected.headers.get('x-request-id')).not.toBeNull();
  });

  it('parallel guesses do not get past the limit on failed authentications', async () => {
    const guesses = Array.from({ length: 10 }, (_, index) => `${unknownKey}-${index}`);
    const statuses = await Promise.all(guesses.map((key) => read('198.51.100.4', key)));
    expect(statuses.sort()).toEqual([401, 401, 401, 429, 429, 429, 429, 429, 429, 429]);
  });

  it('counts an IPv6 address by its /64 network, and an IPv4 address in any notation', async () => {
    await block('2001:db8:0:1::1');
    expect(await read('2001:db8:0:1:ffff::2')).toBe(429);
    expect(await read('2001:db8:0:2::1')).toBe(200);
    await block('::ffff:198.51.100.5');
    expect(await read('198.51.100.5')).toBe(429);
  });

  it('trusts only the part of X-Forwarded-For that a trusted proxy added itself', async () => {
    await block('198.51.100.6');
    expect(await read('203.0.113.1, 198.51.100.6')).toBe(429);
    expect(await read('198.51.100.6, 203.0.113.1')).toBe(200);
  });

  it('a blocked address can still reach routes that need no key', async () => {
    await block('198.51.100.7');
    for (const path of ['/healthz', '/readyz', '/openapi.json', '/docs']) {
      expect([path, (await server.get(path, from('198.51.100.7', null))).status]).toEqual([path, 200]);
    }
    expect((await server.get('/api/v1/nothing', from('198.51.100.7', null))).status).toBe(404);
  });

  it('errors with a valid key do not count as failed authentications', async () => {
    const address = '198.51.100.8';
    const readOnly = await addKey(server.database, { readOnly: true });
    for (let count = 0; count < 4; count += 1) {
      const rejections = [
        await server.get(`${warm}?workspace_id=x`, from(address)),
        await server.get(members, from(address)),
        await server.post(`${warm}/responses`, {}, from(address, readOnly)),
        await server.get('/api/v1/presets/cold', from(address)),
        await server.get('/api/v1/nothing', from(address, null)),
      ];
      expect(rejections.map(({ status }) => status)).toEqual([400, 401, 403, 404, 404]);
    }
    expect(await read(address)).toBe(200);
  });
});

describe('a blocked address', () => {
  it('while an address is blocked, others keep the fast path and its keys are not looked up', async () => {
    const server = await startTestServer(anyEngine, limited);
    // Fastify publishes here when a route handler starts; the fast path bypasses it.
    const handlerStarts = channel('tracing:fastify.request.handler:start');
    let routed = 0;
    const count = () => {
      routed += 1;
    };
    handlerStarts.subscribe(count);
    try {
      await server.post(`${warm}/responses`, { model: 'm' });
      // Polled: on a very busy machine a second, for which the caches are fresh, may pass between
      // two requests.
      const isOnFastPath = async () => {
        routed = 0;
        const { status } = await server.get(warm, from('192.0.2.1'));
        return status === 200 && routed === 0;
      };
      await expect.poll(isOnFastPath).toBe(true);
      for (let failure = 0; failure < 3; failure += 1) await server.get(warm, from('192.0.2.2', null));
      await expect.poll(isOnFastPath).toBe(true);
      await server.database.transaction('ALTER TABLE api_keys RENAME TO gone');
      expect((await server.get(warm, from('192.0.2.1', unknownKey))).status).toBe(500);
      expect((await server.get(warm, from('192.0.2.2', unknownKey))).status).toBe(429);
    } finally {
      handlerStarts.unsubscribe(count);
      await server.stop();
    }
  });
});

describe('the settings for limits', () => {
  const statusesOf = async (server: TestServer, addresses: readonly string[], key: string | null) => {
    const statuses: number[] = [];
    for (const address of addresses) statuses.push((await server.get(members, from(address, key))).status);
    return statuses;
  };

  it('an address is never blocked by default', async () => {
    const server = await startTestServer('sqlite', { PRESETD_TRUSTED_PROXIES: 'loopback' });
    try {
      const same = Array.from({ length: 20 }, () => '192.0.2.1');
      expect(new Set(await statusesOf(server, same, unknownKey))).toEqual(new Set([401]));
      expect(await statusesOf(server, ['192.0.2.1'], managementKey)).toEqual([200]);
    } finally {
      await server.stop();
    }
  });

  it.each(['', '192.0.2.0/24'])(
    'ignores X-Forwarded-For from untrusted peers with trusted proxies "%s"',
    async (proxies) => {
      const server = await startTestServer('sqlite', { ...limited, PRESETD_TRUSTED_PROXIES: proxies });
      try {
        const claimed = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'];
        expect(await statusesOf(server, claimed, unknownKey)).toEqual([401, 401, 401, 429]);
        expect(await statusesOf(server, ['192.0.2.5'], managementKey)).toEqual([429]);
      } finally {
        await server.stop();
      }
    },
  );

  it('accepts every documented notation of a trusted proxy', async () => {
    const proxies =
      'linklocal, uniquelocal, 10.0.0.5, 10.0.0.0/8, fd00::/8, ::ffff:10.0.0.5, ::1/128, 127.0.0.1/32';
    const server = await startTestServer('sqlite', { ...limited, PRESETD_TRUSTED_PROXIES: proxies });
    try {
      const addresses = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'];
      expect(await statusesOf(server, addresses, unknownKey)).toEqual([401, 401, 401, 429, 401]);
    } finally {
      await server.stop();
    }
  });

  it('both limits reject with the same headers, and a key is counted across addresses', async () => {
    const server = await startTestServer('sqlite', { ...limited, PRESETD_RATE_LIMIT: '3' });
    try {
      const different = ['192.0.2.1', '192.0.2.2', '192.0.2.3'];
      expect(await statusesOf(server, different, managementKey)).toEqual([200, 200, 200]);
      const byKey = await server.get(members, from('192.0.2.4', managementKey));
      expect(byKey.body.error.message).toBe(
        'This key has reached its limit of 3 requests per minute. Retry after the delay in the Retry-After header.',
      );
      expect(await statusesOf(server, Array(3).fill('192.0.2.5'), unknownKey)).toEqual([401, 401, 401]);
      const byAddress = await server.get(members, from('192.0.2.5', apiKey));
      for (const response of [byKey, byAddress]) {
        expect(response.status).toBe(429);
        expectRateLimitHeaders(response);
      }
    } finally {
      await server.stop();
    }
  });
});

/** Expects a limit of 3; returns the seconds until a retry. */
function expectRateLimitHeaders(response: TestResponse): string {
  const seconds = response.headers.get('retry-after') ?? '';
  expect(seconds).toMatch(/^[1-9]\d?$/);
  expect(rateHeaders(response)).toEqual({
    'retry-after': seconds,
    'x-ratelimit-limit': '3',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': seconds,
  });
  return seconds;
}

function rateHeaders({ headers }: TestResponse): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => /ratelimit|retry-after/.test(name)));
}
