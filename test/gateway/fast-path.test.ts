import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { type CallOptions, type GatewayServer, startWithUpstream } from '../support/gateway-server.ts';
import { makeKey, makeWorkspace } from '../support/organizations.ts';
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey, managementKey, type TestResponse } from '../support/server.ts';
import type { Script } from '../support/upstream-scripts.ts';
import {
  cut,
  garbage,
  halfBody,
  html,
  json,
  reset,
  respondInDialect,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { dialects, pathOf, recordingOf } from '../support/wire/recordings.ts';

const question = { model: '@preset/weather', messages: [{ role: 'user', content: 'Will it rain?' }] };

const draft = { dialect: 'messages', request: { model: 'vendor/draft', max_tokens: 9, messages: [] } };

// Plain calls bypass the framework on the fast path. A charset in the content type, for example,
// forces the regular route.
const contentTypes = { fast: 'application/json', regular: 'application/json; charset=utf-8' };

/** No two responses have the same values of these. */
const ownHeaders = new Set(['x-presetd-overhead-ms', 'x-generation-id']);

describe('the fast path and the regular route', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  beforeAll(async () => {
    upstream = await startScriptedUpstream();
    server = await startWithUpstream(upstream);
    await server.capture(
      'weather',
      { model: 'vendor/model', stop: ['END'], messages: [], temperature: 0.5 },
      'responses',
    );
    await server.capture('off', { model: 'vendor/model' }, 'responses');
    await server.send('PATCH', '/api/v1/presets/off', { status: 'disabled' });
  });
  beforeEach(() => upstream.clear());
  afterAll(async () => {
    await upstream.stop();
    await server.stop();
  });

  interface Case extends CallOptions {
    readonly body?: string | Record<string, unknown>;
    readonly script?: (dialect: Dialect) => Script;
  }

  it.each<[string, Case]>([
    ['a plain response', {}],
    ['a stream', { body: { ...question, stream: true } }],
    [
      'a stream that breaks off',
      {
        body: { ...question, stream: true },
        script: (dialect) => cut(recordingOf[dialect].stream.subarray(0, 700)),
      },
    ],
    ['a call without a preset', { body: { ...question, model: 'vendor/model' } }],
    ['a dry run', { headers: { 'x-presetd-dry-run': 'true' } }],
    ['a malformed dry run', { headers: { 'x-presetd-dry-run': 'yes' } }],
    ['an unknown preset', { body: { ...question, model: '@preset/none' } }],
    ['an unknown version', { body: { ...question, model: '@preset/weather@9' } }],
    ['a disabled preset', { body: { ...question, model: '@preset/off' } }],
    ['a draft', { body: { ...question, presetd: { draft } } }],
    ['a streamed draft', { body: { ...question, stream: true, presetd: { draft } } }],
    ['an invalid draft', { body: { ...question, presetd: { draft: { dialect: 'responses' } } } }],
    ['an invalid reference', { body: { ...question, preset: 7 } }],
    ['malformed JSON', { body: '{"model":' }],
    ['a list', { body: '[]' }],
    ['a duplicate key', { body: '{"model":"a","model":"b"}' }],
    ['a key in another case', { body: { ...question, Model: 'vendor/model' } }],
    ['a management key', { key: managementKey }],
    ['an unknown key', { key: 'not-a-key' }],
    ['no key', { key: null }],
    ['a key in x-api-key', { key: null, headers: { 'x-api-key': apiKey } }],
    ['a compressed body', { headers: { 'content-encoding': 'gzip' } }],
    ['an error of the upstream', { script: () => upstreamError(429, 'Slow down', { 'retry-after': '3' }) }],
    ['a key that the upstream rejects', { script: () => upstreamError(401, 'Wrong key') }],
    ['an HTML page', { script: () => html(200) }],
    ['garbage', { script: () => garbage }],
    ['a reset', { script: () => reset }],
    ['an unusual error of the upstream', { script: () => json({ detail: 'Odd' }, 418) }],
    ['a request id of the client', { headers: { 'x-request-id': 'mine-7' } }],
  ])('respond identically to %s', async (_title, { body = question, script, ...options }) => {
    for (const dialect of dialects) {
      const responses: unknown[] = [];
      for (const type of Object.values(contentTypes)) {
        upstream.clear();
        upstream.respondAlways(script?.(dialect) ?? respondInDialect);
        const headers = { 'x-request-id': 'same', ...options.headers, 'content-type': type };
        const response = await server.call(body, { ...options, dialect, headers });
        responses.push({
          ...comparable(response),
          sent: upstream.requests.map(({ bytes }) => bytes.toString()),
        });
      }
      expect([dialect, responses[0]]).toEqual([dialect, responses[1]]);
    }
  });

  /** Removes what differs between any two responses. */
  function comparable({ status, headers, text: body }: TestResponse): object {
    const names = [...headers.keys()].filter((name) => !['date', 'keep-alive', 'connection'].includes(name));
    return {
      status,
      body,
      headers: Object.fromEntries(
        names.map((name) => [name, ownHeaders.has(name) ? 'some' : headers.get(name)]),
      ),
    };
  }

  it('log calls with preset and upstream', async () => {
    for (const type of Object.values(contentTypes)) {
      const before = server.log.length;
      await server.call(question, { headers: { 'content-type': type, 'x-request-id': 'logged-1' } });
      await expect.poll(() => server.log.slice(before).join('')).toContain('logged-1');
      const line = JSON.parse(server.log.slice(before).find((each) => each.includes('logged-1')) ?? '');
      expect(line).toMatchObject({
        msg: 'request',
        method: 'POST',
        route: '/api/v1/chat/completions',
        status: 200,
        preset: 'weather@1',
        upstream: 'openrouter',
      });
    }
  });

  it('share the rate limit', async () => {
    const limited = await startWithUpstream(upstream, { PRESETD_RATE_LIMIT: '4' });
    const model = 'vendor/model';
    const statuses: number[] = [];
    for (const type of [
      contentTypes.fast,
      contentTypes.regular,
      contentTypes.fast,
      contentTypes.regular,
      contentTypes.fast,
      contentTypes.regular,
    ]) {
      const response = await limited.call(
        { model },
        { headers: { 'content-type': type }, dialect: 'messages' },
      );
      statuses.push(response.status);
      if (response.status === 429) {
        expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
        expect(response.body).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
      }
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    await limited.stop();
  });

  it('accept chunked bodies and Expect: 100-continue', async () => {
    const body = JSON.stringify(question);
    const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const chunked = begin(apiKey, { 'transfer-encoding': 'chunked' });
    chunked.write(chunks);
    expect(await text(chunked)).toMatch(/^HTTP\/1\.1 200 /);
    const waiting = begin(apiKey, { 'content-length': body.length, expect: '100-continue' });
    const [interim] = await once(waiting, 'data');
    expect(String(interim)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    waiting.write(body);
    expect(await text(waiting)).toMatch(/^HTTP\/1\.1 200 /);
    expect(upstream.requests.map(({ body: { model } }) => model)).toEqual(['vendor/model', 'vendor/model']);
  });

  it('respond to pipelined calls in order', async () => {
    const socket = begin(apiKey, {}, '');
    for (const [index, type] of [
      contentTypes.fast,
      contentTypes.regular,
      contentTypes.fast,
      contentTypes.regular,
    ].entries()) {
      const body = JSON.stringify({ ...question, user: String(index) });
      const last = index === 3 ? 'connection: close\r\n' : '';
      socket.write(
        `POST /api/v1/chat/completions HTTP/1.1\r\nhost: x\r\n${last}authorization: Bearer ${apiKey}\r\n` +
          `x-request-id: of-${index}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    }
    const responses = await text(socket);
    expect([...responses.matchAll(/^x-request-id: (.*)\r$/gim)].map(([, id]) => id)).toEqual([
      'of-0',
      'of-1',
      'of-2',
      'of-3',
    ]);
    expect(responses.match(/HTTP\/1\.1 200 /g)).toHaveLength(4);
  });

  /** The response to a call whose key is changed while its body arrives. */
  async function callWhile(
    type: string,
    change: Record<string, unknown>,
    isUsedAgain = false,
  ): Promise<string> {
    const { secret, id } = await makeKey(server);
    const body = JSON.stringify(question);
    // Caches the key.
    expect((await server.call(question, { key: secret })).status).toBe(200);
    upstream.clear();
    const socket = begin(secret, { 'content-length': body.length, 'content-type': type });
    await new Promise<unknown>((written) => socket.write(body.slice(0, -1), written));
    // The server has read the body so far by the time it responds to a later request.
    await server.get('/healthz');
    // A body that arrives within 100 ms does not cause the key to be checked again.
    await delay(300);
    const changed = await server.send('PATCH', `/api/v1/keys/${id}`, change, { key: managementKey });
    expect(changed.status).toBe(200);
    // Caches the changed key, so that the call does not wait for it.
    if (isUsedAgain) expect((await server.get('/api/v1/key', { key: secret })).status).toBe(200);
    socket.write(body.slice(-1));
    return text(socket);
  }

  it.each(Object.entries(contentTypes))(
    'do not send a call whose key is disabled while its body arrives: %s',
    async (_path, type) => {
      expect(await callWhile(type, { disabled: true })).toMatch(/^HTTP\/1\.1 401 /);
      expect(upstream.requests).toEqual([]);
    },
  );

  it.each(Object.entries(contentTypes))(
    'a call whose key is moved while its body arrives does not use a preset of the old workspace: %s',
    async (path, type) => {
      const workspace = await makeWorkspace(server, `without-presets-${path}`);
      for (const isUsedAgain of [false, true]) {
        const response = await callWhile(type, { workspace_id: workspace }, isUsedAgain);
        expect([isUsedAgain, response]).toEqual([isUsedAgain, expect.stringMatching(/^HTTP\/1\.1 404 /)]);
        expect(upstream.requests).toEqual([]);
      }
    },
  );

  it.each(Object.entries(contentTypes))(
    'do not send a call whose client disconnects before its body is complete: %s',
    async (_path, type) => {
      const before = server.log.length;
      const socket = begin(apiKey, {
        'content-length': 1_000,
        'content-type': type,
        'x-request-id': 'left-1',
      });
      socket.write('{"model":');
      await server.get('/healthz');
      socket.destroy();
      expect((await server.call(question)).status).toBe(200);
      expect(upstream.requests).toHaveLength(1);
      await expect.poll(() => server.log.slice(before).join('')).toContain('left-1');
    },
  );

  it('do not present a truncated body as complete', async () => {
    for (const type of Object.values(contentTypes)) {
      const large = Buffer.from(JSON.stringify({ choices: 'x'.repeat(3_000_000) }));
      upstream.respondWith(halfBody(large));
      const outcome = await server.call(question, { headers: { 'content-type': type } }).then(
        ({ status }) => status,
        () => 'disconnected',
      );
      expect(outcome).toBe('disconnected');
    }
  });

  /** Sends the head of a request; the test sends the rest. */
  function begin(
    key: string,
    headers: Record<string, string | number>,
    path = pathOf['chat-completions'],
  ): Socket {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    if (path === '') return socket;
    const all = { host: 'x', connection: 'close', 'content-type': contentTypes.fast, ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /api/v1${path} HTTP/1.1\r\nauthorization: Bearer ${key}\r\n${lines.join('')}\r\n`);
    return socket;
  }
});
