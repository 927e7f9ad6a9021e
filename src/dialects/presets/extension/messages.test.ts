import { Ajv } from 'ajv';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Dialect, dialects } from '../../../core/presets/preset.ts';
import type { Type } from '../../../core/type.ts';
import { checkMessages, type PresetMessage, presetMessages } from './messages.ts';

const accepts = new Ajv({ strict: true, allowUnionTypes: true }).compile(presetMessages);
const chat = 'chat-completions';
const url = 'https://a.example/b';

const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });

describe('the schema of preset messages', () => {
  it('describes preset messages', () => {
    expectTypeOf<Type.Static<typeof presetMessages>>().toExtend<readonly PresetMessage[]>();
  });

  it.each([
    [[]],
    [[{ role: 'user', content: 'Hi' }]],
    [[user({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } })]],
    [
      [
        user({ type: 'input_text', text: 'Hi' }),
        assistant({ type: 'output_text', text: 'Hi', annotations: [] }),
      ],
    ],
    [[user({ type: 'image_url', image_url: { url, detail: 'low' } })]],
    [[user({ type: 'image', source: { type: 'url', url } })]],
    [[user({ type: 'input_image', image_url: url, file_id: null, detail: 'auto' })]],
    [[user({ type: 'file', file: { file_id: 'file-1' } })]],
    [[user({ type: 'document', source: { type: 'file', file_id: 'file-1' }, title: null })]],
    [[user({ type: 'input_file', file_url: url, new_field: true })]],
    [[user({ type: 'input_audio', input_audio: { data: '', format: 'wav' } })]],
    [[assistant({ type: 'refusal', refusal: 'No.' })]],
    [Array(100).fill({ role: 'user', content: 'Hi' })],
  ])('accepts %j', (messages) => {
    expect(accepts(messages)).toBe(true);
  });

  it.each([
    [{}],
    [[{ role: 'system', content: 'Hi' }]],
    [[{ role: 'user' }]],
    [[{ role: 'user', content: '' }]],
    [[{ role: 'user', content: [] }]],
    [[{ role: 'user', content: null }]],
    [[{ role: 'user', content: 'Hi', name: 'Ann' }]],
    [[user('Hi')]],
    [[user({ type: 'tool_result', tool_use_id: 'call_1' })]],
    [[user({ type: 'image_url', image_url: url })]],
    [[user({ type: 'input_image', image_url: { url } })]],
    [[user({ type: 'text' })]],
    [Array(101).fill({ role: 'user', content: 'Hi' })],
  ])('rejects %j', (messages) => {
    expect(accepts(messages)).toBe(false);
  });
});

const text = { type: 'text', text: 'Hi' };
const inputText = { type: 'input_text', text: 'Hi' };
const outputText = { type: 'output_text', text: 'Hi' };
const refusal = { type: 'refusal', refusal: 'No.' };
const imageUrl = { type: 'image_url', image_url: { url } };
const image = { type: 'image', source: { type: 'url', url } };
const inputImage = { type: 'input_image', image_url: url };
const file = { type: 'file', file: { file_id: 'file-1' } };
const document = { type: 'document', source: { type: 'url', url } };
const inputFile = { type: 'input_file', file_url: url };
const audio = { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } };

const all = [
  text,
  inputText,
  outputText,
  refusal,
  imageUrl,
  image,
  inputImage,
  file,
  document,
  inputFile,
  audio,
];

const allowed: Readonly<Record<Dialect, { user: readonly object[]; assistant: readonly object[] }>> = {
  [chat]: {
    user: [text, inputText, imageUrl, inputImage, file, inputFile, audio],
    assistant: [text, inputText, refusal],
  },
  messages: {
    user: [text, inputText, image, inputImage, document, inputFile],
    assistant: [text, inputText],
  },
  responses: {
    user: [inputText, inputImage, inputFile, audio],
    assistant: [inputText, outputText, refusal],
  },
};

function check(messages: unknown, dialect: Dialect) {
  expect(accepts(messages)).toBe(true);
  return checkMessages(messages as readonly PresetMessage[], dialect);
}

type Case = [type: string, fields: object, path: string, names: string];

describe.each(dialects)('checkMessages for %s', (dialect) => {
  it.each(['user', 'assistant'] as const)(
    'allows the parts that the dialect has in a turn of the %s',
    (role) => {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role, content: all },
      ];
      const rejected = all.flatMap((part, index) =>
        allowed[dialect][role].includes(part) ? [] : [`/presetd/messages/1/content/${index}/type`],
      );
      expect(check(messages, dialect).map(({ path }) => path)).toEqual(rejected);
    },
  );

  it.each<Case>([
    ['input_image', {}, '', 'image_url, file_id'],
    ['input_image', { image_url: null, file_id: null }, '', 'image_url, file_id'],
    ['input_image', { image_url: url, file_id: 'file-1' }, '', 'image_url, file_id'],
    ['input_file', { filename: 'a.pdf' }, '', 'file_data, file_id, file_url'],
    ['input_file', { file_url: url, file_data: 'UEs=' }, '', 'file_data, file_id, file_url'],
    ...(dialect === chat
      ? [['file', { file: { filename: 'a' } }, '/file', 'file_data, file_id'] as Case]
      : []),
  ])('rejects an %s with %j, because it needs one source', (type, fields, path, names) => {
    expect(check([user({ type, ...fields })], dialect)).toEqual([
      {
        path: `/presetd/messages/0/content/0${path}`,
        message: `must have exactly one of the fields ${names}`,
      },
    ]);
  });

  it('rejects empty text, which Anthropic does not accept', () => {
    expect(check([user({ type: 'input_text', text: '' })], dialect)).toEqual([
      { path: '/presetd/messages/0/content/0/text', message: 'must not be empty' },
    ]);
  });

  it('reports all problems together', () => {
    const messages = [user(outputText, inputText), assistant(inputText, audio)];
    expect(check(messages, dialect).map(({ path }) => path)).toEqual([
      '/presetd/messages/0/content/0/type',
      '/presetd/messages/1/content/1/type',
    ]);
  });

  it('requires a user turn first only for messages', () => {
    const greeting = { role: 'assistant', content: 'How can I help?' };
    const expected = [
      {
        path: '/presetd/messages/0/role',
        message: 'must be "user", because Anthropic requires a conversation to start with a user turn',
      },
    ];
    expect(check([greeting, { role: 'user', content: 'Hi' }], dialect)).toEqual(
      dialect === 'messages' ? expected : [],
    );
    expect(check([{ role: 'user', content: 'Hi' }, greeting, greeting], dialect)).toEqual([]);
    expect(check([], dialect)).toEqual([]);
  });
});

it('an issue lists the types that the role allows', () => {
  expect(check([user(text), assistant(image)], 'messages')).toEqual([
    {
      path: '/presetd/messages/1/content/0/type',
      message: 'must be one of "text", "input_text" in a turn of the assistant',
    },
  ]);
});
