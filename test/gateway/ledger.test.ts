import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dialects } from '../../src/core/presets/preset.ts';
import { dialectStreams } from '../support/dialect-streams.ts';
import { foldStream } from '../support/fold-stream.ts';
import { compatible, type GatewayServer, startWithFile } from '../support/gateway-server.ts';
import { makeKey } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import { body, json, stall, upstreamError } from '../support/upstream-scripts.ts';
import { recordings } from '../support/wire/recordings.ts';

const prices = {
  '*': {
    input_per_million: 3,
    output_per_million: 15,
    cached_input_per_million: 0.3,
    cache_write_per_million: 3.75,
  },
};

/** Other streams have no response of their own: it is what their client makes of them. */
function isRecorded(title: string): title is keyof typeof recordings {
  return Object.hasOwn(recordings, title);
}

describe('the record of a call', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithFile(
      {
        upstreams: [
          ...dialects.map((dialect) =>
            compatible(dialect, upstream, { dialects: [dialect], models: [`${dialect}/*`], prices }),
          ),
          compatible('unpriced', upstream, {
            dialects: ['chat-completions'],
            models: ['unpriced/*'],
            endpoints: ['embeddings', 'moderations'],
          }),
          compatible('slow', upstream, {
            dialects: ['chat-completions'],
            models: ['slow/*'],
            prices,
            timeouts: { first_byte_ms: 200 },
          }),
          compatible('moderating', upstream, {
            kind: 'openai',
            models: ['free/*', 'charged/*'],
            prices: { 'charged/*': prices['*'] },
          }),
        ],
      },
      { OPENAI_API_KEY: 'sk-test', PRESETD_METRICS_TOKEN: token },
    );
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  /** The record of a response, once it is stored. */
  async function recordOf(response: { readonly headers: Headers }) {
    const id = response.headers.get('x-generation-id') ?? '';
    for (;;) {
      const { status, body: found } = await server.get(`/api/v1/generation?id=${id}`);
      if (status === 200) return found.data;
      expect(status).toBe(404);
      await delay(20);
    }
  }

  const request = { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 50 };
  const requestOf = (dialect: (typeof dialects)[number], model: string, stream: boolean) => ({
    ...(dialect === 'responses' ? { input: 'Hi' } : request),
    ...(dialect === 'chat-completions' && stream && { stream_options: { include_usage: true } }),
    model,
    stream,
  });

  it.each(dialectStreams())(
    '$title costs the same whole and streamed, for clients of any dialect',
    async ({ title, dialect: from, text: stream }) => {
      const whole = isRecorded(title)
        ? recordings[title].json
        : JSON.stringify(await foldStream(from, stream));
      const responses = [];
      for (const to of dialects) {
        upstream.respondWith(body(200, 'application/json', whole), body(200, 'text/event-stream', stream));
        for (const isStreamed of [false, true])
          responses.push(await server.call(requestOf(to, `${from}/m`, isStreamed), { dialect: to }));
      }
      const records = await Promise.all(responses.map(recordOf));
      const [first] = records;
      expect(first.tokens_prompt).toBeGreaterThan(0);
      expect(first.presetd.cost).toBeGreaterThan(0);
      for (const [index, record] of records.entries()) {
        expect(record.presetd).toMatchObject({
          is_estimated: false,
          upstream: from,
          dialect: dialects[Math.floor(index / 2)],
          status: 200,
          cost: first.presetd.cost,
          price: first.presetd.price,
          cost_source: first.presetd.cost_source,
          responding_model: first.presetd.responding_model,
          tokens_cache_write: first.presetd.tokens_cache_write,
        });
        expect(record).toMatchObject({
          streamed: index % 2 === 1,
          latency: index % 2 === 1 ? expect.any(Number) : null,
          upstream_id: expect.stringMatching(/\w/),
          tokens_prompt: first.tokens_prompt,
          tokens_completion: first.tokens_completion,
          native_tokens_cached: first.native_tokens_cached,
          native_tokens_reasoning: first.native_tokens_reasoning,
          total_cost: first.total_cost,
        });
        // Responses has no word for a call of a tool, but a translated one is known to wait for it.
        if (from !== 'responses') expect(record.finish_reason).toBe(first.finish_reason);
      }
    },
  );

  it.each([
    ['the live version', 'bot', { selection: 'live', preset_version: 1, label: null }],
    ['a version', 'bot@1', { selection: 'version', preset_version: 1, label: null }],
    ['a label', 'bot:staging', { selection: 'label', preset_version: 1, label: 'staging' }],
  ])('the record of a call says that %s was called', async (_, reference, expected) => {
    await server.capture('bot', {
      model: 'chat-completions/m',
      messages: [{ role: 'system', content: 'Be kind.' }],
    });
    await server.send('PUT', '/api/v1/presets/bot/labels/staging', { version: 1 });
    const response = await server.call({ ...request, model: `@preset/${reference}` });
    const record = await recordOf(response);
    expect(record.preset_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(record.presetd).toMatchObject({ preset: 'bot', purpose: 'call', ...expected });
    await server.send('POST', '/api/v1/presets/bot/archive');
    await server.send('POST', '/api/v1/presets/bot/restore');
  });

  it('a record has the key, user, app, end user and session of its call', async () => {
    const response = await server.call(
      { ...request, model: 'messages/m', user: 'customer-7', session_id: 'session-1' },
      { headers: { 'x-title': 'Parcel app', 'http-referer': 'https://parcels.example' } },
    );
    const record = await recordOf(response);
    const key = (await server.get('/api/v1/key', { key: apiKey })).body.data;
    expect(record).toMatchObject({
      external_user: 'customer-7',
      session_id: 'session-1',
      http_referer: 'https://parcels.example',
      presetd: {
        key_id: key.hash,
        user_id: key.creator_user_id,
        app_title: 'Parcel app',
        requested_model: 'messages/m',
      },
    });
    expect(record.presetd.total_ms).toBeGreaterThan(0);
    expect(record.presetd.first_token_ms).toBeNull();
  });

  it('a cost that the upstream reports takes precedence over prices', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12, cost: 0.0125 };
    upstream.respondWith(json({ ...completion, usage }));
    const record = await recordOf(await server.call({ ...request, model: 'chat-completions/m' }));
    expect(record).toMatchObject({ total_cost: 0.0125, presetd: { cost_source: 'upstream', price: null } });
  });

  it('ignores numbers of an upstream that cannot be true', async () => {
    const usage = { prompt_tokens: 1e30, completion_tokens: 3, total_tokens: 12, cost: 1e30 };
    upstream.respondWith(json({ ...completion, usage }));
    const record = await recordOf(await server.call({ ...request, model: 'chat-completions/m' }));
    expect(record).toMatchObject({
      tokens_completion: 3,
      presetd: { is_estimated: true, cost_source: 'file' },
    });
    expect(record.tokens_prompt).toBeLessThan(100);
  });

  it('a call without a known price has no cost', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    upstream.respondWith(json({ ...completion, usage }));
    const record = await recordOf(await server.call({ ...request, model: 'unpriced/m' }));
    expect(record).toMatchObject({
      tokens_prompt: 9,
      presetd: { cost: null, cost_source: null, price: null },
    });
  });

  it.each([
    ['whole', json(completion)],
    [
      'streamed',
      body(
        200,
        'text/event-stream',
        `${chunk({ content: 'Hello, this is a text.' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
      ),
    ],
  ])('tokens are estimated if the upstream reports none: %s', async (_, script) => {
    upstream.respondWith(script);
    const stream = _ === 'streamed';
    const record = await recordOf(await server.call({ ...request, model: 'chat-completions/m', stream }));
    expect(record.presetd).toMatchObject({ is_estimated: true, cost_source: 'file', status: 200 });
    expect(record.tokens_prompt).toBeGreaterThan(10);
    expect(record.tokens_completion).toBeGreaterThan(3);
  });

  it('a call whose client disconnects has the estimated tokens and cost of what was sent', async () => {
    upstream.respondWith(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 40; index += 1) response.write(chunk({ content: 'twenty characters!! ' }));
    });
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, model: 'chat-completions/m', stream: true }),
      signal: leaving.signal,
    });
    let received = 0;
    for await (const part of response.body ?? []) {
      received += part.length;
      if (received > 40 * 100) break;
    }
    leaving.abort();
    const record = await recordOf(response);
    expect(record).toMatchObject({ cancelled: true, presetd: { status: 499, is_estimated: true } });
    // 800 characters, four of which are about a token.
    expect(record.tokens_completion).toBeGreaterThan(140);
    expect(record.tokens_completion).toBeLessThan(260);
    expect(record.presetd.cost).toBeGreaterThan(0);
  });

  it('counts the text of a stream that begins with long instructions', async () => {
    const created = {
      type: 'response.created',
      response: { id: 'resp_1', instructions: 'a'.repeat(20_000) },
    };
    upstream.respondWith(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const type of ['response.created', 'response.in_progress'])
        response.write(responseEvent({ ...created, type }));
      for (let index = 0; index < 40; index += 1)
        response.write(responseEvent({ type: 'response.output_text.delta', delta: 'twenty characters!! ' }));
      response.write(responseEvent({ type: 'response.output_text.delta', delta: 'END' }));
    });
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Hi', model: 'responses/m', stream: true }),
      signal: leaving.signal,
    });
    let received = '';
    for await (const part of response.body ?? []) {
      received += Buffer.from(part).toString();
      if (received.includes('END')) break;
    }
    leaving.abort();
    const record = await recordOf(response);
    expect(record).toMatchObject({ cancelled: true, presetd: { is_estimated: true } });
    expect(record.tokens_completion).toBeGreaterThan(180);
    expect(record.tokens_completion).toBeLessThan(240);
  });

  it.each([
    ['an error of the upstream', upstreamError(500, 'down'), 500],
    ['a rejected request', upstreamError(400, 'no'), 400],
  ])('%s costs nothing', async (_, script, status) => {
    upstream.respondWith(script);
    const record = await recordOf(await server.call({ ...request, model: 'chat-completions/m' }));
    expect(record.presetd).toMatchObject({ status, cost: 0, cost_source: 'free', is_estimated: false });
    expect(record.tokens_prompt).toBeNull();
  });

  it('has the tokens and the cost of an attempt that timed out before another one', async () => {
    const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
    const models = ['slow/m', 'chat-completions/m'];
    upstream.respondWith(stall, json({ ...completion, usage }));
    const delivered = await recordOf(await server.call({ ...request, models }));
    expect(delivered.presetd).toMatchObject({
      status: 200,
      upstream: 'chat-completions',
      is_estimated: true,
      cost_source: 'file',
      price: null,
    });
    expect(delivered.tokens_prompt).toBeGreaterThan(9 + 5);
    // 200 ms are 10 tokens.
    expect(delivered.tokens_completion).toBeGreaterThanOrEqual(3 + 10);
    expect(delivered.presetd.cost).toBeCloseTo(
      (delivered.tokens_prompt * 3 + delivered.tokens_completion * 15) / 1e6,
      8,
    );
    upstream.respondWith(stall, upstreamError(429, 'busy'));
    const failed = await recordOf(await server.call({ ...request, models }));
    expect(failed.presetd).toMatchObject({ status: 429, is_estimated: true, cost_source: 'file' });
    expect(failed.presetd.cost).toBeGreaterThan(0);
  });

  it.each([
    ['free at OpenAI', 'free/m', { cost: 0, cost_source: 'free' }],
    ['priced by the upstream file', 'charged/m', { cost: expect.any(Number), cost_source: 'file' }],
    ['of unknown cost elsewhere', 'unpriced/m', { cost: null, cost_source: null }],
  ])('of moderations is %s', async (_, model, expected) => {
    upstream.respondWith(json({ id: 'm-1', model: 'm', results: [{ flagged: false }] }));
    const record = await recordOf(await server.post('/api/v1/moderations', { model, input: 'Hi' }));
    expect(record.presetd).toMatchObject({ dialect: 'moderations', ...expected });
    expect(record.tokens_completion).toBeNull();
  });

  it.each(['queued', 'in_progress'])('does not guess what a response costs that is %s', async (status) => {
    upstream.respondWith(
      json({ id: 'resp_1', object: 'response', status, model: 'm', output: [], usage: null }),
    );
    const response = await server.call(
      { model: 'responses/m', input: 'Hi', background: true },
      { dialect: 'responses' },
    );
    expect(await recordOf(response)).toMatchObject({
      tokens_prompt: null,
      tokens_completion: null,
      presetd: { status: 200, cost: null, cost_source: null, is_estimated: false },
    });
  });

  it('a call that is rejected before it is sent has a record without cost', async () => {
    const record = await recordOf(await server.call({ ...request, model: '@preset/nowhere' }));
    expect(record.presetd).toMatchObject({ status: 404, upstream: null, cost: 0 });
  });

  it('a dry run has no record', async () => {
    const response = await server.call(
      { ...request, model: 'chat-completions/m' },
      { headers: { 'x-presetd-dry-run': 'true' } },
    );
    expect(response.headers.get('x-generation-id')).toBeNull();
  });

  it('the tokens of embeddings are recorded', async () => {
    upstream.respondWith(
      json({ object: 'list', data: [], model: 'e-1', usage: { prompt_tokens: 5, total_tokens: 5 } }),
    );
    const response = await server.post('/api/v1/embeddings', { model: 'unpriced/e', input: 'Hi' });
    const record = await recordOf(response);
    expect(record).toMatchObject({
      api_type: 'embeddings',
      tokens_prompt: 5,
      tokens_completion: null,
      presetd: { dialect: 'embeddings', responding_model: 'e-1', is_estimated: false },
    });
  });

  it('counts the tokens of a response that is too long to be buffered', async () => {
    const data = Array.from({ length: 100 }, (_, index) => ({ index, embedding: 'a'.repeat(21_000) }));
    const usage = { prompt_tokens: 7, total_tokens: 7 };
    upstream.respondWith(json({ object: 'list', data, model: 'e-1', usage }));
    const response = await server.post('/api/v1/embeddings', { model: 'unpriced/e', input: 'Hi' });
    expect(await recordOf(response)).toMatchObject({
      tokens_prompt: 7,
      tokens_completion: null,
      presetd: { status: 200, responding_model: 'e-1', is_estimated: false },
    });
  });

  it('the record of a workbench run has the purpose workbench', async () => {
    const headers = { 'x-presetd-purpose': 'workbench' };
    const record = await recordOf(await server.call({ ...request, model: 'messages/m' }, { headers }));
    expect(record.presetd.purpose).toBe('workbench');
  });

  it('a record is found by the id of the response', async () => {
    upstream.respondWith(json({ ...completion, id: 'chatcmpl-unique' }));
    const response = await server.call({ ...request, model: 'chat-completions/m' });
    const record = await recordOf(response);
    const found = await server.get('/api/v1/generation?id=chatcmpl-unique');
    expect(found.body.data.id).toBe(record.id);
  });

  it('a record is found by the id of a stored response, as the client sees it', async () => {
    const response = await server.call({ input: 'Hi', model: 'responses/m' }, { dialect: 'responses' });
    const record = await recordOf(response);
    expect(response.body.id).not.toBe(record.upstream_id);
    const found = await server.get(`/api/v1/generation?id=${response.body.id}`);
    expect(found.body.data.id).toBe(record.id);
  });

  it.each([
    ['daily', /T00:00:00\.000Z$/],
    ['weekly', /T00:00:00\.000Z$/],
    ['monthly', /-01T00:00:00\.000Z$/],
    [null, undefined],
  ])('the cost of a call is added to the usage of its key, and reduces its %s limit', async (reset, end) => {
    const { id, secret } = await makeKey(server, { limit: 1.2, limit_reset: reset });
    upstream.respondWith(
      json({ ...completion, usage: { prompt_tokens: 1, completion_tokens: 1, cost: 1.5 } }),
    );
    await recordOf(await server.call({ ...request, model: 'chat-completions/m' }, { key: secret }));
    const current = async () => (await server.get('/api/v1/key', { key: secret })).body.data;
    // Servers report once a second what was spent.
    await expect.poll(async () => (await current()).usage, { timeout: 5_000 }).toBe(1.5);
    const budget = {
      scope: 'key_limit',
      budget_id: null,
      guardrail_id: null,
      include_byok: false,
      limit_usd: 1.2,
      spend_usd: 1.5,
      remaining_usd: -0.3,
      reset_interval: reset,
      resets_at: end === undefined ? null : expect.stringMatching(end),
    };
    expect(await current()).toMatchObject({
      usage: 1.5,
      usage_daily: 1.5,
      limit: 1.2,
      limit_remaining: -0.3,
      budgets: [budget],
      effective_budget: budget,
    });
    const listed = await server.get(`/api/v1/keys/${id}`, { key: managementKey });
    expect(listed.body.data).toMatchObject({ limit: 1.2, limit_remaining: -0.3 });
  });

  // The last of all, so that it sums up the calls of the others: estimates, fallbacks and errors.
  it('metrics count the tokens of all records', async () => {
    const { text } = await server.get('/metrics', { key: token });
    const query = { metrics: ['tokens_prompt', 'tokens_completion'] };
    const { body: found } = await server.post('/api/v1/analytics/query', query, { key: apiKey });
    const [total] = found.data.data;
    for (const [direction, tokens] of [
      ['input', total.tokens_prompt],
      ['output', total.tokens_completion],
    ]) {
      const series = new RegExp(
        `^presetd_gateway_tokens_total\\{.*direction="${direction}"\\} (\\d+)$`,
        'gm',
      );
      const measured = [...text.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
      expect([direction, measured]).toEqual([direction, tokens]);
    }
  });
});

const token = 'a-token-for-metrics';

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm-1',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hello, this is a text.' }, finish_reason: 'stop' },
  ],
};

function responseEvent(event: { readonly type: string; readonly [name: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function chunk(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm-1', choices })}\n\n`;
}
