import { describe, expect, it } from 'vitest';
import {
  betaMessagesRequests,
  chatCompletionsRequests,
  messagesRequests,
  responsesRequests,
} from '../../test/compat/captured/requests.ts';
import { recognizeDialect, typicalDialect } from './recognize-dialect.ts';

const messages = [{ role: 'user', content: 'Hello' }];
const inputSchema = { name: 'f', input_schema: { type: 'object' } };
const nestedFunction = { type: 'function', function: { name: 'f' } };
const flatFunction = { type: 'function', name: 'f', parameters: {} };

describe('recognizeDialect', () => {
  it.each<[string, object, string | undefined]>([
    ['messages alone', { messages }, 'chat-completions'],
    ['fields of both dialects with messages', { messages, model: 'm', max_tokens: 9 }, 'chat-completions'],
    ['a field of chat completions', { messages, response_format: { type: 'text' } }, 'chat-completions'],
    [
      'a system message',
      { messages: [{ role: 'system', content: 'x' }], thinking: {}, stop: 'x' },
      'chat-completions',
    ],
    ['a nested function', { messages, tools: [nestedFunction] }, 'chat-completions'],
    [
      'an image by URL',
      { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
      'chat-completions',
    ],
    ['system', { messages, system: 'x' }, 'messages'],
    ['stop_sequences', { messages, stop_sequences: ['x'] }, 'messages'],
    ['thinking', { messages, thinking: { type: 'disabled' } }, 'messages'],
    ['anthropic_version', { messages, anthropic_version: 'bedrock-2023-05-31' }, 'messages'],
    ['a tool with input_schema', { messages, tools: [inputSchema] }, 'messages'],
    ['a tool with a date', { messages, tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'messages'],
    ['a tool result', { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] }, 'messages'],
    ['system and one stray field', { messages, system: 'x', seed: 1 }, 'messages'],
    [
      'more hints for chat completions than for messages',
      { messages, thinking: {}, seed: 1, n: 1 },
      'chat-completions',
    ],
    ['messages and a stray field of responses', { messages, instructions: 'x' }, 'chat-completions'],
    ['input', { input: 'x' }, 'responses'],
    ['instructions', { model: 'm', instructions: 'x' }, 'responses'],
    ['max_output_tokens', { max_output_tokens: 9 }, 'responses'],
    ['text', { text: { verbosity: 'low' } }, 'responses'],
    ['a flat function', { model: 'm', tools: [flatFunction] }, 'responses'],
    ['neither messages nor anything of responses', { model: 'm', temperature: 1 }, undefined],
    ['messages and input', { messages, input: 'x' }, undefined],
    ['names that every object inherits', { constructor: 1, toString: 2 }, undefined],
    ['nothing', {}, undefined],
    ['a list', [], undefined],
    ['lists of invalid items', { messages: [null, 1], tools: 'x' }, 'chat-completions'],
    ['a type that is not a string', { messages, tools: [{ type: { toString: null } }] }, 'chat-completions'],
  ])('recognizes %s', (_title, body, dialect) => {
    expect(recognizeDialect(body)).toBe(dialect);
  });

  it.each([
    ['chat-completions', chatCompletionsRequests],
    ['messages', messagesRequests],
    ['messages', betaMessagesRequests],
    ['responses', responsesRequests],
  ] as const)('recognizes the %s requests of the official SDKs', (dialect, requests) => {
    const wrong = requests.filter(({ body }) => recognizeDialect(body) !== dialect);
    expect(wrong.filter(({ body }) => Object.keys(body).length > 0)).toEqual([]);
  });
});

describe('typicalDialect', () => {
  it.each<[string, object, string | undefined]>([
    ['nothing typical', { model: 'm', messages }, undefined],
    ['a field of one dialect', { messages, system: 'x' }, 'messages'],
    ['a system message', { messages: [{ role: 'system', content: 'x' }] }, 'chat-completions'],
    ['fields of two dialects', { messages: [{ role: 'system', content: 'x' }], system: 'x' }, undefined],
  ])('typicalDialect handles %s', (_, body, dialect) => {
    expect(typicalDialect(body)).toBe(dialect);
  });
});
