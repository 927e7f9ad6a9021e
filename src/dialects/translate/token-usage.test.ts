import { describe, expect, it } from 'vitest';
import { foldStream, lastNote } from '../../../test/support/fold-stream.ts';
import { streamOf } from '../../../test/support/stream-of.ts';
import { findShapeIssues } from '../../../test/support/wire/shapes.ts';
import type { JsonObject } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import * as chatCompletions from '../chat-completions/usage.ts';
import * as messages from '../messages/usage.ts';
import type { CompletionContext, TokenUsage } from '../model/completion.ts';
import * as responses from '../responses/usage.ts';
import { translateResponse } from './translate-response.ts';
import { createStreamTranslator } from './translate-stream.ts';

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

describe('usage that the upstream does not report', () => {
  const context: CompletionContext = {
    requestId: 'request',
    model: 'm',
    created: 1_790_000_100,
    request: { stream_options: { include_usage: true } },
    estimatedInputTokens: 33,
  };
  const bodies: Readonly<Record<Dialect, JsonObject>> = {
    'chat-completions': {
      id: '1',
      choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }],
    },
    messages: { id: '1', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' },
    responses: { id: '1', status: 'completed', output: [] },
  };
  const names = {
    'chat-completions': { input: 'prompt_tokens', output: 'completion_tokens', total: 'total_tokens' },
    messages: { input: 'input_tokens', output: 'output_tokens', total: undefined },
    responses: { input: 'input_tokens', output: 'output_tokens', total: 'total_tokens' },
  } as const;
  const known = [{}, { input: 9 }, { output: 2 }, { input: 9, output: 2 }] as const;
  const cases = dialects.flatMap((from) =>
    dialects
      .filter((to) => to !== from)
      .flatMap((to) => known.map((usage) => [from, to, usage as TokenUsage] as const)),
  );

  /** What a client gets: its usage, and the names of required counts that are not known. */
  function expected(to: Dialect, { input, output }: TokenUsage) {
    const isUnknown = input === undefined && output === undefined;
    if (isUnknown && to !== 'messages')
      return { usage: to === 'responses' ? null : undefined, missing: undefined };
    const { input: inputName, output: outputName, total } = names[to];
    const missing = [
      ...(input === undefined ? [`usage.${inputName}`] : []),
      ...(output === undefined ? [`usage.${outputName}`] : []),
      ...(total !== undefined &&
      (input ?? output) !== undefined &&
      (input === undefined || output === undefined)
        ? [`usage.${total}`]
        : []),
    ];
    return {
      usage: expect.objectContaining({
        // Claude Code measures the conversation by it.
        [inputName]: input ?? (to === 'messages' ? 33 : 0),
        [outputName]: output ?? 0,
      }),
      missing: missing.length === 0 ? undefined : missing.toSorted(),
    };
  }

  it.each(cases)('%s to %s, with %j: is left out or named, whole and streamed', async (from, to, usage) => {
    const counts = Object.entries(usage).map(([name, count]) => [
      names[from][name as 'input' | 'output'],
      count,
    ]);
    const body = { ...bodies[from], ...(counts.length > 0 && { usage: Object.fromEntries(counts) }) };
    const whole = translateResponse(body, from, to, context);
    expect({ usage: whole.body.usage, missing: asObject(whole.body.presetd).missing_fields }).toEqual(
      expected(to, usage),
    );
    expect(findShapeIssues(to, 'whole', whole.body)).toEqual([]);
    const translator = createStreamTranslator(from, to, context);
    const text = translator.push(Buffer.from(streamOf(from, body)));
    const folded = await foldStream(to, text);
    expect({ usage: folded.usage, missing: lastNote(text).missing_fields }).toEqual(expected(to, usage));
    expect(translator.usage ?? {}).toEqual(usage);
  });
});
