import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startWithFile } from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import {
  beginStream,
  cut,
  html,
  json,
  reset,
  type Script,
  stall,
  upstreamError,
} from '../support/upstream-scripts.ts';

/** Of the prompt. Nothing of it may be in a record. */
const secret = 'the orchid password is tulip';
const request = { messages: [{ role: 'user', content: secret }] };

let upstream: ScriptedUpstream;
let server: GatewayServer;
beforeAll(async () => {
  upstream = await startScriptedUpstream();
  server = await startWithFile({
    upstreams: [
      compatible('main', upstream, { models: ['main/*', 'exact'], timeouts: { first_byte_ms: 300 } }),
      compatible('gone', { url: 'http://127.0.0.1:9' }, { models: ['gone/*'] }),
      compatible('keyless', upstream, { models: ['keyless/*'], api_key_env: 'NOT_SET' }),
    ],
  });
  await server.capture('bot', {
    model: 'main/m',
    messages: [{ role: 'system', content: 'Help {{customer}}.' }],
    presetd: { variables: { customer: { type: 'string' } } },
  });
  await server.capture('off', { model: 'main/m', ...request });
  await server.send('PATCH', '/api/v1/presets/off', { status: 'disabled' });
});
beforeEach(() => upstream.clear());
afterAll(async () => {
  await upstream.stop();
  await server.stop();
});

/** The details in the record of a response, once it is stored. */
async function recordOf(response: { readonly headers: Headers }) {
  const id = response.headers.get('x-generation-id') ?? '';
  for (;;) {
    const { status, body } = await server.get(`/api/v1/generation?id=${id}`);
    if (status === 200) return body.data.presetd;
    expect(status).toBe(404);
    await delay(20);
  }
}

describe('the record of a failed call says why', () => {
  it.each([
    ['@preset/nowhere', 404, 'preset_not_found', /"nowhere"/, 'nowhere'],
    ['@presets/bot', 404, 'preset_not_found', /"@preset\/slug"/, null],
    ['@preset/bot@9', 404, 'version_not_found', /no version 9/, 'bot'],
    ['@preset/bot:beta', 404, 'version_not_found', /no label "beta"/, 'bot'],
    ['@preset/off', 403, 'preset_unavailable', /"off" is disabled/, 'off'],
    [
      '@preset/bot',
      400,
      'missing_variable',
      /^bot@\d+ needs the variable customer: send it in `prompt\.variables`\.$/,
      null,
    ],
    ['nobody/m', 400, 'no_upstream', /nobody\/m/, null],
    ['keyless/m', 424, 'upstream_misconfigured', /"keyless" has no key/, null],
    ['gone/m', 502, 'upstream_unreachable', /"gone" is unreachable/, null],
  ])('%s: %i %s', async (model, status, code, message, requested) => {
    const response = await server.call({ ...request, model });
    expect(response.status).toBe(status);
    const record = await recordOf(response);
    expect(record).toMatchObject({ status, error_code: code, requested_preset: requested });
    expect(record.error_message).toMatch(message);
    expect(JSON.stringify(record)).not.toContain('orchid');
  });

  it.each<[string, Script, number, string, string | RegExp]>([
    [
      'rejects it',
      upstreamError(400, secret),
      400,
      'upstream_rejected',
      'The upstream "main" returned 400 (upstream_error).',
    ],
    ['limits the rate', upstreamError(429, secret), 429, 'upstream_rate_limited', /429/],
    ['fails', upstreamError(500, secret), 500, 'upstream_error', /500/],
    [
      'rejects the key',
      upstreamError(401, secret),
      424,
      'upstream_misconfigured',
      /rejected presetd's API key/,
    ],
    [
      'repeats the prompt as its code',
      json({ error: { message: secret, code: secret } }, 422),
      422,
      'upstream_rejected',
      'The upstream "main" returned 422.',
    ],
    ['sends a page', html(200), 502, 'upstream_invalid_response', /content type/],
    ['resets the connection', reset, 502, 'upstream_interrupted', /closed the connection/],
    ['does not respond', stall, 504, 'upstream_timeout', /300 ms/],
  ])('an upstream that %s', async (_, script, status, code, message) => {
    upstream.respondWith(script);
    const response = await server.call({ ...request, model: 'main/m' });
    expect(response.status).toBe(status);
    const record = await recordOf(response);
    expect(record).toMatchObject({ status, error_code: code });
    expect(record.error_message).toMatch(message);
    expect(JSON.stringify(record)).not.toContain('orchid');
  });

  it('a stream that is cut off', async () => {
    const chunk = { id: 'c', choices: [{ index: 0, delta: { content: secret }, finish_reason: null }] };
    upstream.respondWith(cut(`data: ${JSON.stringify(chunk)}\n\n`));
    const response = await server.call({ ...request, model: 'main/m', stream: true });
    expect(response.status).toBe(200);
    expect(await recordOf(response)).toMatchObject({ status: 502, error_code: 'upstream_interrupted' });
  });

  it('a client that disconnects', async () => {
    const leaving = new AbortController();
    upstream.respondWith(({ response }) => {
      beginStream(response).write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\n');
    });
    const response = await fetch(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...request, model: 'main/m', stream: true }),
      signal: leaving.signal,
    });
    leaving.abort();
    expect(await recordOf(response)).toMatchObject({ status: 499, error_code: 'canceled' });
  });

  it.each([
    ['is not JSON', `{"model": "main/m", "messages": ${secret}}`],
    ['repeats a key', `{"${secret}": 1, "${secret}": 2}`],
    ['has an unknown variable', { model: '@preset/bot', prompt: { variables: { [secret]: 'x' } } }],
    ['names a response that does not exist', { model: 'main/m', previous_response_id: secret }],
  ])('a body that %s is described without its text', async (_, sent) => {
    const response = await server.call(sent, { dialect: 'responses' });
    expect(response.status).toBe(400);
    const record = await recordOf(response);
    expect(record.error_code).toMatch(/^(invalid_request|missing_variable)$/);
    expect(record.error_message).toMatch(/\w/);
    expect(JSON.stringify(record)).not.toContain('orchid');
  });

  it('a call that succeeds after a fallback has no error', async () => {
    const response = await server.call({ ...request, models: ['gone/m', 'main/m'] });
    expect(response.status).toBe(200);
    const record = await recordOf(response);
    expect(record.fallbacks).toEqual(['gone%2Fm;connect']);
    expect(record).toMatchObject({ error_code: null, error_message: null });
  });

  it('calls can be listed and counted by their error', async () => {
    await recordOf(await server.call({ ...request, model: '@preset/nowhere' }));
    const listed = await server.get('/api/v1/generations?error_code=preset_not_found');
    expect(listed.body.data.length).toBeGreaterThan(0);
    for (const { presetd } of listed.body.data) expect(presetd.error_code).toBe('preset_not_found');
    const query = {
      metrics: ['request_count'],
      dimensions: ['error_code'],
      filters: [{ field: 'error_code', operator: 'in', value: ['preset_not_found', 'canceled'] }],
    };
    const counted = await server.post('/api/v1/analytics/query', query);
    expect(counted.body.data.data).toContainEqual({
      error_code: 'preset_not_found',
      request_count: listed.body.data.length,
    });
    expect((await server.get('/api/v1/generations?error_code=oops')).status).toBe(400);
  });
});

describe('the sums of calls', () => {
  /** How many calls there are of each model. */
  async function countsByModel() {
    const query = { metrics: ['request_count'], dimensions: ['upstream', 'model'] };
    const { body } = await server.post('/api/v1/analytics/query', query);
    const rows: { upstream: string; model: string | null; request_count: number }[] = body.data.data;
    return new Map(
      rows.filter(({ upstream: name }) => name === 'open').map((row) => [row.model, row.request_count]),
    );
  }

  const useOpenUpstream = (models: readonly string[]) =>
    server.useConfigFile({ upstreams: [compatible('open', upstream, { models })] });
  const call = (model: string) => server.call({ ...request, model });

  it('do not grow with the names of models that clients make up', { timeout: 60_000 }, async () => {
    useOpenUpstream(['*']);
    const rejections = [400, 401, 402, 403, 404, 408, 410, 413, 422, 429, 500, 502, 503, 529];
    const failures = [
      ...rejections.map((status) => upstreamError(status, 'unknown model')),
      reset,
      html(200),
    ];
    const count = 1_000;
    upstream.respondWith(
      ...Array.from({ length: count }, (_, index) => failures[index % failures.length] ?? reset),
    );
    let last: { readonly headers: Headers } | undefined;
    for (let at = 0; at < count; at += 20) {
      const batch = Array.from({ length: 20 }, (_, index) => call(`made-up-${at + index}-${Math.random()}`));
      for (const response of await Promise.all(batch)) {
        expect(response.status).toBeGreaterThanOrEqual(400);
        last = response;
      }
    }
    const record = await recordOf(last ?? { headers: new Headers() });
    // The record itself has the name.
    expect(record.requested_model).toMatch(/^made-up-9/);
    expect(await countsByModel()).toEqual(new Map([[null, count]]));
  });

  it('have the model of a failed call that is configured, in the preset, or known from another call', async () => {
    useOpenUpstream(['configured', '*']);
    await server.capture('own', { ...request, model: 'of-the-preset' });
    await recordOf(await call('known'));
    const before = await countsByModel();
    upstream.respondWith(...Array.from({ length: 4 }, () => upstreamError(503, 'down')));
    for (const model of ['known', 'configured', '@preset/own', 'unknown']) await recordOf(await call(model));
    const after = await countsByModel();
    const added = [...after].map(([model, count]) => [model, count - (before.get(model) ?? 0)] as const);
    expect(new Map(added.filter(([, count]) => count > 0))).toEqual(
      new Map([
        ['known', 1],
        ['configured', 1],
        ['of-the-preset', 1],
        [null, 1],
      ]),
    );
  });
});
