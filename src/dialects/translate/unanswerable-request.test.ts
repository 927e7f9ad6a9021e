import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { translateRequest } from './translate-request.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => [from, to] as const),
);

describe('a request without a message of the user', () => {
  const instructions = 'Write a haiku.';
  const blocks = [
    { type: 'text', text: instructions },
    { type: 'text', text: 'Be brief.' },
  ];

  it.each<[Dialect, JsonObject, Dialect, JsonObject, readonly string[]]>([
    [
      chat,
      { messages: [{ role: 'system', content: instructions }] },
      'messages',
      { messages: [{ role: 'user', content: instructions }] },
      ['messages.*.role'],
    ],
    [
      chat,
      { messages: [{ role: 'developer', content: blocks }] },
      'messages',
      { messages: [{ role: 'user', content: blocks }] },
      ['messages.*.role'],
    ],
    [
      chat,
      {
        messages: [
          { role: 'system', content: instructions },
          { role: 'user', content: ' ' },
        ],
      },
      'messages',
      { messages: [{ role: 'user', content: instructions }] },
      ['messages.*.role'],
    ],
    [
      'responses',
      { instructions },
      'messages',
      { messages: [{ role: 'user', content: instructions }] },
      ['instructions.role'],
    ],
    [
      'responses',
      { instructions, input: [], previous_response_id: null, conversation: null },
      'messages',
      { messages: [{ role: 'user', content: instructions }] },
      ['instructions.role'],
    ],
    [
      'responses',
      { input: [{ role: 'developer', content: instructions }] },
      'messages',
      { messages: [{ role: 'user', content: instructions }] },
      ['input.*.role'],
    ],
    [
      chat,
      { messages: [{ role: 'system', content: instructions }] },
      'responses',
      { input: [{ type: 'message', role: 'system', content: instructions }] },
      [],
    ],
    [
      'messages',
      { system: instructions, messages: [] },
      'responses',
      { input: [{ type: 'message', role: 'system', content: instructions }] },
      [],
    ],
    ['responses', { instructions }, chat, { messages: [{ role: 'system', content: instructions }] }, []],
  ])('is answered from its instructions, from %s %j to %s', (from, request, to, expected, dropped) => {
    const { body, droppedFields } = translateRequest(request, from, to);
    const { max_tokens: _, store: __, ...conversation } = body;
    expect([conversation, droppedFields]).toEqual([expected, dropped]);
  });

  it.each(pairs)('is refused if it has no instructions either, from %s to %s', (from, to) => {
    const field = from === 'responses' ? 'input' : 'messages';
    for (const request of [{}, { [field]: null }, { [field]: [] }])
      expect(() => translateRequest(request, from, to)).toThrow(`/${field} is empty; add a message.`);
  });
});

describe('a request whose question the provider cannot get', () => {
  const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };
  const document = { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } };
  const uploaded = { type: 'image', source: { type: 'file', file_id: 'file_1' } };
  const user = (...content: readonly unknown[]) => ({ role: 'user', content });

  it.each<[string, Dialect, JsonObject, Dialect]>([
    ['/messages ends with input_audio, which', chat, { messages: [user(audio)] }, 'messages'],
    ['/input ends with input_audio, which', 'responses', { input: [user(audio)] }, 'messages'],
    [
      '/messages ends with document, image, which',
      'messages',
      { system: 'Sum it up.', messages: [user(document, uploaded)] },
      chat,
    ],
    [
      '/messages ends with input_audio, which',
      chat,
      {
        messages: [
          { role: 'system', content: 'Sum it up.' },
          user({ type: 'text', text: 'Hi' }),
          user(audio),
        ],
      },
      'messages',
    ],
    [
      '/messages ends with input_audio, which',
      chat,
      {
        messages: [user({ type: 'text', text: 'Hi' }), user(audio), { role: 'assistant', content: 'Well,' }],
      },
      'messages',
    ],
    [
      '/messages ends with input_audio, text, which',
      chat,
      { messages: [user(audio, { type: 'text', text: ' ' })] },
      'messages',
    ],
    ['/messages ends with content, which', 'messages', { messages: [user({ type: 4 })] }, chat],
  ])('is refused: %s, in %s', (message, from, request, to) => {
    expect(() => translateRequest(request, from, to)).toThrow(
      `${message} the API of this model does not support; add a text, or choose another model.`,
    );
  });

  it.each<[string, readonly object[], unknown]>([
    [
      'an image is left of it',
      [user(audio, { type: 'image_url', image_url: { url: 'https://a.example/b.png' } })],
      [user({ type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } })],
    ],
    [
      'it belongs to an earlier turn',
      [user(audio), { role: 'assistant', content: 'Well,' }, { role: 'user', content: 'Go on.' }],
      [
        { role: 'assistant', content: 'Well,' },
        { role: 'user', content: 'Go on.' },
      ],
    ],
    [
      'the result of a tool follows',
      [
        user(audio),
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '' },
      ],
      [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
        user({ type: 'tool_result', tool_use_id: 'c' }),
      ],
    ],
    [
      'only blanks follow a text of it',
      [user(audio, { type: 'text', text: 'Go.' }), { role: 'user', content: ' ' }],
      [user({ type: 'text', text: 'Go.' })],
    ],
  ])('is sent if %s', (_, messages, expected) => {
    const { body, droppedFields } = translateRequest({ messages }, chat, 'messages');
    expect(body.messages).toEqual(expected);
    expect(droppedFields).toEqual(['messages.*.content.*.input_audio']);
  });

  it('is sent if a text is left of it', () => {
    const { body, droppedFields } = translateRequest(
      { messages: [user(audio, { type: 'text', text: 'What is it?' })] },
      chat,
      'messages',
    );
    expect(body.messages).toEqual([user({ type: 'text', text: 'What is it?' })]);
    expect(droppedFields).toEqual(['messages.*.content.*.input_audio']);
  });

  it('is sent if only items of hosted tools are lost after it', () => {
    const { body, droppedFields } = translateRequest(
      {
        input: [
          user({ type: 'input_text', text: 'Hi' }),
          { type: 'tool_search_call', call_id: 'c' },
          { type: 'tool_search_output', call_id: 'c', tools: [] },
        ],
      },
      'responses',
      'messages',
    );
    expect(body.messages).toEqual([user({ type: 'text', text: 'Hi' })]);
    expect(droppedFields).toEqual(['input.*.tool_search_call', 'input.*.tool_search_output']);
  });
});
