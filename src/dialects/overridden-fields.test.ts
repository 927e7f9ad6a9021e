import { describe, expect, it } from 'vitest';
import type { Dialect } from '../core/preset.ts';
import { dialectOf } from './dialects.ts';
import type { JsonObject } from './json-object.ts';

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
  const version = { dialect: from, configJson: JSON.stringify(config), systemPrompt };
  return dialectOf[to].applyPreset(request, version).overriddenFields;
}

describe('the fields of a preset that a request overrides', () => {
  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    ['none that only one side has', { seed: 1 }, { temperature: 1, messages: [] }, []],
    ['one with another value', { seed: 1, top_p: 1 }, { seed: 2 }, ['seed']],
    ['none with the same value', { seed: 1, stop: ['a', 'b'] }, { seed: 1, stop: ['a', 'b'] }, []],
    ['a list in another order', { stop: ['a', 'b'] }, { stop: ['b', 'a'] }, ['stop']],
    [
      'none whose parts are in another order',
      { provider: { sort: 'price', zdr: true } },
      { provider: { zdr: true, sort: 'price' } },
      [],
    ],
    [
      'one with fewer parts',
      { provider: { sort: 'price', zdr: true } },
      { provider: { zdr: true } },
      ['provider'],
    ],
    ['one that is taken away by null', { seed: 1 }, { seed: null }, ['seed']],
    [
      'in the order of the preset',
      { seed: 1, model: 'a', top_p: 1 },
      { top_p: 2, model: 'b' },
      ['model', 'top_p'],
    ],
    ['one by its other name', { max_tokens: 5 }, { max_completion_tokens: 6 }, ['max_tokens']],
    ['none by its other name with the same value', { max_tokens: 5 }, { max_completion_tokens: 5 }, []],
    ['one by null under its other name', { max_tokens: 5 }, { max_completion_tokens: null }, ['max_tokens']],
    [
      'one by one that says a part of it',
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
    ['no tool that is added or repeated', { tools: [find] }, { tools: [{ ...find }, send] }, []],
    [
      'all tools, and the choice among them, by null',
      { tools: [find], tool_choice: 'auto' },
      { tools: null },
      ['tools', 'tool_choice'],
    ],
    ['tools by their older form', { tools: [find] }, { functions: [find.function] }, ['tools']],
  ])('are %s', (_title, config, request, names) => {
    expect(overridden(chat, config, chat, request)).toEqual(names);
  });

  it.each<[string, Dialect, JsonObject, Dialect, JsonObject, readonly string[]]>([
    ['a token limit', 'messages', { max_tokens: 5 }, chat, { max_completion_tokens: 6 }, ['max_tokens']],
    ['its older name', 'messages', { max_tokens: 5 }, chat, { max_tokens: 6 }, ['max_tokens']],
    ['the same limit', 'messages', { max_tokens: 5 }, chat, { max_completion_tokens: 5 }, []],
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
      'one of two fields that say one thing here',
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
    ['nothing of what has no counterpart', chat, { seed: 7 }, 'messages', { seed: 8 }, []],
    ['no choice that waits for tools', chat, { tool_choice: 'auto' }, 'messages', { max_tokens: 5 }, []],
  ])(
    'keep their names where the request is in another dialect: %s',
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
    ['a system text', 'messages', { system: 'Other.' }, true],
    ['no system text, by null', 'messages', { system: null }, true],
    ['a system message', 'messages', { messages: [{ role: 'system', content: 'Other.' }] }, true],
    ['blocks with the same text', 'messages', { system: [{ type: 'text', text: 'Be terse.' }] }, false],
    ['no system text', 'messages', { messages: [] }, false],
    ['instructions', 'responses', { instructions: 'Other.' }, true],
    ['no instructions, by null', 'responses', { instructions: null }, true],
    ['an item of instructions', 'responses', { input: [{ role: 'developer', content: 'Other.' }] }, true],
    ['the same instructions', 'responses', { instructions: 'Be terse.' }, false],
    ['no instructions', 'responses', { input: 'Hi' }, false],
  ])(
    'have the system prompt first, where the request has %s in %s',
    (_title, dialect, request, isOverridden) => {
      const names = overridden(dialect, { model: 'a' }, dialect, { model: 'b', ...request }, 'Be terse.');
      expect(names).toEqual(isOverridden ? ['system_prompt', 'model'] : ['model']);
      expect(overridden(dialect, {}, dialect, request, null)).toEqual([]);
    },
  );
});
