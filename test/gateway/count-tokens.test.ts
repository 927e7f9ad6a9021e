import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compatible, type GatewayServer, startUpstreams, startWithFile } from '../support/gateway-server.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { apiKey } from '../support/server.ts';
import { json, upstreamError } from '../support/upstream-scripts.ts';

const messages = [{ role: 'user' as const, content: 'Will it rain?' }];
const token = 'a-token-for-metrics';

describe('counting tokens', () => {
  let claude: ScriptedUpstream;
  let chat: ScriptedUpstream;
  let server: GatewayServer;
  let anthropic: Anthropic;
  beforeAll(async () => {
    [claude, chat] = (await startUpstreams(2)) as [ScriptedUpstream, ScriptedUpstream];
    server = await startWithFile(
      {
        upstreams: [
          {
            name: 'claude',
            kind: 'anthropic',
            base_url: claude.url,
            models: ['anthropic/*'],
            strip_prefix: 'anthropic/',
          },
          compatible('chat', chat, { models: ['chat/*'] }),
          compatible('relay', chat, { models: ['relay/*'], dialects: ['messages'] }),
        ],
      },
      { ANTHROPIC_API_KEY: 'sk-ant-0123456789', PRESETD_METRICS_TOKEN: token },
    );
    await server.capture('claude', {
      model: 'anthropic/claude-opus-5',
      temperature: 0.5,
      max_tokens: 9,
      seed: 7,
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
    });
    await server.capture('gpt', {
      model: 'chat/gpt',
      messages: [{ role: 'system', content: 'Be brief.' }, ...messages],
      tools: [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }],
    });
    anthropic = new Anthropic({ apiKey, baseURL: `${server.url}/api`, maxRetries: 0 });
  });
  beforeEach(() => {
    claude.clear();
    chat.clear();
  });
  afterAll(async () => {
    await Promise.all([claude.stop(), chat.stop()]);
    await server.stop();
  });

  const count = (body: object, headers: Readonly<Record<string, string>> = {}) =>
    server.post('/api/v1/messages/count_tokens', { messages, ...body }, { headers });

  describe('an upstream that counts tokens', () => {
    beforeEach(() => claude.respondAlways(json({ input_tokens: 14 })));

    it('gets the request with the preset applied', async () => {
      const counted = await anthropic.messages.countTokens({ model: '@preset/claude', messages });
      expect(counted.input_tokens).toBe(14);
      const [request] = claude.requests;
      expect(request?.path).toBe('/v1/messages/count_tokens');
      expect(request?.body).toEqual({ model: 'claude-opus-5', system: 'Be brief.', messages });
      expect(request?.headers['x-api-key']).toBe('sk-ant-0123456789');
    });

    it('gets the query and the version header that Anthropic requires', async () => {
      await server.post('/api/v1/messages/count_tokens?beta=true', { model: 'anthropic/claude', messages });
      expect(claude.requests[0]?.path).toBe('/v1/messages/count_tokens?beta=true');
      expect(claude.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
    });

    it('returns an exact count, and a header lists the preset fields it does not need', async () => {
      const { headers } = await count({ model: '@preset/claude' });
      expect(headers.get('x-presetd-dropped-fields')).toBe('seed, temperature, max_tokens');
      expect([headers.get('x-presetd-estimated'), headers.get('x-presetd-upstream')]).toEqual([
        null,
        'claude',
      ]);
    });

    it('counts for the first model of a request, whatever its fallbacks are', async () => {
      const { body, headers } = await count({ models: ['anthropic/claude', 'chat/gpt'] });
      expect(body).toEqual({ input_tokens: 14 });
      expect(headers.get('x-presetd-estimated')).toBeNull();
    });

    it('gets unsupported fields of the request, which it can reject', async () => {
      await count({ model: 'anthropic/claude', max_tokens: 9 });
      expect(claude.requests[0]?.body).toEqual({ model: 'claude', messages, max_tokens: 9 });
    });

    it('has its errors returned in the error format of Anthropic', async () => {
      claude.respondWith(upstreamError(400, 'too long'));
      const failed = await count({ model: 'anthropic/claude' });
      expect([failed.status, failed.body.type, failed.body.error.message]).toEqual([
        400,
        'error',
        'too long',
      ]);
      const unknown = await count({ model: '@preset/unknown' });
      expect([unknown.status, unknown.body.type]).toEqual([404, 'error']);
    });
  });

  describe('an upstream that does not count tokens', () => {
    it('has its tokens counted by presetd, with the preset applied', async () => {
      const plain = await anthropic.messages.countTokens({ model: 'chat/gpt', messages });
      const preset = await anthropic.messages.countTokens({ model: '@preset/gpt', messages });
      // Four words and punctuation, and four for the message.
      expect(plain.input_tokens).toBe(8);
      expect(preset.input_tokens).toBeGreaterThan(15);
      expect(preset.input_tokens).toBeLessThan(30);
      expect(chat.requests).toEqual([]);
    });

    it('gets a count that is marked as an estimate and included in metrics', async () => {
      const { status, headers, body } = await count({ model: 'relay/claude' });
      expect([status, body]).toEqual([200, { input_tokens: 8 }]);
      expect(headers.get('x-presetd-estimated')).toBe('true');
      expect(headers.get('content-type')).toBe('application/json');
      await expect
        .poll(async () => (await server.get('/metrics', { key: token })).text)
        .toContain(
          'presetd_gateway_requests_total{dialect="messages/count_tokens",preset="",upstream="",status="200"}',
        );
    });

    it('the token estimate counts system prompt, tools, results and images', async () => {
      const plain = (await count({ model: 'chat/gpt' })).body.input_tokens;
      const counted = async (more: object) =>
        (await count({ model: 'chat/gpt', ...more })).body.input_tokens - plain;
      expect(await counted({ system: 'one two three' })).toBeGreaterThanOrEqual(3);
      expect(
        await counted({
          tools: [{ name: 'f', description: 'one two three', input_schema: { type: 'object' } }],
        }),
      ).toBeGreaterThan(8);
      const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(40_000) };
      const image = { role: 'user', content: [{ type: 'image', source }] };
      expect(await counted({ messages: [...messages, image] })).toBe(1_604);
    });

    it('the token estimate rejects an empty list of messages, as Anthropic does', async () => {
      const { status, body } = await count({ model: 'chat/gpt', messages: [] });
      expect([status, body.error.message]).toEqual([
        400,
        'The request body is not valid: /messages is empty; add a message.',
      ]);
    });

    it.each([undefined, 'Hi', {}])(
      'the token estimate rejects messages that are not a list: %j',
      async (given) => {
        const response = await count({ model: '@preset/gpt', messages: given });
        expect([response.status, response.body.error.message]).toEqual([
          400,
          expect.stringContaining('/messages must be a list of messages'),
        ]);
      },
    );

    it('a dry run shows the call whose tokens would be counted', async () => {
      const { body, headers } = await count({ model: '@preset/gpt' }, { 'x-presetd-dry-run': 'true' });
      expect(body.data).toMatchObject({
        preset: 'gpt@1',
        upstream: 'chat',
        url: `${chat.url}/chat/completions`,
        body: { model: 'chat/gpt', tools: [{ type: 'function' }] },
      });
      expect(headers.get('x-presetd-estimated')).toBeNull();
    });

    it('200,000 tokens are counted without delaying other calls', async () => {
      const content = 'The quick brown fox jumps over the lazy dog. '.repeat(20_000);
      const counting = count({ model: 'chat/gpt', messages: [{ role: 'user', content }] });
      let calls = 0;
      const others = async () => {
        for (; calls < 3; calls += 1) expect((await server.get('/healthz')).status).toBe(200);
      };
      await Promise.all([counting, others()]);
      expect((await counting).body.input_tokens).toBeGreaterThan(200_000);
    });
  });
});
