import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../src/core/presets/preset.ts';
import { compatible, type GatewayServer, startWithFile } from '../support/gateway-server.ts';
import { type CreatedKey, makeKey } from '../support/organizations.ts';
import { connectResponses } from '../support/responses-socket.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { managementKey } from '../support/server.ts';
import { body, cut, json, type Script, stall, upstreamError } from '../support/upstream-scripts.ts';

/** A thousandth of a dollar for each token of output; input costs nothing. */
const prices = { '*': { input_per_million: 0, output_per_million: 1_000 } };

/** A chat completion with so many tokens of output. */
function completion(tokens: number): Script {
  return json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: tokens, total_tokens: tokens + 1 },
  });
}

const messages = [{ role: 'user', content: 'Hi' }];

describe('spending limits', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithFile({
      upstreams: [
        ...dialects.map((dialect) =>
          compatible(dialect, upstream, { dialects: [dialect], models: [`${dialect}/*`], prices }),
        ),
        compatible('main', upstream, {
          dialects: ['chat-completions'],
          models: ['m', 'first', 'second'],
          endpoints: ['completions', 'embeddings', 'images/generations', 'moderations'],
          prices,
        }),
        compatible('slow', upstream, {
          dialects: ['chat-completions'],
          models: ['slow'],
          prices,
          timeouts: { first_byte_ms: 200 },
        }),
        compatible('unpriced', upstream, { dialects: ['chat-completions'], models: ['unpriced'] }),
        compatible('reading', upstream, {
          dialects: ['chat-completions'],
          models: ['reader'],
          prices: { '*': { input_per_million: 1_000, output_per_million: 1 } },
        }),
        compatible('by-request', upstream, {
          models: ['painter'],
          endpoints: ['images/generations'],
          prices: { '*': { request: 0.5 } },
        }),
      ],
    });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  const limited = (limit: number, details = {}) => makeKey(server, { limit, scope: 'call', ...details });
  const call = (key: CreatedKey, fields: object = {}, dialect: Dialect = 'chat-completions') =>
    server.call({ model: 'm', messages, max_tokens: 100, ...fields }, { key: key.secret, dialect });
  const billing = async ({ id }: CreatedKey) =>
    (await server.get(`/api/v1/keys/${id}`, { key: managementKey })).body.data;
  const edit = ({ id }: CreatedKey, changes: object) =>
    server.send('PATCH', `/api/v1/keys/${id}`, changes, { key: managementKey });
  /** What the key has spent, once that is reported. */
  async function expectSpent(key: CreatedKey, dollars: number): Promise<void> {
    await expect.poll(async () => (await billing(key)).usage, { timeout: 5_000 }).toBeCloseTo(dollars, 8);
  }

  it('calls stop at the limit, however many are in flight', async () => {
    const key = await limited(1);
    const { promise: isFull, resolve: release } = Promise.withResolvers<void>();
    let inFlight = 0;
    let most = 0;
    upstream.respondAlways(async (exchange) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await isFull;
      inFlight -= 1;
      completion(60)(exchange);
    });
    const calls = Array.from({ length: 60 }, async () => (await call(key)).status);
    // Each of them may cost a tenth of the limit, and costs 0.06.
    await expect.poll(() => inFlight).toBe(10);
    release();
    const statuses = await Promise.all(calls);
    expect(most).toBe(10);
    const sent = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 403]));
    // A slow machine refuses calls that have waited for two seconds.
    expect(sent).toBeGreaterThanOrEqual(10);
    expect(sent).toBeLessThanOrEqual(16);
    await expectSpent(key, sent * 0.06);
    expect((await billing(key)).limit_remaining).toBeCloseTo(1 - sent * 0.06);
    // What is left can be spent.
    expect((await call(key, { max_tokens: 40 })).status).toBe(200);
  });

  describe.each(dialects)('in %s', (dialect) => {
    const request = {
      model: `${dialect}/m`,
      ...(dialect === 'responses'
        ? { input: 'Hi', max_output_tokens: 16, max_tokens: undefined }
        : { max_tokens: 16 }),
    };
    it.each([false, true])('a call over the limit is a 403 without retries (stream: %s)', async (stream) => {
      const key = await limited(0.001, { limit_reset: 'monthly' });
      const response = await call(key, { ...request, stream }, dialect);
      expect(response.status).toBe(403);
      expect(response.headers.get('x-should-retry')).toBe('false');
      expect(response.headers.get('retry-after')).toBeNull();
      const { error } = response.body;
      expect(error.message).toMatch(
        /^This key has spent \$0\.00 of its limit of \$0\.00100 per month, which resets at \d{4}-\d\d-01T00:00Z\. The call may cost \$0\.0160\. Send a lower output limit/,
      );
      expect(error.metadata ?? error.details).toEqual({
        limit_source: 'key_limit',
        scope: 'api_key',
        limit_usd: 0.001,
        spend_usd: 0,
        resets_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
      });
      expect(upstream.requests).toEqual([]);
    });
  });

  it('a call over the limit is refused over a WebSocket as well', async () => {
    const { secret } = await limited(0.001);
    const client = await connectResponses(server, { authorization: `Bearer ${secret}` });
    const last = (await client.turn({ model: 'responses/m', input: 'Hi', max_output_tokens: 16 })).at(-1);
    expect(last).toMatchObject({
      status: 403,
      error: { message: expect.stringContaining('This key has spent') },
    });
    await client.close();
  });

  it('the record of a call over the limit has the code over_budget', async () => {
    const key = await limited(0);
    const { headers } = await call(key);
    const path = `/api/v1/generation?id=${headers.get('x-generation-id')}`;
    await expect
      .poll(async () => (await server.get(path)).body.data?.presetd, { timeout: 5_000 })
      .toMatchObject({
        status: 403,
        error_code: 'over_budget',
        error_message: expect.stringContaining('its limit of $0'),
        cost: 0,
      });
  });

  it('a call costs nothing if the upstream fails', async () => {
    const key = await limited(0.1);
    for (let index = 0; index < 5; index += 1) {
      upstream.respondWith(upstreamError(500, 'Oops'), upstreamError(400, 'Oops'));
      expect((await call(key)).status).toBe(500);
      expect((await call(key)).status).toBe(400);
    }
    upstream.respondWith(completion(100));
    expect((await call(key)).status).toBe(200);
    await expectSpent(key, 0.1);
    expect((await call(key, { max_tokens: 1 })).status).toBe(403);
  });

  it('a call costs what a failed attempt may cost besides', async () => {
    const key = await limited(1);
    upstream.respondWith(stall, completion(50));
    expect((await call(key, { model: 'slow', models: ['m'] })).status).toBe(200);
    // After 200 ms, an upstream has written ten tokens.
    await expect.poll(async () => (await billing(key)).usage, { timeout: 5_000 }).toBeGreaterThan(0.05);
    expect((await billing(key)).usage).toBeLessThan(0.09);
  });

  it('a stream that is cut off costs what it has sent', async () => {
    const key = await limited(1);
    const text = 'x'.repeat(400);
    const chunk = { id: 'c', choices: [{ index: 0, delta: { content: text } }] };
    upstream.respondWith(cut(`data: ${JSON.stringify(chunk)}\n\n`));
    await call(key, { stream: true }).catch(() => undefined);
    await expectSpent(key, 0.1);
  });

  it('a call whose cost is unknown costs what it may cost at most', async () => {
    const key = await limited(1);
    upstream.respondWith(json({ id: 'resp_1', status: 'queued', model: 'm', output: [] }));
    const background = { model: 'responses/m', input: 'Hi', background: true, max_output_tokens: 300 };
    expect((await call(key, background, 'responses')).status).toBe(200);
    await expectSpent(key, 0.3);
  });

  it('a key that is renamed, disabled or rotated keeps what it has spent', async () => {
    const key = await limited(0.1);
    upstream.respondAlways(completion(70));
    expect((await call(key)).status).toBe(200);
    await expectSpent(key, 0.07);
    const admin = { key: managementKey };
    await edit(key, { name: 'Renamed', disabled: true });
    await edit(key, { disabled: false });
    const rotated = await server.post(`/api/v1/keys/${key.id}/rotate`, { grace_period_seconds: 0 }, admin);
    const next = { ...key, secret: rotated.body.key };
    expect((await call(next)).status).toBe(403);
    await edit(key, { limit: 0.2 });
    expect((await call(next)).status).toBe(200);
    await expectSpent(key, 0.14);
    await edit(key, { limit: null });
    for (let index = 0; index < 3; index += 1) expect((await call(next)).status).toBe(200);
    await expectSpent(key, 0.35);
    expect(await billing(key)).toMatchObject({ limit: null, limit_remaining: null, usage_daily: 0.35 });
  });

  it('a call with a limited key needs a known price, and others do not', async () => {
    const key = await limited(1);
    const response = await call(key, { model: 'unpriced' });
    expect(response.status).toBe(403);
    expect(response.headers.get('x-presetd-failure')).toBe('unknown-price');
    expect(response.body.error.message).toBe(
      'This key has a spending limit, and the price of "unpriced" at the upstream "unpriced" is not known. Add it to prices of the upstream in the upstream file, or use a key without a limit.',
    );
    expect(upstream.requests).toEqual([]);
    expect((await server.call({ model: 'unpriced', messages })).status).toBe(200);
  });

  it('a refusal says what would help', async () => {
    const key = await limited(0.05);
    const messageOf = async (fields: object) => (await call(key, fields)).body.error.message;
    const long = { model: 'reader', messages: [{ role: 'user', content: 'word '.repeat(100) }] };
    for (const fields of [long, { ...long, max_tokens: undefined }])
      expect(await messageOf(fields)).toMatch(
        /The input of the call alone may cost \$0\.1\d+\. Send less, or ask an org:admin/,
      );
    upstream.respondWith(completion(50));
    expect((await call(key, { max_tokens: 50 })).status).toBe(200);
    await expectSpent(key, 0.05);
    for (const fields of [{}, { max_tokens: undefined }])
      expect(await messageOf(fields)).toBe(
        'This key has spent $0.0500 of its limit of $0.05. Ask an org:admin to raise it.',
      );
  });

  it('a dry run is allowed whatever is left', async () => {
    const key = await makeKey(server, { limit: 0 });
    const headers = { 'x-presetd-dry-run': 'true' };
    const { status } = await server.call({ model: 'm', messages }, { key: key.secret, headers });
    expect(status).toBe(200);
  });

  describe('calls without an output limit', () => {
    it('a call without an output limit gets one, and a header says so', async () => {
      const key = await limited(1_000);
      const response = await call(key, { max_tokens: undefined });
      expect(response.status).toBe(200);
      expect(response.headers.get('x-presetd-output-limit')).toBe('8192');
      expect(upstream.requests[0]?.body.max_completion_tokens).toBe(8_192);
      expect((await call(key)).headers.get('x-presetd-output-limit')).toBeNull();
      const unlimited = await server.call({ model: 'm', messages });
      expect(unlimited.headers.get('x-presetd-output-limit')).toBeNull();
      expect(upstream.requests[2]?.body).toEqual({ model: 'm', messages });
    });

    it('a call without an output limit gets a tenth of what is left, or is refused', async () => {
      const key = await limited(4);
      upstream.respondAlways(completion(400));
      const limits = [];
      for (;;) {
        const response = await call(key, { max_tokens: undefined });
        if (response.status !== 200) {
          expect(response.body.error.message).toContain('pays for fewer than 256 tokens of output');
          break;
        }
        limits.push(Number(response.headers.get('x-presetd-output-limit')));
        await expectSpent(key, Number((0.4 * limits.length).toFixed(9)));
      }
      expect(limits).toEqual([400, 360, 320, 280]);
      // With a limit of its own, a call can have the rest.
      expect((await call(key, { max_tokens: 2_400 })).status).toBe(200);
    });

    it.each([
      ['messages', 'max_tokens', { messages }],
      ['responses', 'max_output_tokens', { input: 'Hi' }],
    ] as const)('an output limit for %s is called %s', async (dialect, field, request) => {
      const key = await limited(1_000);
      await call(key, { ...request, model: `${dialect}/m`, max_tokens: undefined }, dialect);
      expect(upstream.requests[0]?.body[field]).toBe(8_192);
    });

    it('a negative output limit is replaced: some servers take it for none', async () => {
      const key = await limited(1_000);
      expect((await call(key, { max_tokens: -1 })).status).toBe(200);
      expect(upstream.requests[0]?.body).toMatchObject({ max_completion_tokens: 8_192 });
      expect(upstream.requests[0]?.body.max_tokens).toBeUndefined();
    });

    it('a translated call gets the output limit of the translation, if enough is left', async () => {
      const translated = { model: 'messages/m', max_tokens: undefined };
      const limitsOf = async (key: CreatedKey) =>
        (await call(key, translated)).headers.get('x-presetd-output-limit');
      expect(await limitsOf(await limited(1_000))).toBe('32000');
      expect(await limitsOf(await limited(50))).toBe('5000');
      expect(upstream.requests.map((request) => request.body.max_tokens)).toEqual([32_000, 5_000]);
    });
  });

  it('each choice of a call counts', async () => {
    const key = await limited(0.25);
    expect((await call(key, { n: 3 })).status).toBe(403);
    expect((await call(key, { n: 2 })).status).toBe(200);
  });

  describe('calls to other endpoints', () => {
    const relay = (key: CreatedKey, path: string, request: object) =>
      server.post(`/api/v1/${path}`, request, { key: key.secret });

    it('a completion reserves what it may cost', async () => {
      const key = await limited(0.1);
      const request = { model: 'm', prompt: 'Hi' };
      expect((await relay(key, 'completions', { ...request, max_tokens: 60, best_of: 2 })).status).toBe(403);
      upstream.respondAlways(
        json({ id: 'c', choices: [], usage: { prompt_tokens: 1, completion_tokens: 9 } }),
      );
      expect((await relay(key, 'completions', { ...request, max_tokens: 60 })).status).toBe(200);
      await expectSpent(key, 0.009);
      const generous = await limited(1_000);
      await relay(generous, 'completions', request);
      expect(upstream.requests.at(-1)?.body.max_tokens).toBe(8_192);
    });

    it('an image reserves the price of a request', async () => {
      const key = await limited(1);
      const request = { model: 'painter', prompt: 'A house' };
      upstream.respondAlways(json({ data: [{ url: 'http://127.0.0.1/1.png' }] }));
      const statuses = [];
      for (let index = 0; index < 3; index += 1)
        statuses.push((await relay(key, 'images/generations', request)).status);
      expect(statuses).toEqual([200, 200, 403]);
      await expectSpent(key, 1);
      // A price by tokens does not say what an image costs.
      expect(
        (await relay(key, 'images/generations', { ...request, model: 'm' })).body.error.message,
      ).toContain('the price of "m" at the upstream "main" is not known');
    });

    it('an embedding reserves no output', async () => {
      const key = await limited(0.001);
      upstream.respondAlways(
        body(200, 'application/json', '{"data":[],"usage":{"prompt_tokens":4,"total_tokens":4}}'),
      );
      expect((await relay(key, 'embeddings', { model: 'm', input: 'Hi' })).status).toBe(200);
    });
  });
});
