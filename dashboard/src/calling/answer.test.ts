import { describe, expect, test } from 'vitest';
import { type Answer, emptyAnswer, withEvent } from './answer.ts';
import { createEventParser } from './read-events.ts';

const recordings = import.meta.glob<string>('../../../test/support/wire/*.sse', {
  query: '?raw',
  import: 'default',
  eager: true,
});

function recorded(name: string): Answer {
  const text = recordings[`../../../test/support/wire/${name}.sse`] ?? '';
  return createEventParser().push(text).reduce(withEvent, emptyAnswer);
}

function told(...events: readonly unknown[]): Answer {
  return events.map((event) => JSON.stringify(event)).reduce(withEvent, emptyAnswer);
}

const usage = { inputTokens: 14, outputTokens: 9 };

describe('a whole stream', () => {
  test.each([
    ['openai-chat', 'gpt-5.2-2025-12-11', 'stop'],
    ['openrouter-chat', 'openai/gpt-5.2', 'stop'],
    ['anthropic-messages', 'claude-opus-5', 'end_turn'],
    ['openai-responses', 'gpt-5.2-2025-12-11', 'completed'],
  ])('of %s says what the model said, and what it cost', (name, model, finishReason) => {
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
  ])('of %s says what tool the model called', (name, finishReason) => {
    const toolCalls = [{ index: 0, name: 'get_weather', argumentText: '{"city":"Zürich"}' }];
    expect(recorded(name)).toMatchObject({ text: '', toolCalls, finishReason, usage, isComplete: true });
  });
});

describe('a stream in which something goes wrong', () => {
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
      'of responses that failed',
      { type: 'response.failed', response: { status: 'failed', error: { message: 'Gone' } } },
    ],
  ])('%s tells it', (_title, event) => {
    expect(told({ choices: [{ delta: { content: 'Half' } }] }, event)).toMatchObject({
      text: 'Half',
      error: 'Gone',
    });
  });

  test('without a word still tells that there was something', () => {
    expect(told({ error: {} }).error).toMatch(/without saying which/);
  });
});

test('two tool calls that come in turns are kept apart', () => {
  const piece = (index: number, name: string | undefined, text: string) => ({
    choices: [{ delta: { tool_calls: [{ index, function: { ...(name && { name }), arguments: text } }] } }],
  });
  expect(
    told(piece(0, 'a', '{'), piece(1, 'b', '['), piece(0, undefined, '}'), piece(1, undefined, ']'))
      .toolCalls,
  ).toEqual([
    { index: 0, name: 'a', argumentText: '{}' },
    { index: 1, name: 'b', argumentText: '[]' },
  ]);
});

test('of several answers that come in turns the first is shown', () => {
  const piece = (index: number, content: string, reason: string | null = null) => ({
    choices: [{ index, delta: { content }, finish_reason: reason }],
  });
  expect(told(piece(1, 'No'), piece(0, 'Y'), piece(0, 'es', 'stop'), piece(1, 'pe', 'length'))).toMatchObject(
    { text: 'Yes', finishReason: 'stop' },
  );
});

test('thoughts are told apart from the answer', () => {
  const answer = told(
    { choices: [{ delta: { reasoning: 'Hm.' } }] },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: ' So' } },
    { type: 'response.reasoning_summary_text.delta', delta: ' be it.' },
    { choices: [{ delta: { content: 'Yes' } }] },
  );
  expect([answer.thoughts, answer.text]).toEqual(['Hm. So be it.', 'Yes']);
});

test('an answer that was cut short by its limit says so', () => {
  const response = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  expect(told({ type: 'response.incomplete', response }).finishReason).toBe('max_output_tokens');
});

test('what is no event of any dialect changes nothing', () => {
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
    expect(withEvent(emptyAnswer, data)).toEqual(emptyAnswer);
});
