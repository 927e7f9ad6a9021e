import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { compatible, type GatewayServer, useUpstream } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import type { TestResponse } from '../support/server.ts';
import { startStubServer } from '../support/stub-server.ts';
import type { Script } from '../support/upstream-scripts.ts';
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

describe('failing upstreams', () => {
  let upstream: ScriptedUpstream;
  let server: GatewayServer;
  useUpstream((started) => {
    ({ upstream, server } = started);
  });

  it.each([400, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 524, 529])(
    'an upstream error %i keeps its status and message, in the error format of the dialect',
    async (status) => {
      for (const dialect of dialects) {
        for (const stream of [false, true]) {
          upstream.respondWith(upstreamError(status, `Sent with ${status}`));
          const response = await server.call({ ...question, stream }, { dialect });
          expect([dialect, response.status, messageOf(response, dialect)]).toEqual([
            dialect,
            status,
            expect.stringContaining(`Sent with ${status}`),
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
  ])('an error in the format of %s is understood in every dialect', async (_vendor, value) => {
    for (const dialect of dialects) {
      upstream.respondWith(json(value, 400));
      const response = await server.call(question, { dialect });
      expect([response.status, messageOf(response, dialect)]).toEqual([
        400,
        expect.stringContaining('Its words'),
      ]);
    }
  });

  it('an error already in the format of the dialect is forwarded byte for byte', async () => {
    const chat = '{"error": {"message": "Its words", "code": 400, "extra": 1.0}}';
    const messages = '{"type": "error", "error": {"type": "x_error", "message": "Its words"}, "extra": 1.0}';
    upstream.respondWith(body(400, 'application/json', chat), body(400, 'application/json', messages));
    expect((await server.call(question)).text).toBe(chat);
    expect((await server.call(question, { dialect: 'messages' })).text).toBe(messages);
  });

  it.each<[string, Script, number]>([
    ['returns an HTML page with 200', html(200), 502],
    ['returns an HTML page with 502', html(502), 502],
    ['returns an HTML page with 404', html(404), 404],
    ['returns text with 500', body(500, 'text/plain', 'Internal Server Error'), 500],
    ['returns an empty body with 500', body(500, 'application/json', ''), 500],
    ['returns an empty body with 200', body(200, 'application/json', ''), 502],
    ['returns truncated JSON of the announced length', body(200, 'application/json', '{"choices":['), 502],
    ['does not speak HTTP', garbage, 502],
    ['resets the connection', reset, 502],
    ['closes the connection', ({ socket }) => socket.destroy(), 502],
    ['closes the connection within its headers', halfHeaders, 502],
  ])('an upstream that %s is reported in the error format of the dialect', async (_title, script, status) => {
    for (const dialect of dialects) {
      upstream.respondWith(script);
      const response = await server.call(question, { dialect });
      expect([dialect, response.status, messageOf(response, dialect)]).toEqual([
        dialect,
        status,
        expect.stringMatching(/.{10}/),
      ]);
      expect(response.text).not.toContain('<html>');
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  it.each(dialects)(
    'an upstream that closes the connection within a body never looks successful, in %s',
    async (dialect) => {
      upstream.respondWith(halfBody(recordingOf[dialect].json));
      const outcome = await server.call(question, { dialect }).then(
        ({ status }) => status,
        () => 'disconnected',
      );
      expect([502, 'disconnected']).toContain(outcome);
    },
  );

  it.each([
    ['half a MiB', 524_288, 502],
    ['almost a MiB', 1_000_000, 502],
    ['more than a MiB', 1_200_000, 'disconnected'],
  ])(
    'closing the connection after %s of a body causes a 502 only if nothing was forwarded yet',
    async (_size, bytes, outcome) => {
      upstream.respondWith(halfBody(Buffer.from(JSON.stringify({ choices: 'x'.repeat(2 * bytes) }))));
      const seen = await server.call(question).then(
        ({ status }) => status,
        () => 'disconnected',
      );
      expect(seen).toBe(outcome);
    },
  );

  it('a failing upstream does not affect later requests', async () => {
    for (const script of [garbage, reset, halfHeaders, html(200), upstreamError(500, 'Oops')]) {
      upstream.respondWith(script);
      await server.call(question);
      expect((await server.call(question)).status).toBe(200);
    }
  });

  it('a response that the upstream sends before reading a large request is forwarded', async () => {
    const hasty = await startStubServer((_request, response) => {
      response.writeHead(413, { 'content-type': 'application/json' });
      response.end('{"error":{"message":"Too large for me"}}');
    });
    server.useConfigFile({ upstreams: [compatible('hasty', hasty)] });
    const content = 'x'.repeat(3 * 1024 * 1024);
    const response = await server.call({ ...question, messages: [{ role: 'user', content }] });
    expect([response.status, response.body.error.message]).toEqual([413, 'Too large for me']);
    await hasty.stop();
  });
});

/** The message of an error in the format of the dialect; undefined for anything else. */
function messageOf({ status, body: value }: TestResponse, dialect: Dialect): string | undefined {
  if (dialect === 'messages')
    return value?.type === 'error' && typeof value.error?.type === 'string' ? value.error.message : undefined;
  // The `code` is not checked: an upstream's own may be null or a string.
  return status >= 400 && typeof value?.error === 'object' ? value.error?.message : undefined;
}
