import { expect, it } from 'vitest';
import { PresetdError } from '../../../core/errors.ts';
import type { Dialect } from '../../../core/presets/preset.ts';
import { applyPreset } from '../apply-preset.ts';

/** The messages of a call to a preset whose only message is the variable `photo`. */
function render(dialect: Dialect, role: 'user' | 'assistant', photo: object): unknown {
  const messages = [
    { role: 'user', content: 'Look.' },
    { role, content: '{{photo}}' },
  ];
  const extension = { variables: { photo: { type: 'string' } }, messages };
  const version = {
    dialect,
    configJson: '{}',
    systemPrompt: null,
    extensionJson: JSON.stringify(extension),
  } as const;
  try {
    const { body } = applyPreset({}, dialect, version, { photo });
    return ((body.messages ?? body.input) as readonly object[])[1];
  } catch (error) {
    if (error instanceof PresetdError) return error.issues;
    throw error;
  }
}

const image = { type: 'input_image', image_url: 'https://example.com/a.png' };

it('a message that is nothing but a variable becomes an image', () => {
  expect(render('messages', 'user', image)).toEqual({
    role: 'user',
    content: [{ type: 'image', source: { type: 'url', url: image.image_url } }],
  });
});

it.each<[Dialect, 'user' | 'assistant', object, string]>([
  ['chat-completions', 'user', { type: 'input_image', file_id: 'file-1' }, 'of a kind that this API'],
  [
    'messages',
    'user',
    { type: 'input_file', file_data: 'data:application/zip;base64,UEs=' },
    'of a kind that this API',
  ],
  ['chat-completions', 'assistant', image, 'in a turn of the assistant'],
])('a %s call rejects a value that a turn of the %s cannot express: %j', (dialect, role, photo, message) => {
  expect(render(dialect, role, photo)).toEqual([
    { path: '/prompt/variables/photo', message: expect.stringContaining(message) },
  ]);
});

it('parts of an image that a dialect cannot express are reported once', () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: '{{photo}}' }] }];
  const extension = { variables: { photo: { type: 'string' } }, messages: [...messages, ...messages] };
  const version = {
    dialect: 'chat-completions',
    configJson: '{}',
    systemPrompt: null,
    extensionJson: JSON.stringify(extension),
  } as const;
  const photo = { ...image, detail: 'high' };
  const droppedIn = (dialect: Dialect) => applyPreset({}, dialect, version, { photo }).droppedFields;
  expect(droppedIn('messages')).toEqual(['prompt.variables.photo.detail']);
  expect(droppedIn('chat-completions')).toEqual([]);
  expect(droppedIn('responses')).toEqual([]);
});
