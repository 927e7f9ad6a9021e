import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiKey } from '../support/server.ts';
import { body, cut, recorded, stream, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';
import {
  appliedPreset,
  type GatewayWithPresets,
  presetModels,
  startGatewayWithPresets,
} from './gateway-presets.ts';

const messages = [{ role: 'user', content: 'Will it rain?' }] as const satisfies Anthropic.MessageParam[];
const weather = z.object({ city: z.string(), degrees: z.number() });
const spokenWeather = { city: 'Zürich', degrees: 21 };

describe('the Anthropic SDK with presetd as its base URL', () => {
  let gateway: GatewayWithPresets;
  let anthropic: Anthropic;
  beforeAll(async () => {
    gateway = await startGatewayWithPresets();
    // The SDK appends /v1 to its base URL and sends the key as x-api-key.
    anthropic = new Anthropic({
      apiKey,
      baseURL: `${gateway.server.url}/api`,
      maxRetries: 0,
      logLevel: 'off',
    });
  });
  beforeEach(() => gateway.upstream.clear());
  afterAll(() => gateway.stop());

  const sent = () => gateway.upstream.requests.map((request) => request.body);

  describe.each(presetModels)('through the preset %s', (model) => {
    const request = { model, max_tokens: 50, messages: [...messages] };

    it('the SDK gets a message', async () => {
      const message = await anthropic.messages.create(request);
      expect(message.content).toEqual([{ type: 'text', text: completionText }]);
      expect(message.usage.output_tokens).toBe(9);
      expect(sent()).toEqual([{ ...appliedPreset.messages, max_tokens: 50, messages: [...messages] }]);
    });

    it('the SDK streams a message', async () => {
      const texts: string[] = [];
      const message = await anthropic.messages
        .stream(request)
        .on('text', (text) => void texts.push(text))
        .finalMessage();
      expect([texts.join(''), message.stop_reason]).toEqual([completionText, 'end_turn']);
      expect(sent()).toEqual([
        { ...appliedPreset.messages, max_tokens: 50, messages: [...messages], stream: true },
      ]);
    });

    it("the SDK calls the preset's tool, streamed or not", async () => {
      gateway.upstream.respondAlways(recorded(recordings['anthropic-messages-tool']));
      const expected = [{ type: 'tool_use', name: 'get_weather', input: { city: 'Zürich' } }];
      expect((await anthropic.messages.create(request)).content).toMatchObject(expected);
      expect((await anthropic.messages.stream(request).finalMessage()).content).toMatchObject(expected);
    });

    it('the SDK requests structured output and parses it', async () => {
      const spoken = JSON.stringify(JSON.stringify(spokenWeather)).slice(1, -1);
      const { json } = recordings['anthropic-messages'];
      gateway.upstream.respondWith(
        body(200, 'application/json', json.toString().replaceAll(completionText, spoken)),
      );
      const message = await anthropic.messages.parse({
        ...request,
        output_config: { format: zodOutputFormat(weather) },
      });
      expect(message.parsed_output).toEqual(spokenWeather);
      expect(sent()).toMatchObject([{ output_config: { format: { type: 'json_schema' } } }]);
    });
  });

  it("runs its own tool in place of the preset's", async () => {
    gateway.upstream.respondWith(
      recorded(recordings['anthropic-messages-tool']),
      recorded(recordings['anthropic-messages']),
    );
    const cities: string[] = [];
    const message = await anthropic.beta.messages.toolRunner({
      model: '@preset/of-chat-completions',
      max_tokens: 50,
      messages: [...messages],
      tools: [
        betaZodTool({
          name: 'get_weather',
          description: 'Own',
          inputSchema: z.object({ city: z.string() }),
          run: ({ city }) => {
            cities.push(city);
            return 'Rain';
          },
        }),
      ],
    });
    expect([message.content[0], cities]).toMatchObject([{ text: completionText }, ['Zürich']]);
    const [first, second] = sent();
    expect(first.tools).toMatchObject([{ name: 'get_weather', description: 'Own' }]);
    expect(JSON.stringify(second.messages)).toContain('"tool_result"');
  });

  it('can send its key as a bearer token', async () => {
    const bearer = new Anthropic({ authToken: apiKey, apiKey: null, baseURL: `${gateway.server.url}/api` });
    const message = await bearer.messages.create({
      model: 'vendor/model',
      max_tokens: 5,
      messages: [...messages],
    });
    expect(message.content[0]).toMatchObject({ text: completionText });
  });

  it('has its query parameters forwarded to the upstream', async () => {
    const request = { model: 'vendor/model', max_tokens: 5, messages: [...messages] };
    await anthropic.messages.create(request, { query: { beta: true } });
    expect(gateway.upstream.requests.map(({ path }) => path)).toEqual(['/v1/messages?beta=true']);
  });

  it('lists presets among the models, prefixed with its vendor', async () => {
    const ids: string[] = [];
    for await (const { id } of anthropic.models.list()) ids.push(id);
    expect(ids.slice(0, 3).toSorted()).toEqual(presetModels.map((id) => `anthropic/${id}`).toSorted());
  });

  it("throws its own error classes with Anthropic's error types", async () => {
    const ask = (model: string, client = anthropic) =>
      client.messages.create({ model, max_tokens: 5, messages: [...messages] });
    await expect(ask('@preset/nothing')).rejects.toMatchObject({
      constructor: Anthropic.NotFoundError,
      type: 'not_found_error',
      message: expect.stringContaining('nothing'),
    });
    await expect(ask('vendor/model', anthropic.withOptions({ apiKey: 'wrong' }))).rejects.toMatchObject({
      constructor: Anthropic.AuthenticationError,
      type: 'authentication_error',
    });
    gateway.upstream.respondWith(upstreamError(429, 'Slow down'), upstreamError(529, 'Overloaded'));
    await expect(ask('vendor/a')).rejects.toMatchObject({
      constructor: Anthropic.RateLimitError,
      message: expect.stringContaining('Slow down'),
    });
    await expect(ask('vendor/b')).rejects.toMatchObject({ status: 529 });
  });

  it.each([
    ['breaks off', cut],
    ['is closed midway', (bytes: Buffer) => stream(bytes)],
  ])('throws if a stream %s', async (_how, script) => {
    const { stream: bytes } = recordings['anthropic-messages'];
    gateway.upstream.respondWith(script(bytes.subarray(0, bytes.length / 2)));
    const streamed = anthropic.messages.stream({
      model: 'vendor/model',
      max_tokens: 5,
      messages: [...messages],
    });
    await expect(streamed.finalMessage()).rejects.toMatchObject({
      constructor: Anthropic.APIError,
      type: 'api_error',
      message: expect.stringContaining('openrouter'),
    });
  });

  it('cancels the upstream request when a stream is aborted', async () => {
    gateway.upstream.respondWith(({ response }) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(recordings['anthropic-messages'].stream.toString().split(/(?<=\n\n)/)[0]),
    );
    const streamed = await anthropic.messages.create({
      model: 'vendor/model',
      max_tokens: 5,
      messages: [...messages],
      stream: true,
    });
    const { ended } = await gateway.upstream.nextExchange();
    for await (const _ of streamed) break;
    expect(await ended).toBe('disconnected');
  });
});
