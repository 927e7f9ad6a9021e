import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { dialects, pathOf } from '../support/wire/recordings.ts';

/** What a proxy that reads the bytes before it otherwise would have taken for part of a body. */
const smuggled = `GET /api/v1/key HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
const length = smuggled.length;
const hex = length.toString(16);
const chunked = `${hex}\r\n${smuggled}\r\n0\r\n\r\n`;
const question = JSON.stringify({
  model: 'vendor/model',
  messages: [{ role: 'user', content: 'Rain?' }],
  input: 'Rain?',
});

/** Heads that two readers could take for different things, with what follows them. */
const ambiguous: Readonly<Record<string, readonly [head: string, rest: string]>> = {
  'a length and chunks': ['Content-Length: 4\r\nTransfer-Encoding: chunked', chunked],
  'chunks and a length': [`Transfer-Encoding: chunked\r\nContent-Length: ${length}`, `0\r\n\r\n${smuggled}`],
  'chunks and no length at all': ['Transfer-Encoding: chunked\r\nContent-Length: 0', `0\r\n\r\n${smuggled}`],
  'two lengths': [`Content-Length: 0\r\nContent-Length: ${length}`, smuggled],
  'the same length twice': [`Content-Length: ${length}\r\nContent-Length: ${length}`, smuggled],
  'two lengths in one': [`Content-Length: 0, ${length}`, smuggled],
  'a length with a sign': [`Content-Length: +${length}`, smuggled],
  'a length below nothing': ['Content-Length: -1', smuggled],
  'a length in hexadecimal': [`Content-Length: 0x${hex}`, smuggled],
  'a length with a blank inside': ['Content-Length: 1 0', smuggled],
  'a length that overflows': ['Content-Length: 18446744073709551616', smuggled],
  'a length before a blank and a colon': [`Content-Length : ${length}`, smuggled],
  'a coding that is not known': ['Transfer-Encoding: xchunked', chunked],
  'a coding before chunks': ['Transfer-Encoding: gzip, chunked', chunked],
  'a coding in a header before that of chunks': [
    'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked',
    chunked,
  ],
  'a coding before chunks, behind a thousand other headers': [
    `${'A: b\r\n'.repeat(1_000)}Transfer-Encoding: gzip, chunked`,
    chunked,
  ],
  'a coding before chunks, and something that is expected': [
    'Transfer-Encoding: gzip, chunked\r\nExpect: the-unexpected',
    chunked,
  ],
  'a coding after chunks': ['Transfer-Encoding: chunked, identity', chunked],
  'a coding that is empty': ['Transfer-Encoding:', chunked],
  'chunks of chunks': ['Transfer-Encoding: chunked, chunked', chunked],
  'two hosts': ['host: y\r\nContent-Length: 0', ''],
  'the same host twice': ['Host: x\r\nContent-Length: 0', ''],
  'a coding with a tab in it': ['Transfer-Encoding: \tchunked\tx', chunked],
  'a coding with a control character': ['Transfer-Encoding: \x0bchunked', chunked],
  'chunks twice': ['Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', chunked],
  'chunks before a blank and a colon': ['Transfer-Encoding : chunked', chunked],
  'a header that is folded': ['X-Folded: a\r\n Transfer-Encoding: chunked', chunked],
  'a coding that is folded': ['Transfer-Encoding:\r\n chunked', chunked],
  'a line feed alone': ['X-A: b\nTransfer-Encoding: chunked', chunked],
  'a carriage return alone': ['X-A: b\rTransfer-Encoding: chunked', chunked],
  'NUL in a header': ['X-A: b\0c', smuggled],
  'a line that is no header': ['no header', smuggled],
  'a header without a name': [': a', smuggled],
  'a size of a chunk in another form': ['Transfer-Encoding: chunked', `0x${hex}\r\n${smuggled}\r\n0\r\n\r\n`],
  'a size of a chunk with a sign': ['Transfer-Encoding: chunked', `-1\r\n${smuggled}\r\n0\r\n\r\n`],
  'a size of a chunk that overflows': ['Transfer-Encoding: chunked', `1${'0'.repeat(16)}\r\n${smuggled}`],
  'a chunk that is longer than it says': ['Transfer-Encoding: chunked', `1\r\n${smuggled}\r\n0\r\n\r\n`],
  'a chunk that ends in a line feed alone': ['Transfer-Encoding: chunked', `${hex}\n${smuggled}\n0\n\n`],
  'an extension of a chunk with a line feed': ['Transfer-Encoding: chunked', `1;a\nb\r\nx\r\n0\r\n\r\n`],
};

describe('a request that can be read in two ways', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  const exchange = async (bytes: string) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.from(bytes, 'latin1'));
    return answersIn(await text(socket));
  };
  const head = (path: string, lines: string, key = apiKey) =>
    `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n${lines}\r\n\r\n`;

  it.each(Object.entries(ambiguous))('is refused and ends the connection: %s', async (_, [lines, rest]) => {
    for (const [path, expected] of [
      ['/presets/x/responses', [400]],
      ['/chat/completions', [400]],
      // Refused before its body is looked at, where the head alone is in order.
      ['/no/such/route', expect.toBeOneOf([[400], [404]])],
    ] as const)
      expect([path, await exchange(head(path, lines) + rest)]).toEqual([path, expected]);
    expect(upstream.requests).toEqual([]);
  });

  it('is one of HTTP/1.0 in chunks, which that has not', async () => {
    for (const path of ['/presets/x/responses', '/chat/completions', '/no/such/route']) {
      const old = head(path, 'Transfer-Encoding: chunked\r\nConnection: keep-alive').replace('/1.1', '/1.0');
      expect([path, await exchange(old + chunked)]).toEqual([path, [400]]);
    }
  });

  it('ends the connection at once: what is asked after it is not done', async () => {
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

  it('is told what to change, in the shape of every error', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.end(head('/messages', 'Transfer-Encoding: gzip, chunked\r\nX-Request-Id: mine-1') + chunked);
    const [answered, body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(answered).toMatch(/^connection: close$/im);
    expect(answered).toMatch(/^x-request-id: mine-1$/im);
    expect(JSON.parse(body)).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('"chunked"') },
    });
    await expect.poll(() => server.log.join('')).toMatch(/"reqId":"mine-1".*"status":400/);
  });

  it('is not made of one that would rather speak otherwise: it is answered, and ends the connection', async () => {
    const upgrade = 'Connection: Upgrade\r\nUpgrade: websocket';
    for (const [request, status] of [
      [head('/chat/completions', `${upgrade}\r\nContent-Length: ${question.length}`) + question, 200],
      [head('/presets/x', upgrade).replace('POST', 'GET'), 404],
      [`GET /healthz HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n\r\n`, 200],
    ] as const)
      expect([request, await exchange(request + smuggled)]).toEqual([request, [status]]);
  });

  it('is never two: what stands in a body that was refused is not answered', async () => {
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
        // The last one is answered where the refusal did not end the connection.
        expect.toBeOneOf([[status], [status, 200]]),
      ]);
    const tooLong = await exchange(head('/presets/x/responses', 'Content-Length: 99999999') + smuggled);
    expect(tooLong).toEqual([413]);
  });

  it('does not break into an answer that is under way, which comes first', async () => {
    const endings: (() => void)[] = [];
    upstream.respondAlways(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"begun":true}\n\n');
      endings.push(() => response.end('data: [DONE]\n\n'));
    });
    const asked = JSON.stringify({ ...JSON.parse(question), stream: true });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(head('/chat/completions', `Content-Length: ${asked.length}`) + asked);
    let received = '';
    for await (const piece of socket) {
      received += piece;
      // In two pieces: each of them is told of as unreadable.
      if (received.includes('begun') && endings.length > 0) {
        socket.write('this is not HTTP\r\n\r\n');
        await delay(50);
        socket.write('nor is this\r\n\r\n');
        await delay(50);
        endings.pop()?.();
      }
    }
    expect(answersIn(received)).toEqual([200, 400]);
    expect(received.indexOf('[DONE]')).toBeLessThan(received.indexOf('HTTP/1.1 400'));
  });

  it('lets those be answered that came before it', async () => {
    const list = `GET /api/v1/presets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
    expect(await exchange(`${list}${list}this is not HTTP\r\n\r\n`)).toEqual([200, 200, 400]);
    const body = head('/presets/late/chat/completions', 'Transfer-Encoding: chunked');
    expect(await exchange(`${list}${body}not a chunk\r\n`)).toEqual([200, 400]);
    // Answered in one turn, so that the second waits for the first, and has no connection meanwhile.
    const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const preset = JSON.stringify({ model: 'm', messages: [{ role: 'system', content: 'Be brief.' }] });
    const create = head('/presets/stored/chat/completions', `Content-Length: ${preset.length}`) + preset;
    expect(await exchange(`${health}${create}this is not HTTP\r\n\r\n`)).toEqual([200, 200, 400]);
    const stranger = head('/presets/x/responses', 'Transfer-Encoding: chunked', 'a-wrong-key');
    expect(await exchange(`${health}${stranger}not a chunk\r\n`)).toEqual([200, 401]);
  });

  it('is not made on the way: an upstream gets one request with one length, whatever came', async () => {
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

function answersIn(received: string): readonly number[] {
  return [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}
