import { expect, it } from 'vitest';
import { messageTexts } from './message-texts.ts';

it('a text has the role prompt', () => {
  expect(messageTexts({ prompt: 'Hi' })).toEqual([{ speaker: 'prompt', text: 'Hi' }]);
});

it('messages have their texts, attachments and tool calls', () => {
  const calls = [
    { id: '1', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } },
  ];
  const parts = [
    { type: 'text', text: 'Look' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
  ];
  const messages = [
    { role: 'system', content: 'Be kind.' },
    { role: 'user', content: parts },
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'tool', tool_call_id: '1', content: 'Rain' },
    { role: 'assistant', content: '' },
    'no message',
  ];
  expect(messageTexts({ messages })).toEqual([
    { speaker: 'system', text: 'Be kind.' },
    { speaker: 'user', text: 'Look\n[Image]' },
    { speaker: 'assistant', text: 'weather({"city":"Zürich"})' },
    { speaker: 'tool', text: 'Rain' },
    { speaker: 'assistant', text: '(empty)' },
  ]);
});
