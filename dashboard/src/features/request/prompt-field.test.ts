import { describe, expect, test } from 'vitest';
import type { Dialect } from '../../../../src/core/presets/preset.ts';
import { readPrompt, writePrompt } from './prompt-field.ts';

const user = { role: 'user', content: 'Hi' };

/** A dialect, a request, its prompt, and the request with the prompt "New". */
const cases: readonly (readonly [Dialect, object, string, object])[] = [
  [
    'chat-completions',
    { messages: [{ role: 'system', content: 'Old' }, user] },
    'Old',
    { messages: [{ role: 'system', content: 'New' }, user] },
  ],
  [
    'chat-completions',
    {
      messages: [
        { role: 'developer', content: [{ type: 'text', text: 'A' }] },
        user,
        { role: 'system', content: 'B' },
      ],
    },
    'A\n\nB',
    { messages: [{ role: 'developer', content: 'New' }, user] },
  ],
  ['chat-completions', { messages: [user] }, '', { messages: [{ role: 'system', content: 'New' }, user] }],
  [
    'chat-completions',
    { messages: [{ role: 'user', content: '' }] },
    '',
    { messages: [{ role: 'system', content: 'New' }] },
  ],
  ['chat-completions', { model: 'a' }, '', { model: 'a', messages: [{ role: 'system', content: 'New' }] }],
  ['messages', { system: 'Old', messages: [] }, 'Old', { system: 'New', messages: [] }],
  [
    'messages',
    { system: [{ type: 'text', text: 'A' }], messages: [user, { role: 'system', content: 'B' }] },
    'A\n\nB',
    { system: 'New', messages: [user] },
  ],
  ['messages', { messages: [] }, '', { messages: [], system: 'New' }],
  ['messages', { messages: [{ role: 'system', content: 'A' }] }, 'A', { messages: [], system: 'New' }],
  ['responses', { instructions: 'Old' }, 'Old', { instructions: 'New' }],
  [
    'responses',
    { input: [{ role: 'developer', content: 'A' }, user] },
    'A',
    { input: [user], instructions: 'New' },
  ],
  ['responses', {}, '', { instructions: 'New' }],
];

describe('the system prompt of a request', () => {
  test.each(cases)('is read and replaced in %s %j', (dialect, body, prompt, expected) => {
    const text = JSON.stringify(body);
    expect(readPrompt(body as never, dialect)).toBe(prompt);
    const written = JSON.parse(writePrompt(text, body as never, dialect, 'New'));
    expect(written).toEqual(expected);
    expect(readPrompt(written, dialect)).toBe('New');
  });

  test.each(cases)('can be removed from %s %j', (dialect, body) => {
    const cleared = JSON.parse(writePrompt(JSON.stringify(body), body as never, dialect, ''));
    expect(readPrompt(cleared, dialect)).toBe('');
    if (dialect === 'chat-completions') expect(cleared.messages.length).toBeGreaterThan(0);
    if (dialect === 'messages') expect(cleared.messages).toBeInstanceOf(Array);
  });
});
