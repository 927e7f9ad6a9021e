import { describe, expect, it } from 'vitest';
import { findUsage, findUsageInEvents, findUsageInText, type Usage } from './usage.ts';

describe('usageIn', () => {
  it.each<[string, unknown, Usage | undefined]>([
    [
      'a chat completion',
      { usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } },
      { inputTokens: 9, outputTokens: 2 },
    ],
    ['a message', { usage: { input_tokens: 9, output_tokens: 2 } }, { inputTokens: 9, outputTokens: 2 }],
    [
      'a message, adding cached input that is reported separately',
      {
        usage: {
          input_tokens: 9,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 10,
          output_tokens: 2,
        },
      },
      { inputTokens: 119, outputTokens: 2 },
    ],
    [
      'a response whose input count includes cached tokens',
      { usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 8 }, output_tokens: 2 } },
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      'the first event of a message',
      { type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } },
      { inputTokens: 9, outputTokens: 1 },
    ],
    [
      "a chat completion that repeats Anthropic's cache counts",
      { usage: { prompt_tokens: 1000, cache_read_input_tokens: 900, completion_tokens: 2 } },
      { inputTokens: 1000, outputTokens: 2 },
    ],
    [
      'the last event of a message',
      { type: 'message_delta', usage: { output_tokens: 2 } },
      { outputTokens: 2 },
    ],
    [
      'the last event of a response',
      { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 2 } } },
      { inputTokens: 9, outputTokens: 2 },
    ],
    ['a response without usage', { choices: [] }, undefined],
    ['a response with null usage', { usage: null }, undefined],
    ['malformed counts', { usage: { prompt_tokens: -1, completion_tokens: '2' } }, undefined],
    ['a list', [1], undefined],
    ['nothing', undefined, undefined],
  ])('reads the usage of %s', (_, value, expected) => {
    expect(findUsage(value)).toEqual(expected);
  });
});

describe('usageInText', () => {
  it.each<[string, unknown, Usage | undefined]>([
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
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      'a response that mentions usage in its text',
      {
        usage: { input_tokens: 9, output_tokens: 2 },
        content: '{"usage": {"input_tokens": 5, "output_tokens": 5}} "usage":{"output_tokens":1}',
      },
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      'a response with other keys of the same name',
      { usage: { output_tokens: 2 }, cost: { usage: 5 }, notes: [{ usage: null }, { usage: {} }] },
      { outputTokens: 2 },
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

describe('usageInLines', () => {
  it.each<[string, string, Usage | undefined]>([
    [
      'chat completions',
      'data: {"choices":[{}],"usage":null}\n\ndata: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      'messages whose last event has a lower input count than the first',
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":5,"output_tokens":1}}}\n\n' +
        'event: message_delta\ndata: {"type":"message_delta","usage":{"input_tokens":9,"output_tokens":20}}\n\n',
      { inputTokens: 14, outputTokens: 20 },
    ],
    [
      'responses',
      'event: response.completed\r\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":9,"output_tokens":2}}}\r\n\r\n',
      { inputTokens: 9, outputTokens: 2 },
    ],
    ['lines without usage', ': "usage"\n\ndata: {"delta":"\\"usage\\""}\n\n', undefined],
    ['a truncated line', 'data: {"usage":{"prompt_tokens":9', undefined],
  ])('reads the usage of %s', (_, lines, expected) => {
    expect(findUsageInEvents(lines)).toEqual(expected);
  });
});
