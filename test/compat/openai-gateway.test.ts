import OpenAI from 'openai';
import { zodFunction, zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
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
  systemMessage,
} from './gateway-presets.ts';

const question = { role: 'user', content: 'Will it rain?' } as const;
const weather = z.object({ city: z.string(), degrees: z.number() });
const spokenWeather = { city: 'Zürich', degrees: 21 };

describe('the OpenAI SDK with presetd as its base URL', () => {
  let gateway: GatewayWithPresets;
  let openai: OpenAI;
  beforeAll(async () => {
    gateway = await startGatewayWithPresets();
    openai = new OpenAI({ apiKey, baseURL: `${gateway.server.url}/api/v1`, maxRetries: 0 });
  });
  beforeEach(() => gateway.upstream.clear());
  afterAll(() => gateway.stop());

  const sent = () => gateway.upstream.requests.map((request) => request.body);
  /** The recording with another text as the model's output. */
  const saying = (bytes: Buffer, value: unknown) =>
    bytes.toString().replaceAll(completionText, JSON.stringify(JSON.stringify(value)).slice(1, -1));

  describe.each(presetModels)('through the preset %s', (model) => {
    it('the SDK completes a chat', async () => {
      const completion = await openai.chat.completions.create({ model, messages: [question] });
      expect(completion.choices[0]?.message.content).toBe(completionText);
      expect(completion.usage?.total_tokens).toBe(23);
      expect(sent()).toEqual([{ ...appliedPreset['chat-completions'], messages: [systemMessage, question] }]);
    });

    it('the SDK streams a chat', async () => {
      const chunks = [];
      for await (const chunk of await openai.chat.completions.create({
        model,
        messages: [question],
        stream: true,
        stream_options: { include_usage: true },
      }))
        chunks.push(chunk);
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(completionText);
      expect(chunks.at(-1)?.usage?.total_tokens).toBe(23);
      expect(sent()).toEqual([
        {
          ...appliedPreset['chat-completions'],
          messages: [systemMessage, question],
          stream: true,
          stream_options: { include_usage: true },
        },
      ]);
    });

    it("the SDK calls the preset's tool in a chat, streamed or not", async () => {
      gateway.upstream.respondAlways(recorded(recordings['openai-chat-tool']));
      const expected = { name: 'get_weather', arguments: '{"city":"Zürich"}' };
      const completion = await openai.chat.completions.create({ model, messages: [question] });
      expect(completion.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: { tool_calls: [{ id: 'call_Hs81', type: 'function', function: expected }] },
      });
      const final = await openai.chat.completions
        .stream({ model, messages: [question] })
        .finalChatCompletion();
      expect(final.choices[0]?.message.tool_calls).toMatchObject([{ id: 'call_Hs81', function: expected }]);
    });

    it('the SDK requests structured output and parses it', async () => {
      gateway.upstream.respondWith(
        body(200, 'application/json', saying(recordings['openai-chat'].json, spokenWeather)),
        body(200, 'application/json', saying(recordings['openai-responses'].json, spokenWeather)),
      );
      const completion = await openai.chat.completions.parse({
        model,
        messages: [question],
        response_format: zodResponseFormat(weather, 'weather'),
      });
      expect(completion.choices[0]?.message.parsed).toEqual(spokenWeather);
      const response = await openai.responses.parse({
        model,
        input: 'Will it rain?',
        text: { format: zodTextFormat(weather, 'weather') },
      });
      expect(response.output_parsed).toEqual(spokenWeather);
      expect(sent()).toMatchObject([
        { response_format: { type: 'json_schema', json_schema: { name: 'weather', strict: true } } },
        { text: { format: { type: 'json_schema', name: 'weather', strict: true } } },
      ]);
    });

    it('the SDK gets a response', async () => {
      const response = await openai.responses.create({ model, input: 'Will it rain?' });
      expect([response.output_text, response.usage?.total_tokens]).toEqual([completionText, 23]);
      expect(sent()).toEqual([{ ...appliedPreset.responses, input: 'Will it rain?' }]);
    });

    it('the SDK streams a response', async () => {
      const deltas: string[] = [];
      const response = await openai.responses
        .stream({ model, input: 'Will it rain?' })
        .on('response.output_text.delta', ({ delta }) => void deltas.push(delta))
        .finalResponse();
      expect([deltas.join(''), response.output_text, response.status]).toEqual([
        completionText,
        completionText,
        'completed',
      ]);
      expect(sent()).toEqual([{ ...appliedPreset.responses, input: 'Will it rain?', stream: true }]);
    });

    it("the SDK calls the preset's tool in a response, streamed or not", async () => {
      gateway.upstream.respondAlways(recorded(recordings['openai-responses-tool']));
      const expected = [{ type: 'function_call', name: 'get_weather', arguments: '{"city":"Zürich"}' }];
      const whole = await openai.responses.create({ model, input: 'Will it rain?' });
      expect(whole.output).toMatchObject(expected);
      const streamed = await openai.responses.stream({ model, input: 'Will it rain?' }).finalResponse();
      expect(streamed.output).toMatchObject(expected);
    });
  });

  it("runs its own tools along with the preset's", async () => {
    gateway.upstream.respondWith(
      recorded(recordings['openai-chat-tool']),
      recorded(recordings['openai-chat']),
    );
    const cities: string[] = [];
    const runner = openai.chat.completions.runTools({
      model: '@preset/of-messages',
      messages: [question],
      tools: [
        zodFunction({
          name: 'get_weather',
          parameters: z.object({ city: z.string() }),
          function: ({ city }) => {
            cities.push(city);
            return 'Rain';
          },
        }),
        zodFunction({ name: 'other', parameters: z.object({}), function: () => '' }),
      ],
    });
    expect(await runner.finalContent()).toBe(completionText);
    expect(cities).toEqual(['Zürich']);
    for (const { tools, messages } of sent()) {
      expect(tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
        'get_weather',
        'other',
      ]);
      expect(messages[0]).toEqual(systemMessage);
    }
    expect(sent()[1].messages.at(-1)).toMatchObject({ role: 'tool', content: 'Rain' });
  });

  it('can name a preset in the field preset', async () => {
    const completion = await openai.chat.completions.create({
      model: 'vendor/other',
      messages: [question],
      // @ts-expect-error: not a field of OpenAI's, but the SDK sends it anyway.
      preset: 'of-responses@1',
    });
    expect(completion.choices[0]?.message.content).toBe(completionText);
    expect(sent()[0]).toMatchObject({ model: 'vendor/other', temperature: 0.2 });
  });

  it('lists presets among the models', async () => {
    const ids: string[] = [];
    for await (const { id } of openai.models.list()) ids.push(id);
    expect(ids.slice(0, 3).toSorted()).toEqual([...presetModels].toSorted());
  });

  it('throws its own error classes', async () => {
    const ask = (model: string) => openai.chat.completions.create({ model, messages: [question] });
    const unknown = expect.stringContaining('"nothing"');
    await expect(ask('@preset/nothing')).rejects.toMatchObject({
      constructor: OpenAI.NotFoundError,
      status: 404,
      message: unknown,
    });
    await expect(openai.responses.create({ model: '@preset/nothing', input: 'x' })).rejects.toMatchObject({
      constructor: OpenAI.NotFoundError,
      message: unknown,
    });
    gateway.upstream.respondWith(
      upstreamError(429, 'Slow down', { 'retry-after': '7' }),
      upstreamError(500, 'Oops'),
    );
    await expect(ask('vendor/a')).rejects.toMatchObject({
      constructor: OpenAI.RateLimitError,
      message: expect.stringContaining('Slow down'),
    });
    await expect(ask('vendor/b')).rejects.toMatchObject({
      constructor: OpenAI.InternalServerError,
      status: 500,
    });
    await expect(
      openai.withOptions({ apiKey: 'wrong' }).responses.create({ input: 'x' }),
    ).rejects.toMatchObject({
      constructor: OpenAI.AuthenticationError,
    });
  });

  it('retries a 503 by itself', async () => {
    gateway.upstream.respondWith(upstreamError(503, 'Busy', { 'retry-after-ms': '1' }));
    const patient = openai.withOptions({ maxRetries: 1 });
    const completion = await patient.chat.completions.create({ model: 'vendor/model', messages: [question] });
    expect(completion.choices[0]?.message.content).toBe(completionText);
    expect(sent()).toHaveLength(2);
  });

  it.each([
    ['breaks off', cut],
    ['is closed midway', (bytes: Buffer) => stream(bytes)],
  ])('throws if a stream %s', async (_how, script) => {
    const half = ({ stream: bytes }: { stream: Buffer }) => script(bytes.subarray(0, bytes.length / 2));
    gateway.upstream.respondWith(half(recordings['openai-chat']));
    const chat = await openai.chat.completions.create({
      model: 'vendor/model',
      messages: [question],
      stream: true,
    });
    await expect(contentOf(chat)).rejects.toMatchObject({
      constructor: OpenAI.APIError,
      message: expect.stringContaining('openrouter'),
    });
    gateway.upstream.respondWith(half(recordings['openai-responses']));
    const response = await openai.responses.create({ model: 'vendor/model', input: 'x', stream: true });
    await expect(contentOf(response)).rejects.toMatchObject({ constructor: OpenAI.APIError });
  });

  it('cancels the upstream request when a stream is aborted', async () => {
    gateway.upstream.respondWith(({ response }) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .write(recordings['openai-chat'].stream.toString().split(/(?<=\n\n)/)[0]),
    );
    const chat = await openai.chat.completions.create({
      model: 'vendor/model',
      messages: [question],
      stream: true,
    });
    const { ended } = await gateway.upstream.nextExchange();
    for await (const _ of chat) break;
    expect(await ended).toBe('disconnected');
  });
});

async function contentOf(events: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of events) count += 1;
  return count;
}
