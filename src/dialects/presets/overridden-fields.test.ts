import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import type { Dialect } from '../../core/presets/preset.ts';
import { applyPreset } from './apply-preset.ts';

const chat = 'chat-completions';
const find = { type: 'function', function: { name: 'find', parameters: { type: 'object' } } };
const send = { type: 'function', function: { name: 'send' } };

function overridden(
  from: Dialect,
  config: JsonObject,
  to: Dialect,
  request: JsonObject,
  systemPrompt: string | null = null,
): readonly string[] {
  const version = { dialect: from, configJson: JSON.stringify(config), systemPrompt, extensionJson: null };
  return applyPreset(request, to, version).overriddenFields;
}

describe('overridden fields', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['no field that only one side has', { seed: 1 }, { temperature: 1, messages: [] }, []],
    ['a field with another value', { seed: 1, top_p: 1 }, { seed: 2 }, ['seed']],
    ['no field with the same value', { seed: 1, stop: ['a', 'b'] }, { seed: 1, stop: ['a', 'b'] }, []],
    ['a list in another order', { stop: ['a', 'b'] }, { stop: ['b', 'a'] }, ['stop']],
    [
      'no object with the same keys in another order',
      { provider: { sort: 'price', zdr: true } },
      { provider: { zdr: true, sort: 'price' } },
      [],
    ],
    [
      'an object with fewer keys',
      { provider: { sort: 'price', zdr: true } },
      { provider: { zdr: true } },
      ['provider'],
    ],
    ['a field removed by null', { seed: 1 }, { seed: null }, ['seed']],
    [
      'fields in the order of the preset',
      { seed: 1, model: 'a', top_p: 1 },
      { top_p: 2, model: 'b' },
      ['model', 'top_p'],
    ],
    [
      'a field with two names by the other name',
      { max_tokens: 5 },
      { max_completion_tokens: 6 },
      ['max_tokens'],
    ],
    ['no field whose other name has the same value', { max_tokens: 5 }, { max_completion_tokens: 5 }, []],
    [
      'a field removed by null in its other name',
      { max_tokens: 5 },
      { max_completion_tokens: null },
      ['max_tokens'],
    ],
    [
      'a field by another that covers a part of it',
      { reasoning: { effort: 'low' } },
      { reasoning_effort: 'high' },
      ['reasoning'],
    ],
    [
      'a tool of the same name',
      { tools: [send, find] },
      { tools: [{ ...find, strict: true }] },
      ['tools.find'],
    ],
    ['no added or repeated tool', { tools: [find] }, { tools: [{ ...find }, send] }, []],
    [
      'tools and tool choice removed by null',
      { tools: [find], tool_choice: 'auto' },
      { tools: null },
      ['tools', 'tool_choice'],
    ],
    ['tools by legacy functions', { tools: [find] }, { functions: [find.function] }, ['tools']],
  ])('include %s', (_title, config, request, names) => {
    expect(overridden(chat, config, chat, request)).toEqual(names);
  });

  it.each<[string, Dialect, JsonObject, Dialect, JsonObject, readonly string[]]>([
    ['a token limit', 'messages', { max_tokens: 5 }, chat, { max_completion_tokens: 6 }, ['max_tokens']],
    [
      'a token limit by its older name',
      'messages',
      { max_tokens: 5 },
      chat,
      { max_tokens: 6 },
      ['max_tokens'],
    ],
    ['the same token limit', 'messages', { max_tokens: 5 }, chat, { max_completion_tokens: 5 }, []],
    ['stop sequences', chat, { stop: ['a'] }, 'messages', { stop_sequences: ['b'] }, ['stop']],
    [
      'a tool',
      chat,
      { tools: [find] },
      'messages',
      { tools: [{ name: 'find', input_schema: {} }] },
      ['tools.find'],
    ],
    [
      'a function',
      chat,
      { functions: [find.function] },
      'messages',
      { tools: [{ name: 'find' }] },
      ['functions.find'],
    ],
    [
      'two fields that become one in the dialect of the request',
      'messages',
      { output_config: { effort: 'low' }, max_tokens: 5, thinking: { type: 'adaptive' } },
      chat,
      { reasoning: { effort: 'high' } },
      ['output_config', 'thinking'],
    ],
    [
      'a part of a field',
      'messages',
      {
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        tools: [{ name: 'find', input_schema: {} }],
      },
      'responses',
      { parallel_tool_calls: true },
      ['tool_choice'],
    ],
    ['no field without a counterpart', chat, { seed: 7 }, 'messages', { seed: 8 }, []],
    ['no tool choice without tools', chat, { tool_choice: 'auto' }, 'messages', { max_tokens: 5 }, []],
  ])(
    'have the names of the preset if the request is in another dialect: %s',
    (_title, from, config, to, request, names) => {
      expect(overridden(from, config, to, request)).toEqual(names);
    },
  );

  it.each<[string, Dialect, JsonObject, boolean]>([
    ['a system message', chat, { messages: [{ role: 'system', content: 'Other.' }] }, true],
    ['a developer message', chat, { messages: [{ role: 'developer', content: 'Other.' }] }, true],
    [
      'a system message with the same text',
      chat,
      { messages: [{ role: 'system', content: 'Be terse.' }] },
      false,
    ],
    ['no system message', chat, { messages: [{ role: 'user', content: 'Other.' }] }, false],
    [
      'a system message with the same text and another',
      chat,
      {
        messages: [
          { role: 'system', content: 'Be terse.' },
          { role: 'developer', content: 'Other.' },
        ],
      },
      false,
    ],
    [
      'a system message with another text and one with the same',
      chat,
      {
        messages: [
          { role: 'system', content: 'Other.' },
          { role: 'system', content: 'Be terse.' },
        ],
      },
      true,
    ],
    [
      'the same system field and a system message',
      'messages',
      { system: 'Be terse.', messages: [{ role: 'system', content: 'Other.' }] },
      false,
    ],
    [
      'the same instructions and a developer item',
      'responses',
      { instructions: 'Be terse.', input: [{ role: 'developer', content: 'Other.' }] },
      false,
    ],
    ['a system field', 'messages', { system: 'Other.' }, true],
    ['a null system field', 'messages', { system: null }, true],
    ['a system message', 'messages', { messages: [{ role: 'system', content: 'Other.' }] }, true],
    ['blocks with the same text', 'messages', { system: [{ type: 'text', text: 'Be terse.' }] }, false],
    ['no system field', 'messages', { messages: [] }, false],
    ['instructions', 'responses', { instructions: 'Other.' }, true],
    ['null instructions', 'responses', { instructions: null }, true],
    ['a developer item', 'responses', { input: [{ role: 'developer', content: 'Other.' }] }, true],
    ['the same instructions', 'responses', { instructions: 'Be terse.' }, false],
    ['no instructions', 'responses', { input: 'Hi' }, false],
  ])(
    'begin with the system prompt if it is overridden: %s in %s',
    (_title, dialect, request, isOverridden) => {
      const names = overridden(dialect, { model: 'a' }, dialect, { model: 'b', ...request }, 'Be terse.');
      expect(names).toEqual(isOverridden ? ['system_prompt', 'model'] : ['model']);
      expect(overridden(dialect, {}, dialect, request, null)).toEqual([]);
    },
  );
});
