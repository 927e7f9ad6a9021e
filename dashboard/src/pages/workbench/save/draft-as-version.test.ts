import { expect, test } from 'vitest';
import { draftAsVersion } from './draft-as-version.ts';

test.each([
  [
    'chat-completions',
    {
      model: 'a',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
      ],
    },
    { model: 'a', messages: [{ role: 'user', content: 'Hi' }] },
  ],
  [
    'messages',
    { model: 'a', max_tokens: 9, system: 'Be kind.', messages: [] },
    { model: 'a', max_tokens: 9, messages: [] },
  ],
] as const)('a draft of %s is compared by its prompt and its other fields', (dialect, body, config) => {
  expect(draftAsVersion(JSON.stringify(body), dialect)).toEqual({
    dialect,
    system_prompt: 'Be kind.',
    config,
    presetd: null,
  });
});

test('a draft that is not a JSON object cannot be compared by field', () => {
  expect(draftAsVersion('{"model": ', 'messages')).toBeUndefined();
});
