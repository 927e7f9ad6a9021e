import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/json/json-object.ts';
import { parseExact } from '../../core/json/json-text.ts';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { dialectOf } from '../dialects.ts';
import { applyPreset } from './apply-preset.ts';
import { capturePreset } from './capture-preset.ts';
import type { AppliedVersion } from './prepared-preset.ts';

function version(dialect: Dialect, config: object, systemPrompt: string | null = null): AppliedVersion {
  return { dialect, configJson: JSON.stringify(config), systemPrompt, extensionJson: null };
}

/** A preset applied to a request of its own dialect. */
function apply(dialect: Dialect, config: object, request: object, systemPrompt: string | null = null) {
  const applied = applyPreset({ ...request }, dialect, version(dialect, config, systemPrompt));
  expect(applied.droppedFields).toEqual([]);
  return applied.body;
}

const completeRequests: Readonly<Record<Dialect, object>> = {
  'chat-completions': {
    model: 'openai/gpt-5.2',
    models: ['a', 'b'],
    temperature: 0.5,
    max_tokens: 100,
    stop: 'END',
    reasoning: { effort: 'high' },
    tools: [{ type: 'function', function: { name: 'get' } }, { type: 'openrouter:datetime' }],
    tool_choice: 'auto',
    seed: 7,
  },
  messages: {
    model: 'claude-sonnet-5',
    fallbacks: [{ model: 'a' }],
    max_tokens: 100,
    thinking: { type: 'enabled', budget_tokens: 2048 },
    tools: [{ name: 'get', input_schema: { type: 'object' } }],
    tool_choice: { type: 'any' },
    speed: 'fast',
  },
  responses: {
    model: 'openai/gpt-5.2',
    max_output_tokens: 100,
    reasoning: { effort: 'high', context: 'auto' },
    text: { verbosity: 'low' },
    tools: [{ type: 'mcp', server_label: 'a' }],
    truncation: 'auto',
  },
};

describe.each(dialects)('a %s preset', (dialect) => {
  const { minimalConversation } = dialectOf[dialect].request;
  const apply = (request: JsonObject, preset: AppliedVersion) => applyPreset(request, dialect, preset);
  const preset = version(dialect, completeRequests[dialect], 'Be terse.');

  it('survives being applied to an empty request and captured again', () => {
    const { body, droppedFields } = apply({}, preset);
    expect(droppedFields).toEqual([]);
    const captured = capturePreset({ ...minimalConversation, ...body }, dialect);
    expect(JSON.stringify(captured.config)).toBe(preset.configJson);
    expect(captured.systemPrompt).toBe('Be terse.');
  });

  it('modifies neither the request nor itself', () => {
    const request = { ...minimalConversation, ...completeRequests[dialect], temperature: null };
    const before = structuredClone(request);
    const first = apply(request, preset);
    expect(request).toEqual(before);
    expect(apply({}, preset)).toEqual(apply({}, { ...preset }));
    expect(apply(request, preset)).toEqual(first);
  });

  it('a preset without any fields changes nothing', () => {
    const request = { ...minimalConversation, temperature: null, x: { y: 1 } };
    expect(apply(request, version(dialect, {}))).toEqual({
      body: request,
      droppedFields: [],
      overriddenFields: [],
    });
  });

  it('keeps every digit of numbers in the preset and the request', () => {
    const configJson = '{"temperature":0.1000000000000000055511151231257827}';
    const request = parseExact('{"top_p":0.2000000000000000111022302462515654}') as Record<string, unknown>;
    const { body } = apply(request, { dialect, configJson, systemPrompt: null, extensionJson: null });
    expect(JSON.stringify(body)).toBe(
      '{"temperature":0.1000000000000000055511151231257827,"top_p":0.2000000000000000111022302462515654}',
    );
  });
});

describe('merged fields', () => {
  it.each<[string, Dialect, object, object, object]>([
    ['of both sides are sent', 'chat-completions', { seed: 1 }, { top_p: 1 }, { seed: 1, top_p: 1 }],
    ['of the request win', 'chat-completions', { seed: 1, n: 1 }, { seed: 2 }, { seed: 2, n: 1 }],
    [
      'of the request replace objects as a whole',
      'chat-completions',
      { provider: { only: ['a'], sort: 'price' } },
      { provider: { only: ['b'] } },
      { provider: { only: ['b'] } },
    ],
    [
      'of the request win even if false or zero',
      'chat-completions',
      { seed: 1, logprobs: true },
      { seed: 0, logprobs: false },
      { seed: 0, logprobs: false },
    ],
    [
      'are removed by null, which is not sent',
      'messages',
      { speed: 'fast', top_k: 1 },
      { speed: null },
      { top_k: 1 },
    ],
    [
      'that only the request has are sent even if null',
      'responses',
      { top_k: 1 },
      { truncation: null },
      { top_k: 1, truncation: null },
    ],
    ['that are unknown are sent', 'responses', {}, { future: [1] }, { future: [1] }],
  ])('fields %s', (_, dialect, config, request, expected) => {
    expect(apply(dialect, config, request)).toEqual(expected);
  });

  it.each<[Dialect, object, object, object]>([
    ['chat-completions', { max_tokens: 1 }, { max_completion_tokens: 2 }, { max_completion_tokens: 2 }],
    ['chat-completions', { max_completion_tokens: 1 }, { max_tokens: 2 }, { max_tokens: 2 }],
    ['chat-completions', { max_completion_tokens: 1 }, { max_tokens: null }, {}],
    [
      'chat-completions',
      { max_tokens: 1 },
      { max_tokens: null, max_completion_tokens: 2 },
      { max_completion_tokens: 2 },
    ],
    [
      'chat-completions',
      { reasoning: { effort: 'low' } },
      { reasoning_effort: 'high' },
      { reasoning_effort: 'high' },
    ],
    [
      'chat-completions',
      { reasoning_effort: 'low', include_reasoning: true },
      { reasoning: {} },
      { reasoning: {} },
    ],
    ['chat-completions', { reasoning_effort: 'low', include_reasoning: true }, { reasoning: null }, {}],
    [
      'chat-completions',
      { reasoning_effort: 'low' },
      { include_reasoning: false },
      { reasoning_effort: 'low', include_reasoning: false },
    ],
    ['chat-completions', { functions: [{ name: 'a' }] }, { tools: [] }, { tools: [] }],
    [
      'chat-completions',
      { functions: [{ name: 'a' }], function_call: { name: 'a' } },
      { tools: [] },
      { tools: [] },
    ],
    [
      'chat-completions',
      { tools: [{ type: 'x' }], tool_choice: 'required', parallel_tool_calls: false },
      { functions: [] },
      { functions: [] },
    ],
    [
      'chat-completions',
      { reasoning: { effort: 'high' } },
      { include_reasoning: true },
      { reasoning: { effort: 'high' }, include_reasoning: true },
    ],
    ['chat-completions', { tools: [{ type: 'x' }] }, { functions: [] }, { functions: [] }],
    ['chat-completions', { function_call: 'auto' }, { tool_choice: 'none' }, { tool_choice: 'none' }],
    ['messages', { models: ['a'] }, { fallbacks: [{ model: 'b' }] }, { fallbacks: [{ model: 'b' }] }],
    ['messages', { fallbacks: [{ model: 'b' }] }, { models: null }, {}],
    [
      'messages',
      { output_config: { effort: 'low' } },
      { output_format: { type: 'x' } },
      { output_format: { type: 'x' } },
    ],
  ])('fields of %s that conflict replace each other: %j and %j', (dialect, config, request, expected) => {
    expect(apply(dialect, config, request)).toEqual(expected);
  });
});

describe('merged tools', () => {
  const chat = (name: string, description = name) => ({ type: 'function', function: { name, description } });
  const server = { type: 'openrouter:web_search' };

  it.each<[string, unknown[], unknown, unknown]>([
    [
      "of both sides are sent, the preset's first",
      [chat('a'), server],
      [chat('b')],
      [chat('a'), server, chat('b')],
    ],
    [
      'of the request replace the same tool in its position',
      [chat('a'), chat('b'), server],
      [chat('c'), chat('b', 'new')],
      [chat('a'), chat('b', 'new'), server, chat('c')],
    ],
    [
      'that the preset repeats are replaced by one',
      [chat('a'), server, chat('a')],
      [chat('a', 'new')],
      [chat('a', 'new'), server],
    ],
    [
      'that the request repeats are both sent',
      [chat('a')],
      [chat('a', '1'), chat('a', '2')],
      [chat('a', '1'), chat('a', '2')],
    ],
    [
      'that cannot be identified are added',
      [{ type: 'function' }],
      [{ type: 'function' }, 5],
      [{ type: 'function' }, { type: 'function' }, 5],
    ],
    ['stay if the request has an empty list', [chat('a')], [], [chat('a')]],
    ['are replaced by a value that is not a list', [chat('a')], 'none', 'none'],
    ['are removed by null', [chat('a')], null, undefined],
    ['stay if the request has none', [chat('a')], undefined, [chat('a')]],
  ])('tools %s', (_, preset, requested, expected) => {
    const request = requested === undefined ? {} : { tools: requested };
    const body = apply('chat-completions', { tools: preset }, request);
    expect(body).toEqual(expected === undefined ? {} : { tools: expected });
  });

  it.each<[Dialect, object, object]>([
    [
      'messages',
      { name: 'a', input_schema: {} },
      { type: 'custom', name: 'a', input_schema: { type: 'object' } },
    ],
    [
      'responses',
      { type: 'function', name: 'a', parameters: {} },
      { type: 'function', name: 'a', parameters: null },
    ],
  ])('tools of %s are merged by name', (dialect, tool, replacement) => {
    const other = { type: 'openrouter:datetime' };
    expect(apply(dialect, { tools: [tool, other] }, { tools: [replacement] })).toEqual({
      tools: [replacement, other],
    });
  });

  it('removed tools take the tool choice with them', () => {
    const config = { tools: [chat('a')], tool_choice: 'required', parallel_tool_calls: false, seed: 1 };
    expect(apply('chat-completions', config, { tools: null })).toEqual({ seed: 1 });
    expect(apply('chat-completions', config, { tools: null, tool_choice: 'none' })).toEqual({
      seed: 1,
      tool_choice: 'none',
    });
  });

  it('tools may be missing next to a tool choice if the preset was written that way', () => {
    expect(apply('chat-completions', { tool_choice: 'auto' }, {})).toEqual({ tool_choice: 'auto' });
  });
});

describe("the preset's system prompt", () => {
  const user = { role: 'user', content: 'Hello' };
  const ours = { role: 'system', content: 'Be terse.' };
  const developer = { role: 'developer', content: '' };

  it.each<[string, Dialect, object, object]>([
    ['becomes the first message', 'chat-completions', { messages: [user] }, { messages: [ours, user] }],
    ['becomes the only message', 'chat-completions', {}, { messages: [ours] }],
    [
      'is replaced by a system message at the start',
      'chat-completions',
      { messages: [{ role: 'system' }, user] },
      { messages: [{ role: 'system' }, user] },
    ],
    [
      'precedes a system message within the conversation',
      'chat-completions',
      { messages: [user, { role: 'system' }] },
      { messages: [ours, user, { role: 'system' }] },
    ],
    [
      'is replaced by a developer message',
      'chat-completions',
      { messages: [developer] },
      { messages: [developer] },
    ],
    ['becomes `system`', 'messages', { messages: [user] }, { messages: [user], system: 'Be terse.' }],
    [
      'becomes `system` even without valid messages',
      'messages',
      { messages: 5 },
      { messages: 5, system: 'Be terse.' },
    ],
    ['is replaced by `system`', 'messages', { system: [] }, { system: [] }],
    ['is replaced by an empty `system`', 'messages', { system: '' }, { system: '' }],
    [
      'is replaced by a system message at the start',
      'messages',
      { messages: [ours, user] },
      { messages: [ours, user] },
    ],
    [
      'becomes `system` next to a system message within the conversation',
      'messages',
      { messages: [user, developer] },
      { messages: [user, developer], system: 'Be terse.' },
    ],
    ['is removed by null', 'messages', { system: null, messages: [] }, { messages: [] }],
    [
      'becomes `instructions`',
      'responses',
      { input: 'Hello' },
      { input: 'Hello', instructions: 'Be terse.' },
    ],
    ['is replaced by `instructions`', 'responses', { instructions: 'x' }, { instructions: 'x' }],
    ['is replaced by empty `instructions`', 'responses', { instructions: '' }, { instructions: '' }],
    ['is removed by null', 'responses', { instructions: null }, {}],
    [
      'is replaced by a developer item at the start of the input',
      'responses',
      { input: [developer, user] },
      { input: [developer, user] },
    ],
    [
      'becomes `instructions` next to a developer item within the conversation',
      'responses',
      { input: [user, developer] },
      { input: [user, developer], instructions: 'Be terse.' },
    ],
    [
      'becomes `instructions` if the conversation has begun in an earlier response',
      'responses',
      { input: [developer, user], previous_response_id: 'resp_1' },
      { input: [developer, user], previous_response_id: 'resp_1', instructions: 'Be terse.' },
    ],
    [
      'becomes `instructions` if the conversation is stored',
      'responses',
      { input: [developer, user], conversation: { id: 'conv_1' } },
      { input: [developer, user], conversation: { id: 'conv_1' }, instructions: 'Be terse.' },
    ],
    [
      'is replaced by a developer item at the start of a new conversation with an empty id',
      'responses',
      { input: [developer, user], previous_response_id: '' },
      { input: [developer, user], previous_response_id: '' },
    ],
    [
      'is replaced by a system item in the input',
      'responses',
      { input: [{ ...ours, type: 'message' }] },
      { input: [{ ...ours, type: 'message' }] },
    ],
    [
      'is not replaced by items that are not messages',
      'responses',
      { input: [{ ...developer, type: 'additional_tools' }] },
      { input: [{ ...developer, type: 'additional_tools' }], instructions: 'Be terse.' },
    ],
  ])("the preset's system prompt %s (%s)", (_, dialect, request, expected) => {
    expect(apply(dialect, {}, request, 'Be terse.')).toEqual(expected);
  });

  it.each<[Dialect, object]>([
    ['chat-completions', { messages: [user] }],
    ['messages', { system: null }],
    ['responses', { instructions: null }],
  ])('leaves a %s request unchanged if there is none', (dialect, request) => {
    expect(apply(dialect, {}, request, null)).toEqual(request);
  });

  it.each([{ messages: 5 }, { messages: null }, { messages: {} }, { prompt: 'Once' }])(
    'is reported as dropped if %j has no place for it',
    (request) => {
      expect(applyPreset(request, 'chat-completions', version('chat-completions', {}, 'Be terse.'))).toEqual({
        body: request,
        droppedFields: ['system_prompt'],
        overriddenFields: [],
      });
    },
  );
});

describe.each(dialects)('any value in a %s request', (dialect) => {
  const values = ['5', '"a"', 'true', '[]', '[null]', '[[],5,{"role":5}]', '{}', '{"length":3}', '1e999'];
  const names = [
    'messages',
    'input',
    'system',
    'instructions',
    'tools',
    'tool_choice',
    'models',
    'reasoning',
    'x',
  ];
  const presets = dialects.map((from) => version(from, completeRequests[from], 'Be terse.'));

  it.each(values)('the value %s is sent unchanged', (value) => {
    for (const preset of presets)
      for (const name of names) {
        const request = parseExact(`{${JSON.stringify(name)}:${value}}`) as Record<string, unknown>;
        const sent = JSON.stringify(applyPreset(request, dialect, preset).body[name]);
        // Items of the preset may precede the request's list.
        expect(sent.endsWith(value.startsWith('[') ? value.slice(1) : value)).toBe(true);
      }
  });

  it('a field may have any name', () => {
    const text = '{"__proto__":{"model":"evil"},"constructor":null,"toString":1,"hasOwnProperty":2,"":3}';
    for (const preset of presets) {
      const { body } = applyPreset(JSON.parse(text), dialect, preset);
      for (const [name, value] of Object.entries(JSON.parse(text))) {
        expect(Object.getOwnPropertyDescriptor(body, name)?.value).toEqual(value);
      }
      expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    }
  });
});
