import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { apiKey } from '../support/server.ts';
import { body, cut, recorded, upstreamError } from '../support/upstream-scripts.ts';
import { completionText, recordings } from '../support/wire/recordings.ts';
import {
  appliedPreset,
  type GatewayWithPresets,
  presetModels,
  startGatewayWithPresets,
  systemMessage,
} from './gateway-presets.ts';

const prompt = 'Will it rain?';
const messages = [systemMessage, { role: 'user', content: prompt }];
const weather = z.object({ city: z.string(), degrees: z.number() });
const spokenWeather = { city: 'Zürich', degrees: 21 };

describe("Vercel's AI SDK with presetd as an OpenAI-compatible provider", () => {
  let gateway: GatewayWithPresets;
  let presetd: ReturnType<typeof createOpenAICompatible>;
  beforeAll(async () => {
    gateway = await startGatewayWithPresets();
    presetd = createOpenAICompatible({
      name: 'presetd',
      apiKey,
      baseURL: `${gateway.server.url}/api/v1`,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
  });
  beforeEach(() => gateway.upstream.clear());
  afterAll(() => gateway.stop());

  const sent = () => gateway.upstream.requests.map((request) => request.body);

  describe.each(presetModels)('through the preset %s', (name) => {
    it('the SDK generates text', async () => {
      const { text, usage, finishReason } = await generateText({
        model: presetd(name),
        prompt,
        maxRetries: 0,
      });
      expect([text, usage.totalTokens, finishReason]).toEqual([completionText, 23, 'stop']);
      expect(sent()).toEqual([{ ...appliedPreset['chat-completions'], messages }]);
    });

    it('the SDK streams text', async () => {
      const result = streamText({ model: presetd(name), prompt, maxRetries: 0 });
      const pieces: string[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      expect([pieces.join(''), await result.finishReason]).toEqual([completionText, 'stop']);
      expect(pieces.length).toBeGreaterThan(1);
      expect(sent()).toMatchObject([{ ...appliedPreset['chat-completions'], messages, stream: true }]);
    });

    it('the SDK replaces a tool of the preset, calls it and continues with its result', async () => {
      const cities: string[] = [];
      const tools = {
        get_weather: tool({
          description: 'Own',
          inputSchema: z.object({ city: z.string() }),
          execute: ({ city }) => {
            cities.push(city);
            return 'Rain';
          },
        }),
      };
      for (const ask of [generateText, streamText] as const) {
        gateway.upstream.respondWith(
          recorded(recordings['openai-chat-tool']),
          recorded(recordings['openai-chat']),
        );
        const result = await ask({
          model: presetd(name),
          prompt,
          tools,
          stopWhen: stepCountIs(3),
          maxRetries: 0,
        });
        expect(await result.text).toBe(completionText);
      }
      expect(cities).toEqual(['Zürich', 'Zürich']);
      expect(sent()).toHaveLength(4);
      for (const { tools: sentTools } of sent())
        expect(sentTools).toMatchObject([{ function: { name: 'get_weather', description: 'Own' } }]);
    });

    it('the SDK requests structured output and parses it', async () => {
      const spoken = JSON.stringify(JSON.stringify(spokenWeather)).slice(1, -1);
      const { json } = recordings['openai-chat'];
      gateway.upstream.respondWith(
        body(200, 'application/json', json.toString().replaceAll(completionText, spoken)),
      );
      const { output } = await generateText({
        model: presetd(name),
        prompt,
        output: Output.object({ schema: weather }),
        maxRetries: 0,
      });
      expect(output).toEqual(spokenWeather);
      expect(sent()).toMatchObject([{ response_format: { type: 'json_schema' } }]);
    });
  });

  it('throws errors with message and status', async () => {
    const ask = (name: string) => generateText({ model: presetd(name), prompt, maxRetries: 0 });
    const thrown = await ask('@preset/nothing').catch((error: unknown) => error);
    expect(APICallError.isInstance(thrown)).toBe(true);
    expect(thrown).toMatchObject({
      statusCode: 404,
      isRetryable: false,
      message: expect.stringContaining('nothing'),
    });
    gateway.upstream.respondWith(upstreamError(429, 'Slow down'));
    await expect(ask('vendor/a')).rejects.toMatchObject({ statusCode: 429, isRetryable: true });
  });

  it('reports a stream that breaks off', async () => {
    const { stream } = recordings['openai-chat'];
    gateway.upstream.respondWith(cut(stream.subarray(0, stream.length / 2)));
    const errors: unknown[] = [];
    const result = streamText({
      model: presetd('vendor/model'),
      prompt,
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    });
    const kinds: string[] = [];
    for await (const part of result.fullStream) kinds.push(part.type);
    expect(kinds).toContain('error');
    expect(errors).toHaveLength(1);
    expect(String(errors[0] instanceof Error ? errors[0].message : JSON.stringify(errors[0]))).toContain(
      'openrouter',
    );
  });
});
