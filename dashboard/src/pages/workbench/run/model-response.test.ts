import { describe, expect, test } from 'vitest';
import { applyEvent, emptyResponse, type ModelResponse } from './model-response.ts';
import { createSseParser } from './sse.ts';

const recordings = import.meta.glob<string>('../../../../../test/support/wire/*.sse', {
  query: '?raw',
  import: 'default',
  eager: true,
});

function recorded(name: string): ModelResponse {
  const text = recordings[`../../../../../test/support/wire/${name}.sse`] ?? '';
  return createSseParser().push(text).reduce(applyEvent, emptyResponse);
}

function responseFrom(...events: readonly unknown[]): ModelResponse {
  return events.map((event) => JSON.stringify(event)).reduce(applyEvent, emptyResponse);
}

const usage = { input: 14, output: 9 };

describe('a complete stream', () => {
  test.each([
    ['openai-chat', 'gpt-5.2-2025-12-11', 'stop'],
    ['openrouter-chat', 'openai/gpt-5.2', 'stop'],
    ['anthropic-messages', 'claude-opus-5', 'end_turn'],
    ['openai-responses', 'gpt-5.2-2025-12-11', 'completed'],
  ])('a stream of %s yields text, model, finish reason and usage', (name, model, finishReason) => {
    const text = 'Regen in Zürich ☔🌧 heute.';
    expect(recorded(name)).toMatchObject({
      text,
      model,
      finishReason,
      usage,
      toolCalls: [],
      isComplete: true,
    });
  });

  test.each([
    ['openai-chat-tool', 'tool_calls'],
    ['openrouter-chat-tool', 'tool_calls'],
    ['anthropic-messages-tool', 'tool_use'],
    ['openai-responses-tool', 'completed'],
  ])('a stream of %s yields the tool call', (name, finishReason) => {
    const toolCalls = [{ index: 0, name: 'get_weather', argumentText: '{"city":"Zürich"}' }];
    expect(recorded(name)).toMatchObject({ text: '', toolCalls, finishReason, usage, isComplete: true });
  });
});

test.each([
  ['chat completions', { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, cost: 0.0012 } }],
  ['responses', { type: 'response.completed', response: { status: 'completed', usage: { cost: 0.0012 } } }],
])('the cost that OpenRouter reports in %s is kept', (_dialect, event) => {
  expect(responseFrom(event).usage?.cost).toBe(0.0012);
});

describe('an error inside a stream', () => {
  test.each<[string, unknown]>([
    [
      'of chat completions',
      {
        choices: [{ delta: { content: '' }, finish_reason: 'error' }],
        error: { code: 502, message: 'Gone' },
      },
    ],
    ['of messages', { type: 'error', error: { type: 'api_error', message: 'Gone' } }],
    ['of responses', { type: 'error', message: 'Gone' }],
    [
      'of a failed response',
      { type: 'response.failed', response: { status: 'failed', error: { message: 'Gone' } } },
    ],
  ])('an error %s is kept with the text so far', (_title, event) => {
    expect(responseFrom({ choices: [{ delta: { content: 'Half' } }] }, event)).toMatchObject({
      text: 'Half',
      error: 'Gone',
    });
  });

  test('an error without a message is still reported', () => {
    expect(responseFrom({ error: {} }).error).toMatch(/without a message/);
  });
});

test('interleaved deltas of two tool calls are assembled separately', () => {
  const piece = (index: number, name: string | undefined, text: string) => ({
    choices: [{ delta: { tool_calls: [{ index, function: { ...(name && { name }), arguments: text } }] } }],
  });
  expect(
    responseFrom(piece(0, 'a', '{'), piece(1, 'b', '['), piece(0, undefined, '}'), piece(1, undefined, ']'))
      .toolCalls,
  ).toEqual([
    { index: 0, name: 'a', argumentText: '{}' },
    { index: 1, name: 'b', argumentText: '[]' },
  ]);
});

test('only the first of several interleaved choices is shown', () => {
  const piece = (index: number, content: string, reason: string | null = null) => ({
    choices: [{ index, delta: { content }, finish_reason: reason }],
  });
  expect(
    responseFrom(piece(1, 'No'), piece(0, 'Y'), piece(0, 'es', 'stop'), piece(1, 'pe', 'length')),
  ).toMatchObject({ text: 'Yes', finishReason: 'stop' });
});

test('reasoning is separate from the text', () => {
  const response = responseFrom(
    { choices: [{ delta: { reasoning: 'Hm.' } }] },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: ' So' } },
    { type: 'response.reasoning_summary_text.delta', delta: ' it is.' },
    { choices: [{ delta: { content: 'Yes' } }] },
  );
  expect([response.reasoning, response.text]).toEqual(['Hm. So it is.', 'Yes']);
});

test('a response cut off by its token limit has that finish reason', () => {
  const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  expect(responseFrom({ type: 'response.incomplete', response }).finishReason).toBe('max_output_tokens');
});

test('unknown events and malformed data change nothing', () => {
  for (const data of [
    '',
    'null',
    '7',
    '[]',
    '{',
    '{"type":"ping"}',
    '{"type":"toString"}',
    '{"type":"__proto__"}',
    '{"choices":[null]}',
    '{"type":"content_block_delta"}',
  ])
    expect(applyEvent(emptyResponse, data)).toEqual(emptyResponse);
});
