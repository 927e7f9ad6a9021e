import { expect, it } from 'vitest';
import { offlineAnswer } from './offline-answer.ts';
import { chatFormat, chatTool, oneOf, text } from './request-parts.ts';

const ask = (content: string, model = 'openai/gpt-5') => ({ model, messages: [{ role: 'user', content }] });

it('a model answers the same request the same way, and other models answer differently', () => {
  const question = 'I want my money back.';
  expect(offlineAnswer(ask(question))).toEqual(offlineAnswer(ask(question)));
  const answers = [
    'openai/gpt-5',
    'openai/gpt-5-mini',
    'anthropic/claude-haiku-5',
    'google/gemini-3-flash',
  ].map((model) => offlineAnswer(ask(question, model)).text);
  expect(new Set(answers).size).toBe(2);
});

it('a model looks up an order with a tool that takes its number, and then answers', () => {
  const tools = [chatTool('find_order', 'Look up.', { order_id: text('The order') })];
  const request = { ...ask('Where is FH-204881?'), tools };
  expect(offlineAnswer(request)).toEqual({
    text: '',
    toolCall: { name: 'find_order', arguments: '{"order_id":"FH-204881"}' },
  });
  const messages = [...request.messages, { role: 'tool', content: '{}' }];
  expect(offlineAnswer({ ...request, messages }).text).toContain('order');
});

it('a model returns JSON that has the fields of the schema', () => {
  const response_format = chatFormat('triage', {
    topic: oneOf('delivery', 'refund'),
    confidence: { type: 'number', minimum: 0, maximum: 1 },
    reason: text('One sentence'),
  });
  expect(JSON.parse(offlineAnswer({ ...ask('It is late'), response_format }).text)).toEqual({
    topic: expect.stringMatching(/^(delivery|refund)$/),
    confidence: expect.closeTo(0.9, 0),
    reason: 'It is late',
  });
});

it.each([
  ['an integer above its minimum', { type: 'integer', minimum: 10 }, 10, Number.MAX_SAFE_INTEGER],
  ['an integer below its maximum', { type: 'integer', maximum: 3 }, 1, 3],
  ['an integer in its range', { type: 'integer', minimum: -5, maximum: -2 }, -5, -2],
  ['a number below its maximum', { type: 'number', maximum: 5 }, -5, 5],
  ['a number above its minimum', { type: 'number', minimum: 1_000 }, 1_000, Number.MAX_SAFE_INTEGER],
  ['the first alternative', { anyOf: [{ type: 'integer' }, { type: 'null' }] }, 1, 9],
])('structured output has %s', (_title, value, least, most) => {
  for (const question of ['a', 'b', 'c', 'd', 'e']) {
    const response_format = chatFormat('answer', { value });
    const answer = JSON.parse(offlineAnswer({ ...ask(question), response_format }).text);
    expect(answer.value).toBeGreaterThanOrEqual(least);
    expect(answer.value).toBeLessThanOrEqual(most);
  }
});
