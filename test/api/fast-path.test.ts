import { channel } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PresetdError } from '../../src/core/errors.ts';
import { FixedWindowCounter } from '../../src/core/fixed-window-counter.ts';
import { noPeers } from '../../src/workers/worker-peers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, startServerOn, type TestResponse, type TestServer } from '../support/server.ts';

const preset = '/api/v1/presets/warm';
const chat = '/api/v1/chat/completions';
const call = { model: '@preset/warm', messages: [{ role: 'user', content: 'Hi' }] };
const from = (address: string, key: string = apiKey) => ({ key, headers: { 'x-forwarded-for': address } });

let upstream: ScriptedUpstream;
let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
});
afterAll(() => upstream.stop());

// Fastify publishes here when the handler of a route begins; the fast path does not.
const handlerStarts = channel('tracing:fastify.request.handler:start');
let routed = 0;
const countRouted = () => {
  routed += 1;
};
beforeEach(async () => {
  database = await createDatabase('sqlite');
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
  // So that key and preset are in memory.
  await server.get(preset, { key: apiKey });
  routed = 0;
}

const read = (address = '192.0.2.1') => server.get(preset, from(address));
const ask = (address = '192.0.2.1') => server.post(chat, call, from(address));
const statuses = (answers: readonly TestResponse[]) => answers.map(({ status }) => status);

/** What is in memory is fresh for a second, which may be over before a busy machine comes to the request. */
async function expectFastPath(address?: string): Promise<void> {
  const attempt = async () => {
    routed = 0;
    return [...statuses([await read(address), await ask(address)]), routed];
  };
  await expect.poll(attempt).toEqual([200, 200, 0]);
}

/** All that a client can see of a refusal, but for what differs by nature. */
const seen = ({ status, headers, body }: TestResponse) => {
  const { date: _date, 'x-request-id': _id, ...rest } = Object.fromEntries(headers);
  return { status, rest, body };
};

describe('while an address is blocked', () => {
  it.each([
    ['as a trusted proxy names it', { PRESETD_TRUSTED_PROXIES: 'loopback' }, '192.0.2.7', '192.0.2.1'],
    [
      'behind two trusted proxies',
      { PRESETD_TRUSTED_PROXIES: 'loopback, 10.0.0.0/8' },
      '203.0.113.1, 192.0.2.7, 10.0.0.9',
      '192.0.2.7, 203.0.113.1, 10.0.0.9',
    ],
  ])('%s, other callers keep the fast path', async (_, proxies, blocked, other) => {
    await start({ PRESETD_AUTH_FAILURE_LIMIT: '2', ...proxies });
    for (let failure = 0; failure < 2; failure += 1) await server.get(preset, from(blocked, 'wrong'));
    expect(statuses([await read(blocked), await ask(blocked)])).toEqual([429, 429]);
    await expectFastPath(other);
  });

  it('a caller who claims another address is refused, without trusted proxies', async () => {
    await start({ PRESETD_AUTH_FAILURE_LIMIT: '2' });
    for (let failure = 0; failure < 2; failure += 1) await server.get(preset, from('192.0.2.7', 'wrong'));
    expect(statuses([await read('192.0.2.1'), await ask('192.0.2.1')])).toEqual([429, 429]);
  });
});

describe('with a rate limit', () => {
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
    ['counted in this process', () => undefined],
    ['counted for all workers', () => counts().countRequest],
  ])('%s, each request counts once, and callers within it keep the fast path', async (_, countRequest) => {
    await start({ PRESETD_RATE_LIMIT: '1000' }, countRequest());
    await expectFastPath();
    await server.stop();
    // Two requests of the start are counted as well.
    await start({ PRESETD_RATE_LIMIT: '8' }, countRequest());
    const byRoute = () => server.get(`${preset}/`, { key: apiKey });
    const cold = () => server.get('/api/v1/presets/cold', { key: apiKey });
    const within = [await read(), await ask(), await read()];
    expect(statuses(within)).toEqual([200, 200, 200]);
    for (const answer of within) expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
    // A preset that is not in memory begins on the fast path and ends on the route.
    expect(statuses([await byRoute(), await cold(), await ask()])).toEqual([200, 404, 200]);
    const over = [await read(), await byRoute(), await ask()];
    expect(statuses(over)).toEqual([429, 429, 429]);
    const [first] = over.map(seen);
    for (const answer of over.map(seen)) {
      expect(answer.body).toEqual(first?.body);
      expect(Number(answer.rest['retry-after'])).toBeGreaterThan(0);
      expect(answer.rest).toMatchObject({
        'x-ratelimit-limit': '8',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': answer.rest['retry-after'],
      });
      expect(Object.keys(answer.rest)).toEqual(Object.keys(first?.rest ?? {}));
    }
  });

  it('the supervisor is asked once for each request', async () => {
    const { counted, countRequest } = counts();
    await start({ PRESETD_RATE_LIMIT: '100' }, countRequest);
    counted.length = 0;
    await Promise.all([read(), ask(), read(), server.get(`${preset}/`, { key: apiKey })]);
    await server.get('/api/v1/presets/cold', { key: apiKey });
    expect(counted).toHaveLength(5);
  });

  it('requests at once do not exceed it', async () => {
    await start({ PRESETD_RATE_LIMIT: '7' }, counts().countRequest);
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => (index % 2 ? read() : ask())));
    expect(statuses(answers).toSorted()).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  });

  it('a count that fails is 503, and nothing is served', async () => {
    let isAway = false;
    await start({ PRESETD_RATE_LIMIT: '7' }, async () => {
      if (isAway) throw new PresetdError('unavailable', 'Nobody counts.');
      return { count: 1, resetsInMs: 1_000 };
    });
    isAway = true;
    upstream.clear();
    expect(statuses([await read(), await ask()])).toEqual([503, 503]);
    expect(upstream.requests).toEqual([]);
  });
});
