import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json-object.ts';
import { type Dialect, dialects } from '../../../core/presets/preset.ts';
import { applyPreset } from '../apply-preset.ts';
import { findExtensionIssues } from './check-extension.ts';
import type { PresetMessage } from './messages.ts';

const chat = 'chat-completions';

interface Preset {
  readonly dialect: Dialect;
  readonly config?: JsonObject;
  readonly messages?: readonly PresetMessage[];
}

const tools = (dialect: Dialect, ...list: readonly object[]): Preset => ({
  dialect,
  config: { tools: list },
});
const turn = (dialect: Dialect, role: 'user' | 'assistant', part: JsonObject): Preset => ({
  dialect,
  messages: [
    { role: 'user', content: 'Hello' },
    { role, content: [part] },
  ],
});
const document = (source: object) => ({ type: 'document', source, title: '{{a}}.txt' });

/** Texts that are templates, with their paths in a capture. `mark` is the text. */
const templates: readonly (readonly [string, (mark: string) => Preset, path: string])[] = [
  [
    'a function of chat completions',
    (mark) => tools(chat, { type: 'function', function: { name: 'f', description: mark } }),
    '/tools/0/function/description',
  ],
  [
    'a custom tool of chat completions',
    (mark) => tools(chat, { type: 'custom', custom: { name: 'f', description: mark } }),
    '/tools/0/custom/description',
  ],
  [
    'a legacy function',
    (mark) => ({ dialect: chat, config: { functions: [{ name: 'f', description: mark }] } }),
    '/functions/0/description',
  ],
  [
    'a tool of messages',
    (mark) => tools('messages', { name: 'f', description: mark, input_schema: {} }),
    '/tools/0/description',
  ],
  [
    'a custom tool of responses',
    (mark) => tools('responses', { type: 'custom', name: 'f', description: mark }),
    '/tools/0/description',
  ],
  [
    'a namespace',
    (mark) => tools('responses', { type: 'namespace', name: 'n', description: mark, tools: [] }),
    '/tools/0/description',
  ],
  [
    'a tool in a namespace',
    (mark) =>
      tools('responses', {
        type: 'namespace',
        name: 'n',
        description: '',
        tools: [{ type: 'function', name: 'f', description: mark }],
      }),
    '/tools/0/tools/0/description',
  ],
  [
    'a text part',
    (mark) => turn(chat, 'user', { type: 'text', text: mark }),
    '/presetd/messages/1/content/0/text',
  ],
  [
    'an input item',
    (mark) => turn('messages', 'user', { type: 'input_text', text: mark }),
    '/presetd/messages/1/content/0/text',
  ],
  [
    'a refusal',
    (mark) => turn('responses', 'assistant', { type: 'refusal', refusal: mark }),
    '/presetd/messages/1/content/0/refusal',
  ],
  [
    'a document given as text',
    (mark) => turn('messages', 'user', document({ type: 'text', media_type: 'text/plain', data: mark })),
    '/presetd/messages/1/content/0/source/data',
  ],
];

/** Texts that have no variables, though a neighbor has. */
const literals: readonly (readonly [string, (mark: string) => Preset])[] = [
  [
    'the title of a document',
    (mark) =>
      turn('messages', 'user', {
        ...document({ type: 'text', media_type: 'text/plain', data: 'x' }),
        title: mark,
      }),
  ],
  [
    'a document made of blocks',
    (mark) =>
      turn('messages', 'user', document({ type: 'content', content: [{ type: 'text', text: mark }] })),
  ],
  [
    'a file of text',
    (mark) =>
      turn('responses', 'user', {
        type: 'input_file',
        filename: 'a.txt',
        file_data: `data:text/plain;base64,${btoa(mark)}`,
      }),
  ],
  [
    'the parameters of a tool',
    (mark) =>
      tools(chat, {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', description: mark } },
      }),
  ],
  [
    'what is next to a function',
    (mark) => tools(chat, { type: 'function', description: mark, function: { name: 'f' } }),
  ],
];

function issuesOf({ dialect, config = {}, messages = [] }: Preset) {
  const extension = { variables: { a: { type: 'string' } }, messages };
  return findExtensionIssues({ config, systemPrompt: null, extension }, dialect);
}

/** The JSON that a call sends, with files in clear text. */
function render({ dialect, config = {}, messages = [] }: Preset, to: Dialect): string {
  const version = {
    dialect,
    configJson: JSON.stringify(config),
    systemPrompt: null,
    extensionJson: JSON.stringify({ variables: { a: { type: 'string' } }, messages }),
  };
  const { body } = applyPreset({}, to, version, { a: 'V' });
  return JSON.stringify(body).replaceAll(/;base64,([\w+/=]*)/g, (_, data: string) => atob(data));
}

describe.each(templates)('%s', (_title, preset, path) => {
  it.each(dialects)('is rendered in calls of %s if they have the field', (to) => {
    const sent = render(preset('before {{a}} after'), to);
    expect(sent).not.toContain('before {{a}} after');
    const isSent = render(preset('before'), to).includes('before');
    expect(sent.includes('before V after')).toBe(isSent);
  });

  it('is checked when the preset is saved', () => {
    expect(issuesOf(preset('{{a}}'))).toEqual([]);
    expect(issuesOf(preset('{{b}}'))).toMatchObject([{ path, message: expect.stringContaining('{{b}}') }]);
    expect(issuesOf(preset('{{#'))).toMatchObject([{ path, message: expect.stringContaining('tag') }]);
  });
});

describe.each(literals)('%s', (_title, preset) => {
  it.each(dialects)('is sent unchanged in calls of %s if they have the field', (to) => {
    const isSent = render(preset('mark'), to).includes('mark');
    expect(render(preset('{{a}} {{b}} {{#'), to).includes('{{a}} {{b}} {{#')).toBe(isSent);
  });

  it('may contain anything', () => {
    expect(issuesOf(preset('{{b}} {{#'))).toEqual([]);
  });
});

it('every template is sent in its own dialect', () => {
  for (const [, preset] of templates) {
    const saved = preset('before {{a}}');
    expect(render(saved, saved.dialect)).toContain('before V');
  }
});

it('a document with a value that UTF-8 cannot express is an error where it becomes a file', () => {
  const { messages } = turn(
    'messages',
    'user',
    document({ type: 'text', media_type: 'text/plain', data: '{{a}}' }),
  );
  const version = {
    dialect: 'messages',
    configJson: '{}',
    systemPrompt: null,
    extensionJson: JSON.stringify({ variables: { a: { type: 'string' } }, messages }),
  } as const;
  const call = () => applyPreset({}, 'responses', version, { a: '\ud800' });
  expect(call).toThrow('/prompt/variables must not have unpaired surrogates');
});
