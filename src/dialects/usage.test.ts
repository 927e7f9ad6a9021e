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
      'a message with cached input, which is counted beside the rest',
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
      'a response, whose cached input is counted in',
      { usage: { input_tokens: 9, input_tokens_details: { cached_tokens: 8 }, output_tokens: 2 } },
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      'the beginning of a message',
      { type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } },
      { inputTokens: 9, outputTokens: 1 },
    ],
    [
      'a chat completion of somebody who repeats what Anthropic said of the cache',
      { usage: { prompt_tokens: 1000, cache_read_input_tokens: 900, completion_tokens: 2 } },
      { inputTokens: 1000, outputTokens: 2 },
    ],
    ['the end of a message', { type: 'message_delta', usage: { output_tokens: 2 } }, { outputTokens: 2 }],
    [
      'the end of a response',
      { type: 'response.completed', response: { usage: { input_tokens: 9, output_tokens: 2 } } },
      { inputTokens: 9, outputTokens: 2 },
    ],
    ['an answer without', { choices: [] }, undefined],
    ['an answer with none', { usage: null }, undefined],
    ['nonsense', { usage: { prompt_tokens: -1, completion_tokens: '2' } }, undefined],
    ['no object', [1], undefined],
    ['nothing', undefined, undefined],
  ])('of %s', (_, value, expected) => {
    expect(findUsage(value)).toEqual(expected);
  });
});

describe('usageInText', () => {
  it.each<[string, unknown, Usage | undefined]>([
    [
      'an answer, wherever it stands',
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
      'an answer that speaks of usage in its text',
      {
        usage: { input_tokens: 9, output_tokens: 2 },
        content: '{"usage": {"input_tokens": 5, "output_tokens": 5}} "usage":{"output_tokens":1}',
      },
      { inputTokens: 9, outputTokens: 2 },
    ],
    [
      'an answer that has the name elsewhere, too',
      { usage: { output_tokens: 2 }, cost: { usage: 5 }, notes: [{ usage: null }, { usage: {} }] },
      { outputTokens: 2 },
    ],
    ['an answer without', { choices: [] }, undefined],
    ['an answer with none', { usage: null }, undefined],
    ['an answer of which it is no end', { usage: { a: 'x'.repeat(5_000), output_tokens: 2 } }, undefined],
  ])('of %s', (_, value, expected) => {
    expect(findUsageInText(JSON.stringify(value))).toEqual(expected);
    expect(findUsageInText(JSON.stringify(value, null, 2))).toEqual(expected);
  });

  it('of what is no JSON is none', () => {
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
      'messages, whose end may know less of the input than their beginning',
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"cache_read_input_tokens":5,"output_tokens":1}}}\n\n' +
        'event: message_delta\ndata: {"type":"message_delta","usage":{"input_tokens":9,"output_tokens":20}}\n\n',
      { inputTokens: 14, outputTokens: 20 },
    ],
    [
      'responses',
      'event: response.completed\r\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":9,"output_tokens":2}}}\r\n\r\n',
      { inputTokens: 9, outputTokens: 2 },
    ],
    ['lines without', ': "usage"\n\ndata: {"delta":"\\"usage\\""}\n\n', undefined],
    ['a line that was cut', 'data: {"usage":{"prompt_tokens":9', undefined],
  ])('of %s', (_, lines, expected) => {
    expect(findUsageInEvents(lines)).toEqual(expected);
  });
});
