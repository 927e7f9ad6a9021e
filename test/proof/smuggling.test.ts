import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

/** A request that a proxy with a different reading of the head would take for part of the body. */
const smuggled = `GET /api/v1/key HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
const length = smuggled.length;
const hex = length.toString(16);
const chunked = `${hex}\r\n${smuggled}\r\n0\r\n\r\n`;
const question = JSON.stringify({
  model: 'vendor/model',
  messages: [{ role: 'user', content: 'Rain?' }],
  input: 'Rain?',
});

/** Headers that two HTTP parsers could read differently, and the bytes after the head. */
const ambiguous: Readonly<Record<string, readonly [head: string, rest: string]>> = {
  'a length, then chunked': ['Content-Length: 4\r\nTransfer-Encoding: chunked', chunked],
  'chunked, then a length': [
    `Transfer-Encoding: chunked\r\nContent-Length: ${length}`,
    `0\r\n\r\n${smuggled}`,
  ],
  'chunked, then a length of zero': [
    'Transfer-Encoding: chunked\r\nContent-Length: 0',
    `0\r\n\r\n${smuggled}`,
  ],
  'two lengths': [`Content-Length: 0\r\nContent-Length: ${length}`, smuggled],
  'the same length twice': [`Content-Length: ${length}\r\nContent-Length: ${length}`, smuggled],
  'two lengths in one header': [`Content-Length: 0, ${length}`, smuggled],
  'a length with a sign': [`Content-Length: +${length}`, smuggled],
  'a negative length': ['Content-Length: -1', smuggled],
  'a length in hexadecimal': [`Content-Length: 0x${hex}`, smuggled],
  'a length with a space inside': ['Content-Length: 1 0', smuggled],
  'a length that overflows': ['Content-Length: 18446744073709551616', smuggled],
  'a length with a space before the colon': [`Content-Length : ${length}`, smuggled],
  'an unknown transfer coding': ['Transfer-Encoding: xchunked', chunked],
  'another coding before chunked': ['Transfer-Encoding: gzip, chunked', chunked],
  'another coding in a separate header before chunked': [
    'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
    chunked,
  ],
  'another coding before chunked, after a thousand other headers': [
    `${'A: b\r\n'.repeat(1_000)}Transfer-Encoding: gzip, chunked`,
    chunked,
  ],
  'another coding before chunked, and an Expect header': [
    'Transfer-Encoding: gzip, chunked\r\nExpect: the-unexpected',
    chunked,
  ],
  'another coding after chunked': ['Transfer-Encoding: chunked, identity', chunked],
  'an empty transfer coding': ['Transfer-Encoding:', chunked],
  'chunked twice in one header': ['Transfer-Encoding: chunked, chunked', chunked],
  'two hosts': ['host: y\r\nContent-Length: 0', ''],
  'the same host twice': ['Host: x\r\nContent-Length: 0', ''],
  'a transfer coding with a tab in it': ['Transfer-Encoding: \tchunked\tx', chunked],
  'a transfer coding with a control character': ['Transfer-Encoding: \x0bchunked', chunked],
  'chunked, then identity in a separate header': [
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
    chunked,
  ],
  'chunked with a space before the colon': ['Transfer-Encoding : chunked', chunked],
  'a folded header': ['X-Folded: a\r\n Transfer-Encoding: chunked', chunked],
  'a folded transfer coding': ['Transfer-Encoding:\r\n chunked', chunked],
  'a bare line feed': ['X-A: b\nTransfer-Encoding: chunked', chunked],
  'a bare carriage return': ['X-A: b\rTransfer-Encoding: chunked', chunked],
  'a NUL in a header': ['X-A: b\0c', smuggled],
  'a line that is not a header': ['no header', smuggled],
  'a header without a name': [': a', smuggled],
  'a chunk size with a 0x prefix': ['Transfer-Encoding: chunked', `0x${hex}\r\n${smuggled}\r\n0\r\n\r\n`],
  'a chunk size with a sign': ['Transfer-Encoding: chunked', `-1\r\n${smuggled}\r\n0\r\n\r\n`],
  'a chunk size that overflows': ['Transfer-Encoding: chunked', `1${'0'.repeat(16)}\r\n${smuggled}`],
  'a chunk longer than its size': ['Transfer-Encoding: chunked', `1\r\n${smuggled}\r\n0\r\n\r\n`],
  'chunks that end in a bare line feed': ['Transfer-Encoding: chunked', `${hex}\n${smuggled}\n0\n\n`],
  'a chunk extension with a line feed': ['Transfer-Encoding: chunked', `1;a\nb\r\nx\r\n0\r\n\r\n`],
};

describe('the HTTP server', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  const exchange = async (bytes: string) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.from(bytes, 'latin1'));
    return statusesIn(await text(socket));
  };
  const head = (path: string, lines: string, key = apiKey) =>
    `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${lines}\r\n\r\n`;

  it.each(Object.entries(ambiguous))(
    'rejects an ambiguous request and closes its connection: %s',
    async (_, [lines, rest]) => {
      for (const [path, expected] of [
        ['/presets/x/responses', [400]],
        ['/chat/completions', [400]],
        // 404 if the head alone is valid: the body is not parsed.
        ['/no/such/route', expect.toBeOneOf([[400], [404]])],
      ] as const)
        expect([path, await exchange(head(path, lines) + rest)]).toEqual([path, expected]);
      expect(upstream.requests).toEqual([]);
    },
  );

  it('rejects a chunked body in HTTP/1.0, which has no chunks', async () => {
    for (const path of ['/presets/x/responses', '/chat/completions', '/no/such/route']) {
      const old = head(path, 'Transfer-Encoding: chunked\r\nConnection: keep-alive').replace('/1.1', '/1.0');
      expect([path, await exchange(old + chunked)]).toEqual([path, [400]]);
    }
  });

  it('executes no request that follows an ambiguous one on its connection', async () => {
    const preset = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] });
    const create = (slug: string, lines = '') =>
      head(`/presets/${slug}/chat/completions`, `${lines}Content-Length: ${preset.length}`) + preset;
    for (const bytes of [
      head('/presets/x/responses', 'Transfer-Encoding: gzip, chunked') + chunked + create('after'),
      create('before') + create('at', 'Host: y\r\n') + create('after'),
    ])
      expect((await exchange(bytes)).at(-1)).toBe(400);
    expect((await server.get('/api/v1/presets/before')).status).toBe(200);
    for (const slug of ['at', 'after'])
      expect([slug, (await server.get(`/api/v1/presets/${slug}`)).status]).toEqual([slug, 404]);
  });

  it('explains an ambiguous request in the usual error format', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.end(head('/messages', 'Transfer-Encoding: gzip, chunked\r\nX-Request-Id: mine-1') + chunked);
    const [responseHead, body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(responseHead).toMatch(/^connection: close$/im);
    expect(responseHead).toMatch(/^x-request-id: mine-1$/im);
    expect(JSON.parse(body)).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('"chunked"') },
    });
    await expect.poll(() => server.log.join('')).toMatch(/"reqId":"mine-1".*"status":400/);
  });

  it('responds to an upgrade request as if it had no Upgrade header, and closes the connection', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket';
    for (const [request, status] of [
      [head('/chat/completions', `${upgrade}\r\nContent-Length: ${question.length}`) + question, 200],
      [head('/presets/x', upgrade).replace('POST', 'GET'), 404],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`, 200],
    ] as const)
      expect([request, await exchange(request + smuggled)]).toEqual([request, [status]]);
  });

  it('never responds to a request inside the body of a rejected one', async () => {
    const last = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const body = `Content-Length: ${length}`;
    for (const [request, status] of [
      [head('/presets/x/responses', body, 'a-wrong-key'), 401],
      [head('/chat/completions', body, 'a-wrong-key'), 401],
      [head('/no/such/route', body), 404],
      [head('/presets/x/responses', body), 400],
      [head('/chat/completions', body), 400],
      [head('/presets/x/responses', body).replace('application/json', 'text/plain'), 415],
      [head('/presets/x', body).replace('POST', 'GET'), 404],
      [head('/key', body).replace('POST', 'GET'), 200],
    ] as const)
      expect([request, await exchange(request + smuggled + last)]).toEqual([
        request,
        // If the rejection does not close the connection, the last request gets its response.
        expect.toBeOneOf([[status], [status, 200]]),
      ]);
    const tooLarge = await exchange(head('/presets/x/responses', 'Content-Length: 99999999') + smuggled);
    expect(tooLarge).toEqual([413]);
  });

  it('finishes a streaming response before it rejects garbage on the same connection', async () => {
    const endings: (() => void)[] = [];
    upstream.respondAlways(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"begun":true}\n\n');
      endings.push(() => response.end('data: [DONE]\n\n'));
    });
    const streamed = JSON.stringify({ ...JSON.parse(question), stream: true });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(head('/chat/completions', `Content-Length: ${streamed.length}`) + streamed);
    let received = '';
    for await (const chunk of socket) {
      received += chunk;
      // Two writes: each one triggers a parser error.
      if (received.includes('begun') && endings.length > 0) {
        socket.write('this is not HTTP\r\n\r\n');
        await delay(50);
        socket.write('nor is this\r\n\r\n');
        await delay(50);
        endings.pop()?.();
      }
    }
    expect(statusesIn(received)).toEqual([200, 400]);
    expect(received.indexOf('[DONE]')).toBeLessThan(received.indexOf('HTTP/1.1 400'));
  });

  it('responds to all requests that came before an invalid one', async () => {
    const list = `GET /api/v1/presets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
    expect(await exchange(`${list}${list}this is not HTTP\r\n\r\n`)).toEqual([200, 200, 400]);
    const body = head('/presets/late/chat/completions', 'Transfer-Encoding: chunked');
    expect(await exchange(`${list}${body}not a chunk\r\n`)).toEqual([200, 400]);
    // Both arrive in one event-loop tick: the second one waits for the first.
    const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const preset = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] });
    const create = head('/presets/stored/chat/completions', `Content-Length: ${preset.length}`) + preset;
    expect(await exchange(`${health}${create}this is not HTTP\r\n\r\n`)).toEqual([200, 200, 400]);
    const unauthenticated = head('/presets/x/responses', 'Transfer-Encoding: chunked', 'a-wrong-key');
    // It was still waiting for its turn, so nobody has looked at its key.
    expect(await exchange(`${health}${unauthenticated}not a chunk\r\n`)).toEqual([200, 400]);
  });

  it('sends an upstream exactly one request with one length', async () => {
    const inBody = JSON.stringify({ ...JSON.parse(question), user: `0\r\n\r\n${smuggled}` });
    const [first, second] = [inBody.slice(0, 9), inBody.slice(9)];
    const chunks = `9;ext=1\r\n${first}\r\n${second.length.toString(16)};a="b"\r\n${second}\r\n0\r\nX-Trailer: 1\r\n\r\n`;
    for (const dialect of dialects) {
      for (const [lines, sent] of [
        ['Transfer-Encoding: chunked\r\nConnection: close', chunks],
        [`Content-Length: ${inBody.length}\r\nConnection: close, X-Title\r\nX-Title: a`, inBody],
      ] as const) {
        upstream.clear();
        expect(await exchange(head(pathOf[dialect], lines) + sent)).toEqual([200]);
        const [received, ...others] = upstream.requests;
        expect(others).toEqual([]);
        expect(received?.headers['content-length']).toBe(String(received?.bytes.length));
        expect(received?.headers['transfer-encoding']).toBeUndefined();
        expect(received?.headers['x-trailer']).toBeUndefined();
        expect(received?.body.user).toBe(`0\r\n\r\n${smuggled}`);
      }
    }
  });
});

function statusesIn(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
