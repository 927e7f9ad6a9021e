import { channel } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noPeers } from '../../src/cluster/worker-peers.ts';
import { PresetdError } from '../../src/core/errors.ts';
import { FixedWindowCounter } from '../../src/core/fixed-window-counter.ts';
import { createMigratedDatabase, type TestDatabase } from '../support/database.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, startServerOn, type TestResponse, type TestServer } from '../support/server.ts';

const preset = '/api/v1/presets/warm';
const chat = '/api/v1/chat/completions';
const callBody = { model: '@preset/warm', messages: [{ role: 'user', content: 'Hi' }] };
const from = (address: string, key: string = apiKey) => ({ key, headers: { 'x-forwarded-for': address } });

let upstream: ScriptedUpstream;
let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterAll(() => upstream.stop());

// Fastify publishes here when a route handler starts; the fast path bypasses it.
const handlerStarts = channel('tracing:fastify.request.handler:start');
let routed = 0;
const countRouted = () => {
  routed += 1;
};
beforeEach(async () => {
  database = await createMigratedDatabase('sqlite');
  handlerStarts.subscribe(countRouted);
});
afterEach(async () => {
  handlerStarts.unsubscribe(countRouted);
  await server.stop();
  await database.drop();
});

async function start(environment: Readonly<Record<string, string>>, countRequest = noPeers.countRequest) {
  const all = { PRESETD_UPSTREAM_URL: upstream.url, OPENROUTER_API_KEY: 'sk-upstream-1', ...environment };
  server = await startServerOn(database, all, { ...noPeers, countRequest });
  await server.post(`${preset}/responses`, { model: 'vendor/model' });
  // So that key and preset are cached.
  await server.get(preset, { key: apiKey });
  routed = 0;
}

const read = (address = '192.0.2.1') => server.get(preset, from(address));
const call = (address = '192.0.2.1') => server.post(chat, callBody, from(address));
const statuses = (responses: readonly TestResponse[]) => responses.map(({ status }) => status);

/** Retries, because cached entries are fresh for a second and a busy machine may take longer. */
async function expectFastPath(address?: string): Promise<void> {
  const attempt = async () => {
    routed = 0;
    return [...statuses([await read(address), await call(address)]), routed];
  };
  await expect.poll(attempt).toEqual([200, 200, 0]);
}

/** All that a client sees of a response, without the date and the request id. */
const visibleParts = ({ status, headers, body }: TestResponse) => {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return { status, rest, body };
};

describe('a blocked address', () => {
  it.each([
    ['behind a trusted proxy', { PRESETD_TRUSTED_PROXIES: 'loopback' }, '192.0.2.7', '192.0.2.1'],
    [
      'behind two trusted proxies',
      { PRESETD_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' },
      '203.0.113.1, 192.0.2.7, 10.0.0.9',
      '192.0.2.7, 203.0.113.1, 10.0.0.9',
    ],
  ])(
    'while an address %s is blocked, other callers keep the fast path',
    async (_, proxies, blocked, other) => {
      await start({ PRESETD_AUTH_FAILURE_LIMIT: '2', ...proxies });
      for (let failure = 0; failure < 2; failure += 1) await server.get(preset, from(blocked, 'wrong'));
      expect(statuses([await read(blocked), await call(blocked)])).toEqual([429, 429]);
      await expectFastPath(other);
    },
  );

  it('without trusted proxies, a blocked client cannot claim another address', async () => {
    await start({ PRESETD_AUTH_FAILURE_LIMIT: '2' });
    for (let failure = 0; failure < 2; failure += 1) await server.get(preset, from('192.0.2.7', 'wrong'));
    expect(statuses([await read('192.0.2.1'), await call('192.0.2.1')])).toEqual([429, 429]);
  });
});

describe('a rate limit', () => {
  const counts = () => {
    const shared = new FixedWindowCounter({ keysMax: 10 });
    const counted: string[] = [];
    const countRequest = async (keyId: string) => {
      counted.push(keyId);
      return shared.increment(keyId);
    };
    return { counted, countRequest };
  };

  it.each([
    ['of this process', () => undefined],
    ['of all workers', () => counts().countRequest],
  ])(
    'the rate limit %s counts each request once, and callers within it keep the fast path',
    async (_, countRequest) => {
      await start({ PRESETD_RATE_LIMIT: '1000' }, countRequest());
      await expectFastPath();
      await server.stop();
      // start() makes two requests, which count as well.
      await start({ PRESETD_RATE_LIMIT: '8' }, countRequest());
      const byRoute = () => server.get(`${preset}/`, { key: apiKey });
      const cold = () => server.get('/api/v1/presets/cold', { key: apiKey });
      const within = [await read(), await call(), await read()];
      expect(statuses(within)).toEqual([200, 200, 200]);
      for (const response of within) expect(response.headers.get('x-ratelimit-limit')).toBeNull();
      // A request for an uncached preset starts on the fast path and ends on the route.
      expect(statuses([await byRoute(), await cold(), await call()])).toEqual([200, 404, 200]);
      const over = [await read(), await byRoute(), await call()];
      expect(statuses(over)).toEqual([429, 429, 429]);
      const [first] = over.map(visibleParts);
      for (const response of over.map(visibleParts)) {
        expect(response.body).toEqual(first?.body);
        expect(Number(response.rest['retry-after'])).toBeGreaterThan(0);
        expect(response.rest).toMatchObject({
          'x-ratelimit-limit': '8',
          'x-ratelimit-remaining': '0',
          'x-ratelimit-reset': response.rest['retry-after'],
        });
        expect(Object.keys(response.rest)).toEqual(Object.keys(first?.rest ?? {}));
      }
    },
  );

  it('the supervisor counts each request once', async () => {
    const { counted, countRequest } = counts();
    await start({ PRESETD_RATE_LIMIT: '100' }, countRequest);
    counted.length = 0;
    await Promise.all([read(), call(), read(), server.get(`${preset}/`, { key: apiKey })]);
    await server.get('/api/v1/presets/cold', { key: apiKey });
    expect(counted).toHaveLength(5);
  });

  it('parallel requests do not exceed the rate limit', async () => {
    await start({ PRESETD_RATE_LIMIT: '7' }, counts().countRequest);
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 ? read() : call())),
    );
    expect(statuses(responses).toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it('requests get 503 if they cannot be counted, and no call is sent', async () => {
    let isUnavailable = false;
    await start({ PRESETD_RATE_LIMIT: '7' }, async () => {
      if (isUnavailable) throw new PresetdError('unavailable', 'The supervisor is gone.');
      return { count: 1, resetsInMs: 1_000 };
    });
    isUnavailable = true;
    upstream.clear();
    expect(statuses([await read(), await call()])).toEqual([503, 503]);
    expect(upstream.requests).toEqual([]);
  });
});
