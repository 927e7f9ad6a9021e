import { describe, expect, it } from 'vitest';
import * as chatCompletions from '../chat-completions/usage.ts';
import type { JsonObject } from '../json-object.ts';
import * as messages from '../messages/usage.ts';
import * as responses from '../responses/usage.ts';
import type { TokenUsage } from './completion.ts';

const usages = { 'chat-completions': chatCompletions, messages, responses };

const everything: TokenUsage = {
  input: 120,
  output: 30,
  cacheRead: 100,
  cacheWrite: 10,
  reasoning: 20,
  cost: 0.25,
};

describe('token usage', () => {
  it.each<[keyof typeof usages, JsonObject]>([
    [
      'chat-completions',
      {
        prompt_tokens: 120,
        completion_tokens: 30,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 20 },
        cost: 0.25,
      },
    ],
    [
      'messages',
      {
        input_tokens: 10,
        cache_creation_input_tokens: 10,
        cache_read_input_tokens: 100,
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 20 },
        cost: 0.25,
      },
    ],
    [
      'responses',
      {
        input_tokens: 120,
        input_tokens_details: { cached_tokens: 100, cache_write_tokens: 10 },
        output_tokens: 30,
        output_tokens_details: { reasoning_tokens: 20 },
        total_tokens: 150,
        cost: 0.25,
      },
    ],
  ])('has all counts and the cost in %s', (dialect, body) => {
    expect(usages[dialect].parseUsage(body)).toEqual(everything);
    expect(usages[dialect].writeUsage(everything)).toEqual(body);
  });

  it.each<[keyof typeof usages, JsonObject]>([
    ['chat-completions', { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }],
    [
      'messages',
      { input_tokens: 9, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    ],
    [
      'responses',
      {
        input_tokens: 9,
        output_tokens: 0,
        total_tokens: 9,
        input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
    ],
  ])('has 0 for unknown counts that %s requires', (dialect, body) => {
    expect(usages[dialect].writeUsage({ input: 9 })).toMatchObject(body);
  });

  it.each<[string, keyof typeof usages, unknown, TokenUsage | undefined]>([
    ['null', 'chat-completions', null, undefined],
    ['null', 'messages', null, undefined],
    ['null', 'responses', null, undefined],
    ['no known count', 'chat-completions', { prompt_tokens: -1, completion_tokens: '2' }, undefined],
    ['only output', 'messages', { output_tokens: 5 }, { output: 5 }],
    ['null cache counts', 'messages', { input_tokens: 5, cache_read_input_tokens: null }, { input: 5 }],
    [
      'the cache count of DeepSeek',
      'chat-completions',
      { prompt_tokens: 9, prompt_cache_hit_tokens: 8 },
      { input: 9, cacheRead: 8 },
    ],
  ])('is parsed from %s in %s', (_, dialect, value, expected) => {
    expect(usages[dialect].parseUsage(value)).toEqual(expected);
  });

  it('never has a negative count in messages', () => {
    expect(messages.writeUsage({ input: 5, cacheRead: 9 })).toMatchObject({ input_tokens: 0 });
  });
});
