import { once } from 'node:events';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { openStream } from '../support/event-stream.ts';
import {
  compatible,
  type GatewayServer,
  startWithUpstream,
  upstreamKey,
  useUpstream,
} from '../support/gateway-server.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey } from '../support/server.ts';
import type { Script } from '../support/upstream-scripts.ts';
import {
  body,
  cut,
  echoHeaders,
  garbage,
  halfBody,
  html,
  json,
  redirect,
  reset,
  stream,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { completionText, dialects, recordingOf, recordings } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

describe('keys and headers', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  it.each(dialects)(
    "the client's key does not reach the upstream, which gets its own, in %s",
    async (dialect) => {
      for (const options of [
        { key: apiKey },
        { key: null, headers: { 'x-api-key': apiKey } },
        { key: apiKey, headers: { 'x-api-key': apiKey } },
        {
          key: apiKey,
          headers: {
            cookie: `key=${apiKey}`,
            'proxy-authorization': `Bearer ${apiKey}`,
            'api-key': apiKey,
            'x-goog-api-key': apiKey,
            'x-forwarded-authorization': apiKey,
            'x-anything': apiKey,
          },
        },
      ])
        expect((await server.call(question, { dialect, ...options })).status).toBe(200);
      expect(upstream.requests).toHaveLength(4);
      for (const { rawHeaders, headers, bytes } of upstream.requests) {
        expect(rawHeaders.join('\n')).not.toContain(apiKey);
        expect(bytes.includes(apiKey)).toBe(false);
        expect(rawHeaders.filter((text) => text.includes(upstreamKey))).toHaveLength(1);
        expect(headers.authorization).toBe(`Bearer ${upstreamKey}`);
        expect(headers.cookie).toBeUndefined();
      }
    },
  );

  it("the upstream's key is not returned in headers, even if the upstream echoes them", async () => {
    upstream.respondWith(echoHeaders);
    const response = await server.call(question, { headers: { 'x-title': 'Tests' } });
    expect(response.status).toBe(200);
    const headers = [...response.headers].flat().join('\n');
    expect(headers).not.toContain(upstreamKey);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('authorization')).toBeNull();
  });

  it.each([401, 403])("the upstream's key is redacted from its %i", async (status) => {
    upstream.respondAlways(
      upstreamError(status, `Incorrect API key provided: ${upstreamKey}. Find yours at …`),
    );
    for (const dialect of dialects) {
      const response = await server.call(question, { dialect });
      expect([...response.headers].flat().join('\n') + response.text).not.toContain(upstreamKey);
    }
  });

  it('configured header values are redacted if they look like secrets and clients cannot set them', async () => {
    const token = 'gateway-token-0451';
    server.useConfigFile(
      {
        upstreams: [
          compatible('other', upstream, {
            headers: {
              'cf-aig-authorization': `Bearer ${token}`,
              'x-pass': 'open/sesame',
              'x-team': 'weather',
              'x-provider': 'anthropic',
              'x-region': 'us-east-1',
              'anthropic-version': '2023-06-01',
            },
            dialects,
          }),
        ],
      },
      {},
    );
    const message = `No ${token} (Bearer ${token}) or open/sesame for weather of 2023-06-01`;
    upstream.respondAlways(
      upstreamError(403, message, { 'x-model': token, 'x-provider': 'open/sesame', 'request-id': 'weather' }),
    );
    for (const dialect of dialects) {
      const response = await server.call(question, { dialect });
      expect([response.status, response.body.error.message]).toEqual([
        403,
        'No … (Bearer …) or … for weather of 2023-06-01',
      ]);
      expect([...response.headers].flat().join('\n')).not.toMatch(/0451|sesame/);
      expect(response.headers.get('request-id')).toBe('weather');
    }
    upstream.respondAlways(body(200, `text/x-${token}`, 'no JSON'));
    expect((await server.call(question)).text).not.toContain(token);

    const limits = { 'anthropic-ratelimit-requests-remaining': '7', 'x-provider': 'us-east-1' };
    upstream.respondAlways(upstreamError(404, 'No anthropic/claude in us-east-1', limits));
    const plain = await server.call(question);
    expect(plain.body.error.message).toBe('No anthropic/claude in us-east-1');
    expect(Object.fromEntries(plain.headers)).toMatchObject(limits);
  });

  const escaped = (text: string) => `\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}`;
  it.each([
    ['a unicode escape', upstreamKey.replace('-', '\\u002d')],
    ['a unicode escape in capitals', upstreamKey.replace('-', '\\u002D')],
    ['nothing but escapes', [...upstreamKey].map(escaped).join('')],
    ['an escape inside quoted JSON', `{\\"key\\":\\"${upstreamKey.replace('-', '\\\\u002d')}\\"}`],
  ])("the upstream's key is redacted from errors that write it with %s", async (_title, spelled) => {
    const bodies = {
      detail: `{"detail":"bad key ${spelled}"}`,
      "OpenAI's error": `{"error":{"message":"Bad key ${spelled}","code":1e400},"${spelled}":[{"${spelled}":0}]}`,
      "Anthropic's error": `{"type":"error","error":{"type":"x","message":"Bad key ${spelled}","message":"Bad"}}`,
      text: `Bad key ${spelled}`,
      'truncated JSON': `{"error":{"message":"Bad key ${spelled}"`,
    };
    for (const [name, text] of Object.entries(bodies))
      for (const dialect of dialects) {
        upstream.respondWith(body(403, 'application/json', text));
        const response = await server.call(question, { dialect });
        expect([name, dialect, response.status]).toEqual([name, dialect, 403]);
        expect([name, dialect, decoded(response.text)]).toEqual([
          name,
          dialect,
          expect.not.stringContaining(upstreamKey),
        ]);
        expect(response.body).toBeDefined();
      }
  });

  it('errors in the format of the dialect keep their bytes if they contain no secret', async () => {
    const text =
      '{ "error" : {"message":"caf\\u00e9 \\/ 1","code":1.0,"n":12345678901234567890}, "error_id":"a" }';
    upstream.respondWith(body(403, 'application/json', text));
    expect((await server.call(question)).text).toBe(text);
    const spelled = upstreamKey.replace('-', '\\u002d');
    upstream.respondWith(body(403, 'application/json', text.replace('caf', spelled)));
    expect((await server.call(question)).text).toBe(text.replace('caf\\u00e9 \\/ 1', '…é / 1'));
  });

  it.each(dialects)(
    'error events and errors with status 200 are redacted, completions are not, in %s',
    async (dialect) => {
      const spelled = upstreamKey.replace('-', '\\u002d');
      const { stream: recordedStream, json: recordedJson } = recordingOf[dialect];
      const start = recordedStream.toString().replaceAll(completionText.slice(0, 3), `error ${spelled}`);
      expect(start).toContain(spelled);
      const errors = [
        `data: {"error":{"message":"Bad key ${spelled}"}}\n\n`,
        `event: error\r\ndata:{"type":"error","error":{"type":"x","message":"${upstreamKey}"},"message":"${spelled}"}\r\n\r\n`,
        `data: {"type":"response.failed","response":{"error":{"message":"${spelled}"}}}\n\n`,
        `event: error\ndata: Bad key ${upstreamKey}\n\ndata: [DONE]\n\n`,
      ];
      for (const error of errors) {
        upstream.respondWith(stream(start + error));
        const { text } = await server.call({ ...question, stream: true }, { dialect });
        expect(text.slice(0, start.length)).toBe(start);
        expect(decoded(text.slice(start.length))).not.toContain(upstreamKey);
        expect(text.slice(start.length)).toContain('…');
      }
      const whole = recordedJson.toString().replaceAll(completionText.slice(0, 3), `\\"error\\": ${spelled}`);
      expect(whole).toContain(spelled);
      upstream.respondWith(body(200, 'application/json', whole));
      expect((await server.call(question, { dialect })).text).toBe(whole);
      upstream.respondWith(body(200, 'application/json', `{"error":{"message":"Bad key ${spelled}"}}`));
      expect((await server.call(question, { dialect })).text).toBe('{"error":{"message":"Bad key …"}}');
    },
  );

  it("the upstream's key is removed from its content type, which is otherwise forwarded", async () => {
    const key = upstreamKey;
    for (const [type, text, shown] of [
      [`application/json; key=${key}`, '{}', 'application/json'],
      [`text/event-stream; key=${key}`, 'data: [DONE]\n\n', 'text/event-stream'],
      ['application/json; charset=utf-8', '{}', 'application/json; charset=utf-8'],
      ['application/vnd.api+json', '{}', 'application/vnd.api+json'],
    ] as const) {
      upstream.respondWith(body(200, type, text));
      const response = await server.call({ ...question, stream: true });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, shown]);
    }
  });

  it("a key that the upstream rejects returns 424, because 401 would blame the client's key", async () => {
    upstream.respondAlways(upstreamError(401, 'Invalid API key', { 'www-authenticate': 'Bearer' }));
    const response = await server.call(question);
    expect(response.status).toBe(424);
    expect(response.body.error).toMatchObject({
      code: 424,
      message: expect.stringContaining('OPENROUTER_API_KEY'),
    });
    expect(response.headers.get('www-authenticate')).toBeNull();
    const messages = await server.call(question, { dialect: 'messages' });
    expect([messages.status, messages.body.type, messages.body.error.type]).toEqual([
      424,
      'error',
      'api_error',
    ]);
  });

  it('a redirect is not followed, so that no key is sent elsewhere', async () => {
    const elsewhere = await startScriptedUpstream();
    for (const status of [301, 302, 303, 307, 308]) {
      upstream.respondWith(redirect(`${elsewhere.url}/chat/completions`, status));
      const response = await server.call(question);
      expect([status, response.status, response.headers.get('location')]).toEqual([status, 424, null]);
    }
    expect(elsewhere.requests).toEqual([]);
    expect(upstream.requests).toHaveLength(5);
    await elsewhere.stop();
  });

  it('Anthropic gets its key in x-api-key', async () => {
    server.useConfigFile(
      { upstreams: [{ name: 'claude', kind: 'anthropic', base_url: upstream.url }] },
      { ANTHROPIC_API_KEY: upstreamKey },
    );
    const headers = {
      'x-api-key': apiKey,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m',
    };
    const response = await server.call(question, { dialect: 'messages', key: null, headers });
    expect(response.status).toBe(200);
    const [received] = upstream.requests;
    expect(received?.headers).toMatchObject({
      'x-api-key': upstreamKey,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m',
    });
    expect(received?.headers.authorization).toBeUndefined();
    upstream.clear();
    await server.call(question, { dialect: 'messages' });
    expect(upstream.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('an upstream without api_key_env gets no key', async () => {
    server.useConfigFile({ upstreams: [compatible('local', upstream)] });
    expect((await server.call(question)).status).toBe(200);
    const [received] = upstream.requests;
    expect(received?.headers.authorization).toBeUndefined();
    expect(received?.rawHeaders.join('\n')).not.toContain(apiKey);
  });

  it('calls return 424 with the name of the variable if the key is not set; everything else works', async () => {
    server.useConfigFile({ upstreams: [{ name: 'router', kind: 'openrouter', base_url: upstream.url }] });
    await server.capture('weather', question);
    for (const dialect of dialects) {
      const response = await server.call({ ...question, model: '@preset/weather' }, { dialect });
      expect([response.status, response.text]).toEqual([424, expect.stringContaining('OPENROUTER_API_KEY')]);
      expect(response.headers.get('x-presetd-failure')).toBe('no-key');
    }
    expect((await server.get('/api/v1/presets/weather')).status).toBe(200);
    expect(upstream.requests).toEqual([]);
  });

  it('headers that OpenRouter supports are forwarded to it', async () => {
    const headers = {
      'http-referer': 'https://example.com',
      'x-title': 'Tests',
      'x-openrouter-title': 'Tests',
      'x-session-id': 'session-1',
    };
    await server.call(question, { headers });
    expect(upstream.requests[0]?.headers).toMatchObject(headers);
  });

  it('configured headers cannot be overridden by clients', async () => {
    const configured = {
      'anthropic-beta': 'of-the-operator',
      'anthropic-version': '2023-06-01',
      tracestate: 'a=1',
    };
    server.useConfigFile({ upstreams: [compatible('other', upstream, { headers: configured, dialects })] });
    const own = { 'anthropic-beta': 'mine', 'anthropic-version': '2099-01-01', tracestate: 'b=2' };
    for (const dialect of dialects) {
      upstream.clear();
      await server.call(question, { dialect, headers: { ...own, traceparent: 'mine' } });
      expect(upstream.requests[0]?.headers).toMatchObject({ ...configured, traceparent: 'mine' });
    }
  });

  it('hop-by-hop headers of the client are not forwarded', async () => {
    const own = {
      te: 'trailers',
      'keep-alive': 'timeout=9',
      'x-forwarded-for': '10.9.8.7',
      via: '1.1 proxy',
    };
    const sent = request(`${server.url}/api/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...own },
    }).end(JSON.stringify(question));
    const [response] = await once(sent, 'response');
    response.resume();
    const headers = upstream.requests[0]?.headers ?? {};
    for (const name of [...Object.keys(own), 'transfer-encoding', 'upgrade'])
      expect([name, headers[name]]).toEqual([name, undefined]);
    expect(headers.host).toBe(new URL(upstream.url).host);
  });

  it('response headers name the upstream and the overhead, and cannot be forged by the upstream', async () => {
    upstream.respondWith(
      json({ ok: true }, 200, {
        'x-generation-id': 'gen-1',
        'x-presetd-preset': 'forged@9',
        'x-presetd-upstream': 'forged',
        connection: 'close',
        'keep-alive': 'timeout=99',
      }),
    );
    const { headers } = await server.call(question, { headers: { 'x-request-id': 'mine-1' } });
    expect(headers.get('x-generation-id')).toMatch(/^gen-[0-9a-f]{32}$/);
    expect(headers.get('x-upstream-generation-id')).toBe('gen-1');
    expect(headers.get('x-presetd-upstream')).toBe('openrouter');
    expect(headers.get('x-presetd-preset')).toBeNull();
    expect(headers.get('x-presetd-fallbacks')).toBeNull();
    expect(headers.get('x-presetd-dropped-fields')).toBeNull();
    expect(headers.get('x-presetd-overhead-ms')).toMatch(/^\d+(\.\d+)?$/);
    expect(headers.get('x-request-id')).toBe('mine-1');
    expect(headers.get('keep-alive')).not.toBe('timeout=99');
  });

  it('only allow-listed headers of the upstream are returned', async () => {
    const dropped = {
      link: '</evil>; rel=preload',
      'reporting-endpoints': 'default="https://example.com/"',
      'content-security-policy-report-only': "default-src 'none'",
      'service-worker-allowed': '/',
      'timing-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'set-login': 'logged-in',
      'access-control-allow-origin': '*',
      'set-cookie': 'a=b',
      'set-cookie2': 'a=b',
      'www-authenticate': 'Bearer',
      'authentication-info': 'a=b',
      'proxy-authenticate': 'Basic',
      'proxy-authentication-info': 'a=b',
      'openai-organization': 'acme',
      'x-presetd-anything': 'forged',
      'x-not-invented-yet': '1',
    };
    const returned = {
      'retry-after': '3',
      'retry-after-ms': '2500',
      'x-should-retry': 'true',
      'x-ratelimit-remaining-tokens': '7',
      'anthropic-ratelimit-requests-remaining': '8',
      'ratelimit-policy': '"default";q=100',
      'request-id': 'req_1',
      'cf-ray': '9d',
      'openai-processing-ms': '17',
      'openai-model': 'gpt-5',
      'x-openrouter-provider': 'acme',
      'x-model': 'a',
      'x-provider': 'b',
    };
    const replaced = { 'x-content-type-options': '', 'x-request-id': 'upstream-1' };
    const sent = { ...dropped, ...returned, ...replaced };
    const scripts = [json({ ok: true }, 200, sent), upstreamError(403, 'No', sent), streamWith(sent)];
    for (const script of scripts) {
      upstream.respondWith(script);
      const { headers } = await server.call(question, { headers: { 'x-request-id': 'mine-1' } });
      for (const name of Object.keys(dropped)) expect([name, headers.get(name)]).toEqual([name, null]);
      expect(Object.fromEntries(headers)).toMatchObject({
        ...returned,
        'x-request-id': 'mine-1',
        'x-content-type-options': 'nosniff',
        'x-upstream-request-id': 'upstream-1',
      });
    }
  });

  it('headers that the upstream lists in Connection are not returned', async () => {
    const sent = {
      connection: 'keep-alive, Request-Id,x-model , X-Request-Id',
      'request-id': 'a',
      'x-model': 'b',
      'x-request-id': 'upstream-1',
      'x-provider': 'c',
    };
    for (const script of [json({ ok: true }, 200, sent), upstreamError(403, 'No', sent)]) {
      upstream.respondWith(script);
      const { headers } = await server.call(question);
      for (const name of ['request-id', 'x-model', 'x-upstream-request-id'])
        expect([name, headers.get(name)]).toEqual([name, null]);
      expect(headers.get('x-provider')).toBe('c');
    }
  });

  it('rate limit headers of the upstream are returned', async () => {
    upstream.respondWith(
      upstreamError(429, 'Slow down', { 'retry-after': '7', 'x-ratelimit-remaining': '0' }),
    );
    const { status, headers } = await server.call(question);
    expect([status, headers.get('retry-after'), headers.get('x-ratelimit-remaining')]).toEqual([
      429,
      '7',
      '0',
    ]);
  });
});

/** Decodes every unicode escape, including those of JSON inside a string. */
function decoded(text: string): string {
  const character = (_: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  return text.replaceAll(/\\+u([0-9a-f]{4})/gi, character);
}

function streamWith(headers: OutgoingHttpHeaders): Script {
  return body(200, 'text/event-stream', 'data: [DONE]\n\n', headers);
}

describe('logs', () => {
  it('never contain prompts, completions or keys', async () => {
    const upstream = await startScriptedUpstream();
    const server = await startWithUpstream(upstream);
    const prompt = 'prompt-text-that-must-not-be-logged';
    const system = 'system-text-that-must-not-be-logged';
    const completion = 'completion-text-that-must-not-be-logged';
    const call = { model: '@preset/secret', messages: [{ role: 'user', content: prompt }], input: prompt };
    await server.capture('secret', {
      model: 'vendor/model',
      messages: [{ role: 'system', content: system }],
    });
    const { stream: recorded, json: recordedJson } = recordings['openai-chat'];
    const replaced = (bytes: Buffer) => Buffer.from(bytes.toString().replaceAll('Regen', completion));
    const scripts = [
      body(200, 'application/json', replaced(recordedJson)),
      upstreamError(400, `Cannot read ${prompt}: ${completion} ${upstreamKey}`),
      upstreamError(401, `Incorrect key ${upstreamKey}`),
      upstreamError(500, `${prompt} ${completion}`),
      body(200, 'text/html', completion),
      body(200, 'application/json', `{"half": "${completion}`),
      halfBody(replaced(recordedJson)),
      html(502),
      garbage,
      reset,
      redirect(`http://127.0.0.1:1/${completion}`),
      ({ socket }: { socket: { end(text: string): void } }) => socket.end(`${completion} is no HTTP\r\n\r\n`),
    ];
    for (const script of scripts) {
      for (const dialect of dialects) {
        upstream.clear();
        upstream.respondAlways(script);
        await server.call(call, { dialect }).catch(() => undefined);
      }
    }
    for (const dialect of dialects) {
      upstream.clear();
      const sent = replaced(recordingOf[dialect].stream);
      upstream.respondWith(cut(sent.subarray(0, sent.length / 2)));
      await (await openStream(server, dialect, call)).end();
    }
    expect(recorded.includes('Regen')).toBe(true);
    await server.call(`{"model": "${prompt}`);
    await server.call({ ...call, model: `@preset/${prompt}` });
    await server.call(call, { key: 'a-key-that-must-not-be-logged' });
    await server.call(call, { headers: { 'x-presetd-dry-run': 'true' } });
    await server.stop();
    await upstream.stop();
    const log = server.log.join('');
    expect(server.log.length).toBeGreaterThan(scripts.length * 3);
    for (const secret of [
      prompt,
      system,
      completion,
      completionText,
      apiKey,
      managementKey,
      upstreamKey,
      'a-key-that',
    ])
      expect([secret, log.includes(secret)]).toEqual([secret, false]);
  });
});
