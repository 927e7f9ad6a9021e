import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { applyPreset, withoutNullConversation } from './apply-preset.ts';

const chat = 'chat-completions';
const pairs = dialects.flatMap((from) => dialects.map((to) => [from, to] as const));

function apply(from: Dialect, config: object, to: Dialect, request: Readonly<Record<string, unknown>> = {}) {
  const version = {
    dialect: from,
    configJson: JSON.stringify(config),
    systemPrompt: null,
    extensionJson: null,
  };
  return applyPreset(request, to, version);
}

type InEach = Readonly<Record<Dialect, object>>;

const schema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const deferredTools = {
  protocol: 'v1',
  profile: 'portable',
  validation: 'runtime',
  search: { type: 'bm25' },
};
const clock = { type: 'openrouter:datetime', parameters: { timezone: 'UTC' } };
const weather: InEach = {
  [chat]: {
    type: 'function',
    function: { name: 'weather', description: 'The weather.', parameters: schema, strict: true },
  },
  messages: { name: 'weather', description: 'The weather.', input_schema: schema, strict: true },
  responses: {
    type: 'function',
    name: 'weather',
    description: 'The weather.',
    parameters: schema,
    strict: true,
  },
};

function withWeather(fields: InEach): InEach {
  const add = (dialect: Dialect) => ({ tools: [weather[dialect]], ...fields[dialect] });
  return { [chat]: add(chat), messages: add('messages'), responses: add('responses') };
}

function sameInEach(config: object): InEach {
  return { [chat]: config, messages: config, responses: config };
}

/** Settings that translate between all dialects without loss. */
const concepts: readonly (readonly [string, InEach])[] = [
  [
    'a token limit',
    {
      [chat]: { max_completion_tokens: 100 },
      messages: { max_tokens: 100 },
      responses: { max_output_tokens: 100 },
    },
  ],
  [
    'a function',
    {
      [chat]: { tools: [weather[chat]] },
      messages: { tools: [weather.messages] },
      responses: { tools: [weather.responses] },
    },
  ],
  ['an OpenRouter server tool', sameInEach({ tools: [clock] })],
  [
    'the order of tools',
    {
      [chat]: { tools: [clock, weather[chat]] },
      messages: { tools: [clock, weather.messages] },
      responses: { tools: [clock, weather.responses] },
    },
  ],
  [
    'a free choice of tools',
    withWeather({
      [chat]: { tool_choice: 'auto' },
      messages: { tool_choice: { type: 'auto' } },
      responses: { tool_choice: 'auto' },
    }),
  ],
  [
    'a choice of no tool',
    withWeather({
      [chat]: { tool_choice: 'none' },
      messages: { tool_choice: { type: 'none' } },
      responses: { tool_choice: 'none' },
    }),
  ],
  [
    'a required tool call',
    withWeather({
      [chat]: { tool_choice: 'required' },
      messages: { tool_choice: { type: 'any' } },
      responses: { tool_choice: 'required' },
    }),
  ],
  [
    'a required call of one tool',
    withWeather({
      [chat]: { tool_choice: { type: 'function', function: { name: 'weather' } } },
      messages: { tool_choice: { type: 'tool', name: 'weather' } },
      responses: { tool_choice: { type: 'function', name: 'weather' } },
    }),
  ],
  [
    'sequential tool calls',
    withWeather({
      [chat]: { tool_choice: 'required', parallel_tool_calls: false },
      messages: { tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      responses: { tool_choice: 'required', parallel_tool_calls: false },
    }),
  ],
  [
    'a reasoning effort',
    {
      [chat]: { reasoning: { effort: 'high' } },
      messages: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
      responses: { reasoning: { effort: 'high' } },
    },
  ],
  [
    'a reasoning budget',
    {
      [chat]: { reasoning: { max_tokens: 2048 } },
      messages: { thinking: { type: 'enabled', budget_tokens: 2048 } },
      responses: { reasoning: { max_tokens: 2048 } },
    },
  ],
  [
    'enabled reasoning',
    {
      [chat]: { reasoning: { enabled: true } },
      messages: { thinking: { type: 'adaptive' } },
      responses: { reasoning: { enabled: true } },
    },
  ],
  [
    'disabled reasoning',
    {
      [chat]: { reasoning: { effort: 'none' } },
      messages: { thinking: { type: 'disabled' } },
      responses: { reasoning: { effort: 'none' } },
    },
  ],
  [
    'hidden reasoning',
    {
      [chat]: { reasoning: { effort: 'low', exclude: true } },
      messages: { thinking: { type: 'adaptive', display: 'omitted' }, output_config: { effort: 'low' } },
      responses: { reasoning: { effort: 'low', exclude: true } },
    },
  ],
  [
    'structured output',
    {
      [chat]: {
        response_format: { type: 'json_schema', json_schema: { name: 'response', schema, strict: true } },
      },
      messages: { output_config: { format: { type: 'json_schema', schema } } },
      responses: { text: { format: { type: 'json_schema', name: 'response', schema, strict: true } } },
    },
  ],
  [
    'fields that all dialects share',
    sameInEach({
      model: 'vendor/model',
      models: ['a', 'b'],
      provider: { only: ['a'] },
      plugins: [{ id: 'web' }],
      route: 'fallback',
      deferred_tools: deferredTools,
      stop_server_tools_when: [{ type: 'step_count_is', step_count: 2 }],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      cache_control: { type: 'ephemeral' },
    }),
  ],
  ['an empty config', sameInEach({})],
];

describe.each(pairs)('a %s preset in a %s request', (from, to) => {
  it.each(concepts)('applies %s', (_, configs) => {
    expect(apply(from, configs[from], to)).toEqual({
      body: configs[to],
      droppedFields: [],
      overriddenFields: [],
    });
  });

  it.each(concepts)('reports an override if the request removes %s', (_, configs) => {
    const nulls = Object.fromEntries(Object.keys(configs[to]).map((name) => [name, null]));
    expect(apply(from, configs[from], to, nulls).overriddenFields).toEqual(Object.keys(configs[from]));
  });

  it('puts the system prompt where the dialect expects it', () => {
    const { body } = applyPreset({}, to, {
      dialect: from,
      configJson: '{}',
      systemPrompt: 'Be terse.',
      extensionJson: null,
    });
    const expected = {
      [chat]: { messages: [{ role: 'system', content: 'Be terse.' }] },
      messages: { system: 'Be terse.' },
      responses: { instructions: 'Be terse.' },
    };
    expect(body).toEqual(expected[to]);
  });

  it('lets the request override it as in its own dialect', () => {
    const limits = { [chat]: 'max_tokens', messages: 'max_tokens', responses: 'max_output_tokens' };
    const config = { [limits[from]]: 100, temperature: 0.5, tools: [weather[from]] };
    const replaced = { ...weather[to], defer_loading: true };
    const request = { [limits[to]]: 5, temperature: null, tools: [clock, replaced] };
    const { overriddenConfig = {}, ...applied } = apply(from, config, to, request);
    expect(applied).toEqual({
      body: { [limits[to]]: 5, tools: [replaced, clock] },
      droppedFields: [],
      overriddenFields: [limits[from], 'temperature', 'tools.weather'],
    });
    expect(Object.values(overriddenConfig)).toEqual(expect.arrayContaining([100, 0.5]));
    expect(overriddenConfig).not.toHaveProperty('tools');
  });

  it('is parsed once for all requests', () => {
    const version = {
      dialect: from,
      configJson: '{"provider":{"only":["a"]}}',
      systemPrompt: null,
      extensionJson: null,
    };
    const first = applyPreset({}, to, version).body;
    expect(applyPreset({ top_p: 1 }, to, version).body.provider).toBe(first.provider);
  });
});

const grammar = { definition: 'start: "a"', syntax: 'lark' };

/** Settings of one dialect and what becomes of them in another. */
const translations: readonly (readonly [string, Dialect, object, Dialect, object, readonly string[]])[] = [
  ['the older name of the token limit', chat, { max_tokens: 5 }, 'responses', { max_output_tokens: 5 }, []],
  [
    'both names of the token limit',
    chat,
    { max_completion_tokens: 9, max_tokens: 5 },
    'responses',
    { max_output_tokens: 9 },
    [],
  ],
  [
    'both names of the token limit in reverse order',
    chat,
    { max_tokens: 5, max_completion_tokens: 9 },
    'messages',
    { max_tokens: 9 },
    [],
  ],

  ['stop sequences', chat, { stop: ['a', 'b'] }, 'messages', { stop_sequences: ['a', 'b'] }, []],
  ['one stop sequence', chat, { stop: 'a' }, 'messages', { stop_sequences: ['a'] }, []],
  ['stop sequences', 'messages', { stop_sequences: ['a', 'b'] }, chat, { stop: ['a', 'b'] }, []],
  [
    'too many stop sequences',
    'messages',
    { stop_sequences: ['a', 'b', 'c', 'd', 'e', 'f'] },
    chat,
    { stop: ['a', 'b', 'c', 'd'] },
    ['stop_sequences.4', 'stop_sequences.5'],
  ],
  ['one stop sequence', chat, { stop: 'a' }, 'responses', { stop: ['a'] }, []],
  ['one stop sequence', 'responses', { stop: 'a' }, 'messages', { stop_sequences: ['a'] }, []],
  ['stop sequences', 'responses', { stop: ['a', 'b'] }, chat, { stop: ['a', 'b'] }, []],
  [
    'too many stop sequences',
    'messages',
    { stop_sequences: ['a', 'b', 'c', 'd', 'e'] },
    'responses',
    { stop: ['a', 'b', 'c', 'd'] },
    ['stop_sequences.4'],
  ],

  [
    'a list of fallbacks',
    'messages',
    { fallbacks: [{ model: 'a' }, { model: 'b' }] },
    chat,
    { models: ['a', 'b'] },
    [],
  ],
  ['fallbacks of the provider', 'messages', { fallbacks: 'default' }, 'responses', {}, ['fallbacks']],

  [
    'a function without parameters',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    'messages',
    { tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }] },
    [],
  ],
  [
    'a function without parameters',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: null, strict: false }] },
    [],
  ],
  [
    'a function without parameters',
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: null, description: null }] },
    chat,
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    [],
  ],
  [
    'a schema without a type',
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: {} }] },
    'messages',
    { tools: [{ name: 'f', input_schema: { type: 'object' } }] },
    [],
  ],
  [
    'a legacy function',
    chat,
    { functions: [{ name: 'f', parameters: schema }], function_call: { name: 'f' } },
    'messages',
    { tools: [{ name: 'f', input_schema: schema }], tool_choice: { type: 'tool', name: 'f' } },
    [],
  ],
  [
    'cache_control on a tool',
    chat,
    { tools: [{ type: 'function', function: { name: 'f' }, cache_control: { type: 'ephemeral' } }] },
    'messages',
    {
      tools: [
        { name: 'f', input_schema: { type: 'object', properties: {} }, cache_control: { type: 'ephemeral' } },
      ],
    },
    [],
  ],
  [
    'function fields that not every dialect has',
    'messages',
    {
      tools: [
        {
          type: 'custom',
          name: 'f',
          input_schema: schema,
          cache_control: { type: 'ephemeral' },
          defer_loading: true,
          strict: true,
        },
      ],
    },
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: schema, strict: true }] },
    ['tools.f.defer_loading', 'tools.f.cache_control'],
  ],
  [
    'tools that the model has to search for',
    'messages',
    { tools: [{ type: 'openrouter:tool_search' }, { name: 'f', input_schema: schema, defer_loading: true }] },
    'responses',
    {
      tools: [
        { type: 'openrouter:tool_search' },
        { type: 'function', name: 'f', parameters: schema, strict: false, defer_loading: true },
      ],
    },
    [],
  ],
  [
    'tools that the model has to search for, with a tool of one provider',
    'responses',
    {
      tools: [
        { type: 'tool_search' },
        { type: 'function', name: 'f', parameters: schema, defer_loading: true },
        { type: 'function', name: 'g', parameters: schema, defer_loading: false },
      ],
    },
    'messages',
    {
      tools: [
        { name: 'f', input_schema: schema },
        { name: 'g', input_schema: schema },
      ],
    },
    ['tools.tool_search', 'tools.f.defer_loading'],
  ],
  [
    'function fields that not every dialect has',
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: schema, async: true, defer_loading: true }] },
    chat,
    { tools: [{ type: 'function', function: { name: 'f', parameters: schema } }] },
    ['tools.f.defer_loading', 'tools.f.async'],
  ],
  [
    'a function with a field of responses',
    chat,
    { tools: [{ type: 'function', function: { name: 'f', parameters: schema }, async: true }] },
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: schema, strict: false, async: true }] },
    [],
  ],
  [
    'a custom tool',
    chat,
    { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } }] },
    'responses',
    { tools: [{ type: 'custom', name: 'c', format: { type: 'grammar', ...grammar } }] },
    [],
  ],
  [
    'a custom tool',
    'responses',
    { tools: [{ type: 'custom', name: 'c', format: { type: 'grammar', ...grammar } }] },
    chat,
    { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } }] },
    [],
  ],
  [
    'a custom tool',
    'responses',
    { tools: [{ type: 'custom', name: 'c', format: { type: 'text' } }] },
    chat,
    { tools: [{ type: 'custom', custom: { name: 'c', format: { type: 'text' } } }] },
    [],
  ],
  [
    'a custom tool',
    chat,
    { tools: [{ type: 'custom', custom: { name: 'c' } }] },
    'messages',
    {},
    ['tools.c'],
  ],
  [
    'web search',
    chat,
    {
      tools: [
        { type: 'web_search', parameters: { max_uses: 2, max_characters: 5, excluded_domains: ['a'] } },
      ],
    },
    'responses',
    { tools: [{ type: 'web_search', max_uses: 2, filters: { excluded_domains: ['a'] } }] },
    ['tools.web_search.max_characters'],
  ],
  [
    'web search',
    'responses',
    { tools: [{ type: 'web_search', external_web_access: false }] },
    chat,
    { tools: [{ type: 'web_search' }] },
    ['tools.web_search.external_web_access'],
  ],
  [
    'web search',
    'responses',
    {
      tools: [
        {
          type: 'web_search_preview',
          search_context_size: 'low',
          filters: { allowed_domains: ['a'], blocked_domains: ['b'] },
        },
      ],
    },
    chat,
    {
      tools: [
        {
          type: 'web_search_preview',
          search_context_size: 'low',
          allowed_domains: ['a'],
          excluded_domains: ['b'],
        },
      ],
    },
    [],
  ],
  [
    'web search',
    'messages',
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    chat,
    {},
    ['tools.web_search'],
  ],
  [
    'tools of one provider',
    'messages',
    { tools: [{ type: 'bash_20250124', name: 'bash' }, weather.messages] },
    chat,
    { tools: [weather[chat]] },
    ['tools.bash'],
  ],
  [
    'tools of one provider',
    'responses',
    { tools: [{ type: 'mcp', server_label: 'docs' }, { type: 'file_search' }] },
    'messages',
    {},
    ['tools.docs', 'tools.file_search'],
  ],

  [
    'a tool choice without tools',
    chat,
    { tool_choice: 'required', parallel_tool_calls: false },
    'messages',
    {},
    [],
  ],
  [
    'a choice of a dropped tool',
    'messages',
    {
      tools: [{ type: 'bash_20250124', name: 'bash' }, weather.messages],
      tool_choice: { type: 'tool', name: 'bash' },
    },
    chat,
    { tools: [weather[chat]] },
    ['tools.bash', 'tool_choice'],
  ],
  [
    'a choice of a custom tool',
    chat,
    {
      tools: [{ type: 'custom', custom: { name: 'c' } }],
      tool_choice: { type: 'custom', custom: { name: 'c' } },
    },
    'responses',
    { tools: [{ type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } },
    [],
  ],
  [
    'a required call of a custom tool',
    'responses',
    { tools: [{ type: 'custom', name: 'c' }], tool_choice: { type: 'custom', name: 'c' } },
    chat,
    {
      tools: [{ type: 'custom', custom: { name: 'c' } }],
      tool_choice: { type: 'custom', custom: { name: 'c' } },
    },
    [],
  ],
  [
    'a choice among allowed tools',
    chat,
    {
      tools: [weather[chat]],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: null, tools: [] } },
    },
    'responses',
    { tools: [weather.responses], tool_choice: { type: 'allowed_tools', tools: [] } },
    [],
  ],
  [
    'a choice among allowed tools',
    chat,
    {
      tools: [weather[chat]],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
    'responses',
    {
      tools: [weather.responses],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
    },
    [],
  ],
  [
    'a choice among allowed tools',
    'responses',
    {
      tools: [weather.responses],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'weather' }] },
    },
    chat,
    {
      tools: [weather[chat]],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    },
    [],
  ],
  [
    'a choice among allowed tools',
    'responses',
    { tools: [weather.responses], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } },
    'messages',
    { tools: [weather.messages] },
    ['tool_choice'],
  ],
  [
    'a choice of a server tool',
    chat,
    { tools: [clock], tool_choice: { type: 'openrouter:datetime' } },
    'responses',
    { tools: [clock], tool_choice: { type: 'openrouter:datetime' } },
    [],
  ],
  [
    'a choice of a server tool',
    chat,
    { tools: [clock], tool_choice: { type: 'openrouter:datetime' } },
    'messages',
    { tools: [clock] },
    ['tool_choice'],
  ],
  [
    'parallel tool calls',
    'responses',
    { tools: [weather.responses], parallel_tool_calls: true },
    'messages',
    { tools: [weather.messages], tool_choice: { type: 'auto', disable_parallel_tool_use: false } },
    [],
  ],
  [
    'parallel tool calls with the choice none',
    chat,
    { tools: [weather[chat]], tool_choice: 'none', parallel_tool_calls: true },
    'messages',
    { tools: [weather.messages], tool_choice: { type: 'none' } },
    [],
  ],

  [
    'the older name of the reasoning effort',
    chat,
    { reasoning_effort: 'low' },
    'responses',
    { reasoning: { effort: 'low' } },
    [],
  ],
  [
    'the minimal reasoning effort',
    chat,
    { reasoning_effort: 'minimal' },
    'messages',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    [],
  ],
  [
    'disabled reasoning',
    'responses',
    { reasoning: { enabled: false } },
    'messages',
    { thinking: { type: 'disabled' } },
    [],
  ],
  [
    'disabled reasoning',
    'responses',
    { reasoning: { enabled: false } },
    chat,
    { reasoning: { effort: 'none' } },
    [],
  ],
  [
    'an effort of disabled reasoning',
    'messages',
    { thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    chat,
    { reasoning: { effort: 'none' } },
    ['output_config.effort'],
  ],
  [
    'both a reasoning effort and a budget',
    'messages',
    { thinking: { type: 'enabled', budget_tokens: 2048 }, output_config: { effort: 'max' } },
    chat,
    { reasoning: { effort: 'max' } },
    ['thinking.budget_tokens'],
  ],
  [
    'both a reasoning effort and a budget',
    chat,
    { reasoning: { effort: 'max', max_tokens: 2048 } },
    'messages',
    { thinking: { type: 'enabled', budget_tokens: 2048 }, output_config: { effort: 'max' } },
    [],
  ],
  [
    'visible reasoning',
    'messages',
    { thinking: { type: 'adaptive', display: 'summarized' } },
    chat,
    { reasoning: { enabled: true, exclude: false } },
    [],
  ],
  [
    'visible reasoning',
    'messages',
    { thinking: { type: 'adaptive', display: 'summarized' } },
    'responses',
    { reasoning: { enabled: true, summary: 'auto' } },
    [],
  ],
  [
    'a reasoning summary',
    'responses',
    { reasoning: { effort: 'low', summary: 'concise' } },
    chat,
    { reasoning: { effort: 'low', summary: 'concise' } },
    [],
  ],
  [
    'a reasoning summary',
    'responses',
    { reasoning: { effort: 'low', summary: 'concise' } },
    'messages',
    { thinking: { type: 'adaptive', display: 'summarized' }, output_config: { effort: 'low' } },
    [],
  ],
  [
    'the older name of reasoning visibility',
    chat,
    { reasoning_effort: 'low', include_reasoning: false },
    'responses',
    { reasoning: { effort: 'low', exclude: true } },
    [],
  ],
  [
    'hidden reasoning without an effort',
    chat,
    { reasoning: { exclude: true } },
    'messages',
    {},
    ['reasoning.exclude'],
  ],
  [
    'reasoning fields that only responses has',
    'responses',
    { reasoning: { context: 'auto', effort: 'low', mode: 'pro', summary: null } },
    chat,
    { reasoning: { effort: 'low' } },
    ['reasoning.context', 'reasoning.mode'],
  ],
  [
    'thinking fields that only messages has',
    'messages',
    { thinking: { type: 'adaptive', display: 'updates', block_binding: {} } },
    'responses',
    { reasoning: { enabled: true } },
    ['thinking.display', 'thinking.block_binding'],
  ],
  [
    'a thinking type that only messages has',
    'messages',
    { thinking: { type: 'between_tools' } },
    chat,
    {},
    ['thinking'],
  ],

  [
    'JSON without a schema',
    chat,
    { response_format: { type: 'json_object' } },
    'responses',
    { text: { format: { type: 'json_object' } } },
    [],
  ],
  [
    'JSON without a schema',
    'responses',
    { text: { format: { type: 'json_object' } } },
    'messages',
    {},
    ['text.format'],
  ],
  ['the text format', chat, { response_format: { type: 'text' } }, 'messages', {}, []],
  [
    'a schema with a description',
    chat,
    { response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } } },
    'responses',
    { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema } } },
    [],
  ],
  [
    'a schema with a description',
    chat,
    { response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } } },
    'messages',
    { output_config: { format: { type: 'json_schema', schema } } },
    ['response_format.json_schema.description'],
  ],
  [
    'a schema with a description',
    'responses',
    { text: { format: { type: 'json_schema', name: 'n', description: 'd', schema } } },
    chat,
    { response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } } },
    [],
  ],
  [
    'disabled reasoning that would be hidden',
    chat,
    { reasoning: { enabled: false, exclude: true } },
    'messages',
    { thinking: { type: 'disabled' } },
    [],
  ],
  [
    'a format without a schema',
    chat,
    { response_format: { type: 'json_schema', json_schema: { name: 'n' } } },
    'responses',
    {},
    ['response_format'],
  ],
  [
    'a grammar',
    chat,
    { response_format: { type: 'grammar', grammar: 'g' } },
    'responses',
    {},
    ['response_format'],
  ],
  [
    'the older name of the output format',
    'messages',
    { output_format: { type: 'json_schema', schema } },
    'responses',
    { text: { format: { type: 'json_schema', name: 'response', schema, strict: true } } },
    [],
  ],
  [
    'a task budget',
    'messages',
    { output_config: { task_budget: { type: 'tokens', total: 20_000 } } },
    chat,
    {},
    ['output_config.task_budget'],
  ],

  ['verbosity', chat, { verbosity: 'low' }, 'responses', { text: { verbosity: 'low' } }, []],
  ['verbosity', 'responses', { text: { verbosity: 'low', format: null } }, chat, { verbosity: 'low' }, []],
  ['verbosity', chat, { verbosity: 'low' }, 'messages', {}, ['verbosity']],
  ['log probabilities', 'responses', { top_logprobs: 3 }, chat, { logprobs: true, top_logprobs: 3 }, []],
  ['modalities', chat, { modalities: ['text', 'image'] }, 'responses', { modalities: ['text', 'image'] }, []],
  [
    'audio output',
    chat,
    { modalities: ['text', 'audio'], audio: { format: 'wav', voice: 'v' } },
    'responses',
    {},
    ['modalities', 'audio'],
  ],
  [
    'fields that both OpenAI dialects have',
    chat,
    { frequency_penalty: 1, presence_penalty: 1, image_config: {}, max_tool_calls: 3, service_tier: 'flex' },
    'responses',
    { frequency_penalty: 1, presence_penalty: 1, image_config: {}, max_tool_calls: 3, service_tier: 'flex' },
    [],
  ],
  [
    'fields with the same name but another meaning',
    'messages',
    { service_tier: 'auto', context_management: { edits: [] } },
    'responses',
    {},
    ['service_tier', 'context_management'],
  ],
  [
    'fields with the same name but another meaning',
    'responses',
    { service_tier: 'auto', context_management: [] },
    'messages',
    {},
    ['service_tier', 'context_management'],
  ],
  [
    'unsupported fields, in the order of the config',
    chat,
    { seed: 1, reasoning: { summary: 'auto' }, top_p: 1, n: 2, stop: 'a', logit_bias: {} },
    'responses',
    { top_p: 1, reasoning: { summary: 'auto' }, stop: ['a'] },
    ['seed', 'n', 'logit_bias'],
  ],
];

describe('a translated preset', () => {
  it.each(translations)('has %s (%s %j in %s)', (_, from, config, to, body, droppedFields) => {
    expect(apply(from, config, to)).toEqual({ body, droppedFields, overriddenFields: [] });
  });

  it('applies its tool choice only if there are tools', () => {
    const config = { tool_choice: { type: 'any', disable_parallel_tool_use: true } };
    const request = { tools: [weather[chat]] };
    expect(apply('messages', config, chat, {}).body).toEqual({});
    expect(apply('messages', config, chat, { tools: [] }).body).toEqual({ tools: [] });
    expect(apply('messages', config, chat, request).body).toEqual({
      ...request,
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    expect(apply('messages', config, chat, { tool_choice: 'auto' }).body).toEqual({ tool_choice: 'auto' });
  });

  it('does not report a dropped field that the request sets itself', () => {
    const config = { service_tier: 'standard_only', speed: 'fast' };
    expect(apply('messages', config, chat, { service_tier: 'flex' })).toEqual({
      body: { service_tier: 'flex' },
      droppedFields: ['speed'],
      overriddenFields: [],
    });
  });

  it.each(pairs)('does not throw on malformed values: %s to %s', (from, to) => {
    const fields = [
      'tools',
      'tool_choice',
      'reasoning',
      'thinking',
      'text',
      'output_config',
      'response_format',
      'stop',
    ];
    for (const value of [
      5,
      'a',
      [],
      [null],
      [[5]],
      {},
      { type: 5 },
      { type: 'json_schema' },
      { type: 'function' },
    ])
      for (const field of fields) expect(() => apply(from, { [field]: value }, to)).not.toThrow();
  });
});

describe('a preset with messages and variables', () => {
  const version = {
    dialect: 'messages',
    configJson: '{"speed":"fast","temperature":0}',
    systemPrompt: null,
    extensionJson: JSON.stringify({
      messages: [{ role: 'user', content: 'In {{language}}' }],
      variables: { language: { type: 'string', default: 'German' } },
    }),
  } as const;
  const message = { role: 'user', content: 'In German' };
  const user = { role: 'user', content: 'Hello' };

  it('is applied with a report of what it overrides, drops and leaves to defaults', () => {
    expect(applyPreset({ messages: [user], temperature: 1 }, chat, version)).toEqual({
      body: { messages: [message, user], temperature: 1 },
      droppedFields: ['speed'],
      overriddenFields: ['temperature'],
      overriddenConfig: { temperature: 0 },
      defaultVariables: ['language'],
    });
  });

  it('reports messages that cannot be added, next to other losses', () => {
    expect(applyPreset({ messages: 5 }, chat, version)).toEqual({
      body: { messages: 5, temperature: 0 },
      droppedFields: ['speed', 'presetd.messages'],
      overriddenFields: [],
      defaultVariables: ['language'],
    });
  });
});

describe('a conversation that is null', () => {
  it.each<[object, object]>([
    [
      { messages: null, temperature: null, n: 1 },
      { temperature: null, n: 1 },
    ],
    [{ prompt: null, messages: [] }, { messages: [] }],
    [{ input: null }, {}],
  ])('is removed from %j', (request, expected) => {
    expect(withoutNullConversation({ ...request })).toEqual(expected);
  });

  it('is not looked for in other fields', () => {
    const request = { messages: [], temperature: null };
    expect(withoutNullConversation(request)).toBe(request);
  });
});
