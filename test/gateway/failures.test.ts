import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/preset.ts';
import { compatible, type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { Script, ScriptedUpstream } from '../support/scripted-upstream.ts';
import type { TestResponse } from '../support/server.ts';
import { startStubServer } from '../support/stub-server.ts';
import {
  body,
  garbage,
  halfBody,
  halfHeaders,
  html,
  json,
  reset,
  upstreamError,
} from '../support/upstream-scripts.ts';
import { dialects, recordingOf } from '../support/wire/recordings.ts';

const question = { model: 'vendor/model', messages: [{ role: 'user', content: 'Will it rain?' }] };

describe('an upstream', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  it.each([400, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 524, 529])(
    'that refuses with %i is repeated: its status and its words, in the shape of the dialect',
    async (status) => {
      for (const dialect of dialects) {
        for (const stream of [false, true]) {
          upstream.respondWith(upstreamError(status, `Told with ${status}`));
          const answer = await server.call({ ...question, stream }, { dialect });
          expect([dialect, answer.status, messageOf(answer, dialect)]).toEqual([
            dialect,
            status,
            expect.stringContaining(`Told with ${status}`),
          ]);
        }
      }
    },
  );

  it.each<[string, unknown]>([
    [
      'OpenAI',
      { error: { message: 'Its words', type: 'invalid_request_error', param: 'messages', code: null } },
    ],
    ['OpenRouter', { error: { code: 400, message: 'Its words', metadata: { raw: 'x' } }, user_id: 'user_1' }],
    [
      'Anthropic',
      { type: 'error', error: { type: 'invalid_request_error', message: 'Its words' }, request_id: 'r' },
    ],
    ['vLLM', { object: 'error', message: 'Its words', type: 'BadRequestError', param: null, code: 400 }],
    ['FastAPI', { detail: 'Its words' }],
  ])('that words its errors as %s does is understood in every dialect', async (_vendor, value) => {
    for (const dialect of dialects) {
      upstream.respondWith(json(value, 400));
      const answer = await server.call(question, { dialect });
      expect([answer.status, messageOf(answer, dialect)]).toEqual([
        400,
        expect.stringContaining('Its words'),
      ]);
    }
  });

  it('whose error has the shape of the dialect already is repeated to the byte', async () => {
    const chat = '{"error": {"message": "Its words", "code": 400, "extra": 1.0}}';
    const messages = '{"type": "error", "error": {"type": "x_error", "message": "Its words"}, "extra": 1.0}';
    upstream.respondWith(body(400, 'application/json', chat), body(400, 'application/json', messages));
    expect((await server.call(question)).text).toBe(chat);
    expect((await server.call(question, { dialect: 'messages' })).text).toBe(messages);
  });

  it.each<[string, Script, number]>([
    ['answers a page of HTML with 200', html(200), 502],
    ['answers a page of HTML with 502', html(502), 502],
    ['answers a page of HTML with 404', html(404), 404],
    ['answers text with 500', body(500, 'text/plain', 'Internal Server Error'), 500],
    ['answers nothing with 500', body(500, 'application/json', ''), 500],
    ['answers nothing with 200', body(200, 'application/json', ''), 502],
    ['answers half a JSON, and all of what it promised', body(200, 'application/json', '{"choices":['), 502],
    ['answers what is no HTTP', garbage, 502],
    ['resets the connection', reset, 502],
    ['hangs up', ({ socket }) => socket.destroy(), 502],
    ['hangs up in the middle of its headers', halfHeaders, 502],
  ])('that %s is told of in the shape of the dialect', async (_title, script, status) => {
    for (const dialect of dialects) {
      upstream.respondWith(script);
      const answer = await server.call(question, { dialect });
      expect([dialect, answer.status, messageOf(answer, dialect)]).toEqual([
        dialect,
        status,
        expect.stringMatching(/.{10}/),
      ]);
      expect(answer.text).not.toContain('<html>');
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  it.each(dialects)(
    'that hangs up in the middle of an answer is never taken for done, in %s',
    async (dialect) => {
      upstream.respondWith(halfBody(recordingOf[dialect].json));
      const outcome = await server.call(question, { dialect }).then(
        ({ status }) => status,
        () => 'broken off',
      );
      expect([502, 'broken off']).toContain(outcome);
    },
  );

  it.each([
    ['half a mebibyte', 524_288, 502],
    ['almost a mebibyte', 1_000_000, 502],
    ['more than a mebibyte', 1_200_000, 'broken off'],
  ])(
    'that hangs up after %s of an answer is an error as long as nothing was passed on',
    async (_size, bytes, outcome) => {
      upstream.respondWith(halfBody(Buffer.from(JSON.stringify({ choices: 'x'.repeat(2 * bytes) }))));
      const seen = await server.call(question).then(
        ({ status }) => status,
        () => 'broken off',
      );
      expect(seen).toBe(outcome);
    },
  );

  it('that fails leaves presetd as it was', async () => {
    for (const script of [garbage, reset, halfHeaders, html(200), upstreamError(500, 'Oops')]) {
      upstream.respondWith(script);
      await server.call(question);
      expect((await server.call(question)).status).toBe(200);
    }
  });

  it('that answers before it has read a large request is heard', async () => {
    const hasty = await startStubServer((_request, response) => {
      response.writeHead(413, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"Too large for me"}}');
    });
    server.useConfigFile({ upstreams: [compatible('hasty', hasty)] });
    const content = 'x'.repeat(3 * 1024 * 1024);
    const answer = await server.call({ ...question, messages: [{ role: 'user', content }] });
    expect([answer.status, answer.body.error.message]).toEqual([413, 'Too large for me']);
    await hasty.stop();
  });
});

/** Undefined where the answer has not the shape of an error of the dialect. */
function messageOf({ status, body: value }: TestResponse, dialect: Dialect): string | undefined {
  if (dialect === 'messages')
    return value?.type === 'error' && typeof value.error?.type === 'string' ? value.error.message : undefined;
  // An upstream's own code may be null or a word; ours is the status.
  return status >= 400 && typeof value?.error === 'object' ? value.error?.message : undefined;
}
