import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodFunction, zodResponsesFunction } from 'openai/helpers/zod';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { isKnownField } from '../../src/dialects/known-fields.ts';
import { apiKey } from '../support/server.ts';
import { pathOf } from '../support/wire/recordings.ts';
import {
  type DialectUpstreams,
  lenientPresetOn,
  presetOn,
  startDialectUpstreams,
} from './dialect-upstreams.ts';
import { weatherLoop as loop } from './weather-loop.ts';

const prompt = 'Should I take an umbrella?';

/** The tools of the client. Both run at once. */
const tools = {
  get_weather: {
    description: 'Looks up the weather',
    schema: z.object({ city: z.string() }),
    run: ({ city }: { city: string }) => `Rain in ${city} ☔`,
  },
  get_time: {
    description: 'Tells the time',
    schema: z.object({ zone: z.string(), hour12: z.boolean() }),
    run: ({ zone, hour12 }: { zone: string; hour12: boolean }) => `12:30 in ${zone}, ${hour12}`,
  },
};

describe('an SDK whose preset is at an upstream of another dialect', () => {
  let gateway: DialectUpstreams;
  let openai: OpenAI;
  let anthropic: Anthropic;
  beforeAll(async () => {
    gateway = await startDialectUpstreams();
    const { url } = gateway.server;
    openai = new OpenAI({ apiKey, baseURL: `${url}/api/v1`, maxRetries: 0 });
    anthropic = new Anthropic({ apiKey, baseURL: `${url}/api`, maxRetries: 0, logLevel: 'off' });
  });
  beforeEach(() => gateway.play(loop));
  afterAll(() => gateway.stop());

  /** The two requests arrived only at this upstream, streamed, in its own dialect. */
  function expectTwoRequestsAt(to: Dialect) {
    for (const [dialect, { requests }] of Object.entries(gateway.upstreams))
      expect(requests.map(({ path, body }) => [path, body.stream])).toEqual(
        dialect === to ? Array(2).fill([`/v1${pathOf[to]}`, true]) : [],
      );
    const [first, second] = gateway.upstreams[to].requests.map(({ body }) => body);
    expect(Object.keys({ ...first, ...second }).filter((name) => !isKnownField(name, to))).toEqual([]);
    // Otherwise the upstream could not use its prompt cache.
    const conversation = to === 'responses' ? 'input' : 'messages';
    const { [conversation]: asked, ...settings } = first;
    expect(second).toMatchObject(settings);
    expect(second[conversation].slice(0, asked.length)).toEqual(asked);
  }

  it.each(['messages', 'responses'] as const)(
    'runs two tools with the OpenAI SDK, chat completions to %s',
    async (to) => {
      const runner = openai.chat.completions.runTools({
        model: lenientPresetOn(to),
        messages: [{ role: 'user', content: prompt }],
        stream: true,
        stream_options: { include_usage: true },
        tools: Object.entries(tools).map(([name, { description, schema, run }]) =>
          zodFunction({ name, description, parameters: schema as z.ZodObject, function: run as never }),
        ),
      });
      const pieces: string[] = [];
      runner.on('content', (piece) => void pieces.push(piece));
      expect(await runner.finalContent()).toBe(loop.text);
      expect(pieces.join('')).toBe(loop.text);
      expect((await runner.totalUsage()).completion_tokens).toBe(60);
      expectTwoRequestsAt(to);
    },
  );

  it.each(['chat-completions', 'messages'] as const)(
    'runs two tools with the OpenAI SDK, responses to %s',
    async (to) => {
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: prompt }];
      let response: OpenAI.Responses.Response | undefined;
      for (let turn = 0; turn < 2; turn++) {
        const stream = openai.responses.stream({
          model: presetOn(to),
          input,
          tools: Object.entries(tools).map(([name, { description, schema }]) =>
            zodResponsesFunction({ name, description, parameters: schema as z.ZodObject }),
          ),
          store: false,
          include: ['reasoning.encrypted_content'],
        });
        response = await stream.finalResponse();
        input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
        for (const item of response.output)
          if (item.type === 'function_call')
            input.push({
              type: 'function_call_output',
              call_id: item.call_id,
              output: runTool(item.name, JSON.parse(item.arguments) as never),
            });
      }
      expect([response?.output_text, response?.usage?.output_tokens]).toEqual([loop.text, 30]);
      expectTwoRequestsAt(to);
    },
  );

  it.each(['chat-completions', 'responses'] as const)(
    'runs two tools with the Anthropic SDK, messages to %s',
    async (to) => {
      const runner = anthropic.beta.messages.toolRunner({
        model: presetOn(to),
        max_tokens: 9_000,
        messages: [{ role: 'user', content: prompt }],
        stream: true,
        tools: Object.entries(tools).map(([name, { description, schema, run }]) =>
          betaZodTool({ name, description, inputSchema: schema as z.ZodObject, run: run as never }),
        ),
      });
      const pieces: string[] = [];
      for await (const stream of runner) stream.on('text', (piece) => void pieces.push(piece));
      const message = await runner.done();
      expect(message.content).toMatchObject([{ type: 'text', text: loop.text }]);
      expect([pieces.join(''), message.usage.output_tokens]).toEqual([loop.text, 30]);
      expectTwoRequestsAt(to);
    },
  );

  const openAiCompatible: ModelAt = (baseURL) =>
    createOpenAICompatible({ name: 'presetd', apiKey, baseURL, includeUsage: true });
  const providers: readonly (readonly [name: string, to: Dialect, modelAt: ModelAt])[] = [
    ['@ai-sdk/openai-compatible', 'messages', openAiCompatible],
    ['@ai-sdk/openai-compatible', 'responses', openAiCompatible],
    ['@ai-sdk/openai', 'messages', (baseURL) => createOpenAI({ apiKey, baseURL })],
    ['@ai-sdk/openai', 'chat-completions', (baseURL) => createOpenAI({ apiKey, baseURL })],
    ['@ai-sdk/anthropic', 'chat-completions', (baseURL) => createAnthropic({ apiKey, baseURL })],
    ['@ai-sdk/anthropic', 'responses', (baseURL) => createAnthropic({ apiKey, baseURL })],
  ];

  it.each(providers)('runs two tools with %s of the AI SDK, to %s', async (name, to, modelAt) => {
    const { get_weather, get_time } = tools;
    // This provider sends the text of the reasoning back, without its signature.
    const preset = name === '@ai-sdk/openai-compatible' ? lenientPresetOn(to) : presetOn(to);
    const result = streamText({
      model: modelAt(`${gateway.server.url}/api/v1`)(preset),
      prompt,
      tools: {
        get_weather: tool({ inputSchema: get_weather.schema, execute: get_weather.run }),
        get_time: tool({ inputSchema: get_time.schema, execute: get_time.run }),
      },
      maxOutputTokens: 9_000,
      // Otherwise it refers to earlier output by id, which only the upstream could resolve.
      providerOptions: { openai: { store: false } },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
    expect([await result.text, await result.finishReason]).toEqual([loop.text, 'stop']);
    expect((await result.totalUsage).outputTokens).toBe(60);
    expectTwoRequestsAt(to);
  });
});

type ModelAt = (baseURL: string) => (name: string) => LanguageModel;

function runTool(name: string, input: never): string {
  return tools[name as keyof typeof tools].run(input);
}
