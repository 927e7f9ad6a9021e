import { describe, expect, it } from 'vitest';
import { dialectStreams } from '../../test/support/dialect-streams.ts';
import { foldStream } from '../../test/support/fold-stream.ts';
import type { JsonObject } from '../core/json/json-object.ts';
import { type Dialect, dialects } from '../core/presets/preset.ts';
import type { CompletionContext, TokenUsage } from './model/completion.ts';
import { findUsage, findUsageInEvents, findUsageInText, parseUsage } from './response-usage.ts';
import { createStreamTranslator } from './translate/translate-stream.ts';

describe('findUsage', () => {
  it.each<[string, Dialect | undefined, unknown, TokenUsage | undefined]>([
    [
      'a chat completion',
      'chat-completions',
      { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } },
      { input: 9, output: 2 },
    ],
    ['a message', 'messages', { usage: { input_tokens: 9, output_tokens: 2 } }, { input: 9, output: 2 }],
    [
      'a message, adding cached input that is reported separately',
      'messages',
      {
        usage: {
          input_tokens: 9,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 10,
          output_tokens: 2,
        },
      },
      { input: 119, output: 2, cacheRead: 100, cacheWrite: 10 },
    ],
    [
      'a response whose input count includes cached tokens',
      'responses',
      { usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 8 }, output_tokens: 2 } },
      { input: 9, output: 2, cacheRead: 8 },
    ],
    [
      'the first event of a message',
      'messages',
      { type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } },
      { input: 9, output: 1 },
    ],
    [
      "a chat completion that repeats Anthropic's cache counts",
      'chat-completions',
      { usage: { prompt_tokens: 1000, cache_read_input_tokens: 900, completion_tokens: 2 } },
      { input: 1000, output: 2 },
    ],
    ['the last event of a message', 'messages', { usage: { output_tokens: 2 } }, { output: 2 }],
    [
      'the last event of a response',
      'responses',
      { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 2 } } },
      { input: 9, output: 2 },
    ],
    ['the cost alone', 'responses', { response: { usage: { cost: 0.25 } } }, { cost: 0.25 }],
    ['embeddings', undefined, { usage: { prompt_tokens: 9, total_tokens: 9 } }, { input: 9 }],
    ['images', undefined, { usage: { input_tokens: 9, output_tokens: 2 } }, { input: 9, output: 2 }],
    ['a response without usage', 'chat-completions', { choices: [] }, undefined],
    ['a response with null usage', 'chat-completions', { usage: null }, undefined],
    [
      'malformed counts',
      'chat-completions',
      { usage: { prompt_tokens: -1, completion_tokens: '2' } },
      undefined,
    ],
    [
      'absurd counts and costs, which are not reported then',
      'chat-completions',
      { usage: { prompt_tokens: 1e30, completion_tokens: 2 ** 53, cost: 1e30 } },
      undefined,
    ],
    ['a credit', 'chat-completions', { usage: { prompt_tokens: 3e6, cost: -1 } }, { input: 3_000_000 }],
    ['a list', 'messages', [1], undefined],
    ['nothing', 'messages', undefined, undefined],
  ])('reads the usage of %s', (_, dialect, value, expected) => {
    expect(parseUsage(findUsage(value), dialect)).toEqual(expected);
  });
});

describe('findUsageInText', () => {
  it.each<[string, unknown, JsonObject | undefined]>([
    [
      'a response with usage in any position',
      {
        usage: {
          prompt_tokens: 9,
          prompt_tokens_details: { cached_tokens: 1, more: {} },
          completion_tokens: 2,
        },
        model: 'm',
      },
      {
        prompt_tokens: 9,
        prompt_tokens_details: { cached_tokens: 1, more: {} },
        completion_tokens: 2,
      },
    ],
    [
      'a response that mentions usage in its text',
      {
        usage: { input_tokens: 9, output_tokens: 2 },
        content: '{"usage": {"input_tokens": 5, "output_tokens": 5}} "usage":{"output_tokens":1}',
      },
      { input_tokens: 9, output_tokens: 2 },
    ],
    [
      'a response with other keys of the same name',
      { usage: { output_tokens: 2 }, cost: { usage: 5 }, notes: [{ usage: null }, { usage: {} }] },
      { output_tokens: 2 },
    ],
    ['a response without usage', { choices: [] }, undefined],
    ['a response with null usage', { usage: null }, undefined],
    [
      'a response with an overlong usage object',
      { usage: { a: 'x'.repeat(5_000), output_tokens: 2 } },
      undefined,
    ],
  ])('reads the usage of %s', (_, value, expected) => {
    expect(findUsageInText(JSON.stringify(value))).toEqual(expected);
    expect(findUsageInText(JSON.stringify(value, null, 2))).toEqual(expected);
  });

  it('is undefined for text that is not JSON', () => {
    for (const text of ['', '"usage"', '"usage":{', '"usage":{"output_tokens":}'])
      expect(findUsageInText(text)).toBeUndefined();
  });
});

describe('findUsageInEvents', () => {
  const messages = (...usages: readonly JsonObject[]) =>
    usages
      .map((usage, at) =>
        at === 0 ? { type: 'message_start', message: { usage } } : { type: 'message_delta', usage },
      )
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join('');

  it.each<[string, Dialect, string, TokenUsage | undefined]>([
    [
      'chat completions',
      'chat-completions',
      'data: {"choices":[{}],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
      { input: 9, output: 2 },
    ],
    [
      'messages whose last event leaves out the cache',
      'messages',
      messages(
        { input_tokens: 9, cache_read_input_tokens: 5, output_tokens: 1 },
        { input_tokens: 9, output_tokens: 20 },
      ),
      { input: 14, output: 20, cacheRead: 5 },
    ],
    [
      'messages whose last event has the input that tools added',
      'messages',
      messages(
        { input_tokens: 9, cache_read_input_tokens: 100, output_tokens: 1 },
        { input_tokens: 20, output_tokens: 30, output_tokens_details: { thinking_tokens: 4 } },
      ),
      { input: 120, output: 30, cacheRead: 100, reasoning: 4 },
    ],
    [
      'messages whose first event has an estimate',
      'messages',
      messages({ input_tokens: 33, output_tokens: 0 }, { input_tokens: 25, output_tokens: 20 }),
      { input: 25, output: 20 },
    ],
    [
      'messages whose last event has 0 for the input',
      'messages',
      messages({ input_tokens: 9, output_tokens: 1 }, { input_tokens: 0, output_tokens: 20 }),
      { input: 9, output: 20 },
    ],
    [
      'messages whose first event has 0 for the input',
      'messages',
      messages({ input_tokens: 0, output_tokens: 0 }, { input_tokens: 9, output_tokens: 20 }),
      { input: 9, output: 20 },
    ],
    [
      'responses',
      'responses',
      'event: response.completed\r\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":9,"output_tokens":2}}}\r\n\r\n',
      { input: 9, output: 2 },
    ],
    ['lines without usage', 'messages', ': "usage"\n\ndata: {"delta":"\\"usage\\""}\n\n', undefined],
    ['a truncated line', 'chat-completions', 'data: {"usage":{"prompt_tokens":9', undefined],
  ])('reads the usage of %s', (_, dialect, lines, expected) => {
    expect(parseUsage(findUsageInEvents(lines), dialect)).toEqual(expected);
    // Line by line, as it arrives.
    const known = lines
      .split(/(?<=\n)/)
      .reduce<JsonObject | undefined>((all, line) => findUsageInEvents(line, all), undefined);
    expect(parseUsage(known, dialect)).toEqual(expected);
    // A translated stream counts the same.
    const to = dialect === 'messages' ? 'chat-completions' : 'messages';
    const translator = createStreamTranslator(dialect, to, context);
    translator.push(Buffer.from(lines));
    expect(translator.usage).toEqual(expected);
  });
});

const context: CompletionContext = { requestId: 'r', model: 'm', created: 1, request: {} };

it.each(dialectStreams())(
  'usage is the same whole, streamed, relayed and translated: $title',
  async ({ dialect, text }) => {
    const whole = await foldStream(dialect, text);
    const expected = parseUsage(findUsage(whole), dialect);
    expect(expected).toMatchObject({ input: expect.any(Number), output: expect.any(Number) });
    expect(parseUsage(findUsageInText(JSON.stringify(whole)), dialect)).toEqual(expected);
    expect(parseUsage(findUsageInEvents(text), dialect)).toEqual(expected);
    for (const to of dialects.filter((other) => other !== dialect)) {
      const translator = createStreamTranslator(dialect, to, context);
      translator.push(Buffer.from(text));
      expect(translator.usage).toEqual(expected);
    }
  },
);

it('usage of a translated stream that breaks off is what the upstream counted until then', () => {
  const stream = dialectStreams().find(({ dialect }) => dialect === 'messages')?.text ?? '';
  const translator = createStreamTranslator('messages', 'responses', context);
  translator.push(Buffer.from(stream.slice(0, stream.indexOf('event: message_stop'))));
  expect(translator.usage).toEqual(parseUsage(findUsageInEvents(stream), 'messages'));
});
