import { describe, expect, test } from 'vitest';
import { dialects } from '../../../../../src/core/presets/preset.ts';
import { convertRequest } from './convert-request.ts';

const chat = {
  model: 'openai/gpt-5',
  temperature: 0.2,
  seed: 7,
  messages: [{ role: 'system', content: 'Greet {{customer}}.' }],
  presetd: { variables: { customer: { type: 'string' } } },
};

describe('converting a request', () => {
  test('keeps prompt, settings and extension, and says what it drops', () => {
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

  test('translates locks to the fields of the other format', () => {
    const presetd = { policy: { locked: ['max_tokens', 'seed', 'model'] } };
    const { text, dropped } = convertRequest({ ...chat, presetd }, 'chat-completions', 'responses');
    expect(JSON.parse(text).presetd.policy.locked).toEqual(['max_output_tokens', 'model']);
    expect(dropped).toContain('presetd.policy.locked: seed');
  });

  test('translates the parts of few-shot messages', () => {
    const messages = [
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
    ];
    const request = { ...chat, presetd: { messages } };
    const { text, dropped } = convertRequest(request, 'chat-completions', 'messages');
    expect(JSON.parse(text).presetd.messages).toMatchObject([
      { role: 'user', content: [{ type: 'image', source: { url: 'https://example.com/a.png' } }] },
    ]);
    expect(dropped).toContain('presetd.messages before the first turn of the user');
  });

  test.each(dialects.filter((dialect) => dialect !== 'chat-completions'))(
    'gives chat completions a message for a request of %s without a prompt',
    (dialect) => {
      const empty = dialect === 'messages' ? { model: 'm', messages: [] } : { model: 'm' };
      const { text } = convertRequest(empty, dialect, 'chat-completions');
      expect(JSON.parse(text).messages).toEqual([{ role: 'user', content: '' }]);
    },
  );
});
