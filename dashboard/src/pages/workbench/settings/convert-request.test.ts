import { expect, test } from 'vitest';
import { convertRequest } from './convert-request.ts';

const chat = {
  model: 'openai/gpt-5',
  temperature: 0.2,
  seed: 7,
  messages: [{ role: 'system', content: 'Greet {{customer}}.' }],
  presetd: { variables: { customer: { type: 'string' } } },
};

test('converts a request to another format and keeps its extension', () => {
  const { text, dropped } = convertRequest(chat, 'chat-completions', 'messages');
  expect(JSON.parse(text)).toMatchObject({
    model: 'openai/gpt-5',
    system: 'Greet {{customer}}.',
    temperature: 0.2,
    presetd: chat.presetd,
  });
  expect(dropped).toEqual(['seed']);
  const { text: back } = convertRequest(JSON.parse(text), 'messages', 'chat-completions');
  expect(JSON.parse(back)).toMatchObject({ messages: chat.messages, temperature: 0.2 });
});
