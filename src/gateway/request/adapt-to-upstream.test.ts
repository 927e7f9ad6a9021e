import { describe, expect, it } from 'vitest';
import { type Dialect, dialects } from '../../core/presets/preset.ts';
import { chatCompletionsRequest } from '../../dialects/chat-completions/schema.ts';
import { responsesRequest } from '../../dialects/responses/schema.ts';
import { type UpstreamKind, upstreamKinds } from '../upstreams/upstream.ts';
import { adaptToUpstream } from './adapt-to-upstream.ts';

const chat = 'chat-completions';
const others = upstreamKinds.filter((kind) => kind !== 'openrouter');
const clock = { type: 'openrouter:datetime' };
const search = { type: 'openrouter:web_search', parameters: { max_uses: 1 } };
const toolSearch = { type: 'openrouter:tool_search' };
const bm25 = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };
const weather = { type: 'function', function: { name: 'weather' } };
const cached = { type: 'text', text: 't', cache_control: { type: 'ephemeral' } };
const uncached = { type: 'text', text: 't' };
const hello = { role: 'user', content: 'Hello' };

const cases: readonly (readonly [string, Dialect, UpstreamKind, object, object, readonly string[]])[] = [
  [
    'routing',
    chat,
    'openai',
    { model: 'm', provider: {}, plugins: [], route: null },
    { model: 'm' },
    ['provider', 'plugins', 'route'],
  ],
  [
    'routing',
    chat,
    'openai-compatible',
    { model: 'm', models: 'x', session_id: 's', trace: {} },
    { model: 'm' },
    ['models', 'session_id', 'trace'],
  ],
  [
    'routing',
    'messages',
    'anthropic',
    { model: 'm', provider: {}, deferred_tools: {}, stop_server_tools_when: [] },
    { model: 'm' },
    ['provider', 'deferred_tools', 'stop_server_tools_when'],
  ],
  [
    'routing',
    'responses',
    'openai',
    { input: 'i', debug: {}, preset: 'p' },
    { input: 'i' },
    ['debug', 'preset'],
  ],
  [
    'sampling parameters that OpenAI lacks',
    chat,
    'openai',
    { top_k: 1, min_p: 0, top_a: 0, repetition_penalty: 1, seed: 1 },
    { seed: 1 },
    ['top_k', 'min_p', 'top_a', 'repetition_penalty'],
  ],
  [
    'sampling parameters that compatible servers accept',
    chat,
    'openai-compatible',
    { top_k: 1, min_p: 0, repetition_penalty: 1 },
    { top_k: 1, min_p: 0, repetition_penalty: 1 },
    [],
  ],
  [
    'sampling parameters that responses lacks',
    'responses',
    'openai',
    { top_k: 1, frequency_penalty: 1, top_p: 1, stop: 'a' },
    { top_p: 1 },
    ['top_k', 'frequency_penalty', 'stop'],
  ],
  ['stop sequences', 'responses', 'openai-compatible', { stop: 'a' }, { stop: 'a' }, []],
  ['cache_control', chat, 'openai', { cache_control: {} }, {}, ['cache_control']],
  ['cache_control', 'messages', 'anthropic', { cache_control: {} }, { cache_control: {} }, []],
  ['the end user', 'messages', 'anthropic', { user: 'u', metadata: {} }, { metadata: {} }, ['user']],
  ['the end user', chat, 'openai', { user: 'u' }, { user: 'u' }, []],
  ['a stored prompt', 'responses', 'openai', { prompt: { id: 'p' } }, { prompt: { id: 'p' } }, []],

  [
    'OpenRouter server tools among others',
    chat,
    'openai-compatible',
    { tools: [clock, weather, search], tool_choice: 'auto' },
    { tools: [weather], tool_choice: 'auto' },
    ['tools.openrouter:datetime', 'tools.openrouter:web_search'],
  ],
  [
    'only OpenRouter server tools',
    'responses',
    'openai',
    { tools: [clock], tool_choice: 'required', parallel_tool_calls: true },
    {},
    ['tools.openrouter:datetime', 'tool_choice', 'parallel_tool_calls'],
  ],
  [
    'several server tools of one type',
    'messages',
    'anthropic',
    { tools: [{ type: 'openrouter:advisor' }, { type: 'openrouter:advisor', parameters: { name: 'a' } }] },
    {},
    ['tools.openrouter:advisor'],
  ],
  [
    'web search, which OpenAI has in responses',
    'responses',
    'openai',
    { tools: [{ type: 'web_search' }] },
    { tools: [{ type: 'web_search' }] },
    [],
  ],
  [
    'a choice of a server tool',
    chat,
    'openai',
    { tools: [clock, weather], tool_choice: clock },
    { tools: [weather] },
    ['tools.openrouter:datetime', 'tool_choice'],
  ],
  [
    'deferred tools without the server tool that finds them',
    'responses',
    'openai',
    {
      tools: [
        toolSearch,
        { type: 'function', name: 'f', defer_loading: true },
        { type: 'function', name: 'g', defer_loading: false },
        { defer_loading: true },
        null,
      ],
    },
    {
      tools: [
        { type: 'function', name: 'f' },
        { type: 'function', name: 'g', defer_loading: false },
        {},
        null,
      ],
    },
    ['tools.openrouter:tool_search', 'tools.f.defer_loading', 'tools.*.defer_loading'],
  ],
  [
    'deferred tools that another tool finds',
    'messages',
    'anthropic',
    { tools: [toolSearch, bm25, { name: 'f', defer_loading: true }] },
    { tools: [bm25, { name: 'f', defer_loading: true }] },
    ['tools.openrouter:tool_search'],
  ],
  [
    'deferred tools that the client itself finds',
    'messages',
    'anthropic',
    { tools: [clock, { name: 'f', defer_loading: true }] },
    { tools: [{ name: 'f', defer_loading: true }] },
    ['tools.openrouter:datetime'],
  ],
  [
    'a tool with cache_control',
    chat,
    'openai',
    { tools: [{ ...weather, cache_control: {} }, weather] },
    { tools: [weather, weather] },
    ['tools.weather.cache_control'],
  ],
  [
    'a tool with cache_control',
    chat,
    'openai-compatible',
    { tools: [{ ...weather, cache_control: {} }] },
    { tools: [{ ...weather, cache_control: {} }] },
    [],
  ],
  [
    'unnamed tools with cache_control',
    chat,
    'openai',
    { tools: [{ cache_control: {} }, { type: { toString: null }, cache_control: {} }] },
    { tools: [{}, { type: { toString: null } }] },
    ['tools.0.cache_control', 'tools.1.cache_control'],
  ],
  [
    'an empty list of tools',
    chat,
    'openai',
    { tools: [], tool_choice: 'auto' },
    { tools: [], tool_choice: 'auto' },
    [],
  ],
  ['tools that are not a list', chat, 'openai', { tools: 5 }, { tools: 5 }, []],

  ['a reasoning effort', chat, 'openai', { reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }, []],
  [
    'a reasoning effort',
    chat,
    'openai-compatible',
    { reasoning: { effort: 'high', summary: null } },
    { reasoning_effort: 'high' },
    [],
  ],
  [
    'other reasoning fields',
    chat,
    'openai',
    { reasoning: { max_tokens: 5, exclude: true, enabled: true } },
    {},
    ['reasoning.max_tokens', 'reasoning.exclude', 'reasoning.enabled'],
  ],
  [
    'both forms of the reasoning effort',
    chat,
    'openai',
    { reasoning: { effort: 'high' }, reasoning_effort: 'low' },
    { reasoning_effort: 'low' },
    [],
  ],
  ['disabled reasoning', chat, 'openai', { reasoning: { enabled: false } }, { reasoning_effort: 'none' }, []],
  [
    'disabled reasoning with an effort',
    chat,
    'openai',
    { reasoning: { effort: 'high', enabled: false } },
    { reasoning_effort: 'high' },
    ['reasoning.enabled'],
  ],
  [
    'disabled reasoning with a null effort',
    chat,
    'openai',
    { reasoning: { effort: null, enabled: false } },
    { reasoning_effort: 'none' },
    [],
  ],
  ['a null effort', chat, 'openai', { reasoning: { effort: null } }, {}, []],
  ['a null effort', 'responses', 'openai', { reasoning: { effort: null } }, {}, []],
  ['null reasoning', chat, 'openai', { reasoning: null }, {}, ['reasoning']],
  [
    'reasoning fields that OpenAI has',
    'responses',
    'openai',
    { reasoning: { effort: 'low', summary: 'auto', generate_summary: 'auto', context: 'auto', mode: 'a' } },
    { reasoning: { effort: 'low', summary: 'auto', generate_summary: 'auto', context: 'auto', mode: 'a' } },
    [],
  ],
  [
    'reasoning fields that OpenAI lacks',
    'responses',
    'openai',
    { reasoning: { effort: 'low', max_tokens: 5, summary: 'auto' } },
    { reasoning: { effort: 'low', summary: 'auto' } },
    ['reasoning.max_tokens'],
  ],
  [
    'only reasoning fields that OpenAI lacks',
    'responses',
    'openai',
    { reasoning: { exclude: true } },
    {},
    ['reasoning.exclude'],
  ],
  [
    'disabled reasoning',
    'responses',
    'openai',
    { reasoning: { enabled: false } },
    { reasoning: { effort: 'none' } },
    [],
  ],
  [
    'reasoning for compatible servers',
    'responses',
    'openai-compatible',
    { reasoning: { enabled: true } },
    { reasoning: { enabled: true } },
    [],
  ],

  [
    'cache_control of content parts',
    chat,
    'openai',
    {
      messages: [{ role: 'system', content: [cached, uncached] }, hello, { role: 'tool', content: [cached] }],
    },
    {
      messages: [
        { role: 'system', content: [uncached, uncached] },
        hello,
        { role: 'tool', content: [uncached] },
      ],
    },
    ['messages.*.content.*.cache_control'],
  ],
  [
    'cache_control of content parts',
    chat,
    'openai-compatible',
    { messages: [{ role: 'user', content: [cached] }] },
    { messages: [{ role: 'user', content: [cached] }] },
    [],
  ],
  ['odd messages', chat, 'mistral', { messages: [null, 1, []] }, { messages: [null, 1, []] }, []],
  ['messages that are no list', chat, 'mistral', { messages: 'm' }, { messages: 'm' }, []],
  [
    'odd content',
    chat,
    'mistral',
    { messages: [{ role: 1, content: [null, 'a', cached] }] },
    { messages: [{ role: 1, content: [null, 'a', uncached] }] },
    ['messages.*.content.*.cache_control'],
  ],

  // Upstreams of a specific kind reject some fields and name others differently.
  [
    'everything',
    chat,
    'azure-openai',
    {
      top_k: 1,
      reasoning: { effort: 'low' },
      tools: [{ ...weather, cache_control: {} }],
      messages: [{ ...hello, content: [cached] }],
    },
    { tools: [weather], messages: [{ ...hello, content: [uncached] }], reasoning_effort: 'low' },
    ['top_k', 'tools.weather.cache_control', 'messages.*.content.*.cache_control'],
  ],
  [
    'everything',
    'responses',
    'azure-openai',
    { input: 'i', stop: 'a', reasoning: { effort: 'low', enabled: true } },
    { input: 'i', reasoning: { effort: 'low' } },
    ['stop', 'reasoning.enabled'],
  ],
  [
    'everything',
    chat,
    'gemini',
    {
      messages: [{ role: 'developer', content: 'Be brief.' }, hello],
      max_completion_tokens: 9,
      store: false,
      metadata: {},
      seed: 1,
      presence_penalty: 0,
      reasoning: { effort: 'low' },
    },
    {
      messages: [{ role: 'system', content: 'Be brief.' }, hello],
      max_completion_tokens: 9,
      reasoning_effort: 'low',
    },
    ['store', 'metadata', 'seed', 'presence_penalty'],
  ],
  [
    'everything',
    chat,
    'mistral',
    {
      messages: [
        { role: 'developer', content: [cached], name: 'n' },
        { role: 'assistant', content: 'c', reasoning_content: 'r' },
        hello,
      ],
      max_completion_tokens: 9,
      seed: 1,
      stream: true,
      stream_options: { include_usage: true },
      user: 'u',
      provider: {},
    },
    {
      messages: [{ role: 'system', content: [uncached] }, { role: 'assistant', content: 'c' }, hello],
      max_tokens: 9,
      random_seed: 1,
      stream: true,
    },
    [
      'stream_options',
      'user',
      'provider',
      'messages.*.content.*.cache_control',
      'messages.*.name',
      'messages.*.reasoning_content',
    ],
  ],
  [
    'both names of a field',
    chat,
    'mistral',
    { max_tokens: 5, max_completion_tokens: 9, seed: null },
    { max_tokens: 5, random_seed: null },
    ['max_completion_tokens'],
  ],
  [
    'everything',
    chat,
    'groq',
    {
      messages: [
        { role: 'developer', content: 'c', name: 'n' },
        { role: 'assistant', content: 'c', reasoning: 'r', reasoning_content: 'r' },
      ],
      logprobs: true,
      top_logprobs: 2,
      prompt_cache_key: 'k',
      include_reasoning: true,
      max_completion_tokens: 9,
    },
    {
      messages: [
        { role: 'developer', content: 'c' },
        { role: 'assistant', content: 'c', reasoning: 'r' },
      ],
      include_reasoning: true,
      max_completion_tokens: 9,
    },
    ['logprobs', 'top_logprobs', 'prompt_cache_key', 'messages.*.name', 'messages.*.reasoning_content'],
  ],
  [
    'everything',
    chat,
    'together',
    { messages: [{ role: 'developer', content: 'c' }], max_completion_tokens: 9, top_k: 1, provider: {} },
    { messages: [{ role: 'system', content: 'c' }], max_tokens: 9, top_k: 1 },
    ['provider'],
  ],
  [
    'everything',
    chat,
    'fireworks',
    {
      messages: [{ role: 'developer', content: [cached] }],
      tools: [{ ...weather, cache_control: {} }],
      top_k: 1,
      stream_options: { include_usage: true },
      store: true,
    },
    {
      messages: [{ role: 'system', content: [uncached] }],
      tools: [weather],
      top_k: 1,
      stream_options: { include_usage: true },
    },
    ['store', 'tools.weather.cache_control', 'messages.*.content.*.cache_control'],
  ],
  [
    'everything',
    'messages',
    'fireworks',
    {
      messages: [{ role: 'user', content: [cached] }],
      tools: [{ name: 'a', cache_control: {}, eager_input_streaming: true }, { name: 'b' }],
      user: 'u',
    },
    { messages: [{ role: 'user', content: [cached] }], tools: [{ name: 'a' }, { name: 'b' }] },
    ['user', 'tools.a.cache_control', 'tools.a.eager_input_streaming'],
  ],
  [
    'everything',
    chat,
    'deepseek',
    {
      messages: [
        { role: 'developer', content: 'c' },
        { role: 'assistant', reasoning_content: 'r' },
      ],
      max_completion_tokens: 9,
    },
    {
      messages: [
        { role: 'system', content: 'c' },
        { role: 'assistant', reasoning_content: 'r' },
      ],
      max_tokens: 9,
    },
    [],
  ],
  [
    'everything',
    chat,
    'xai',
    { messages: [{ role: 'developer', content: 'c' }], presence_penalty: 0, frequency_penalty: 0, stop: 'a' },
    { messages: [{ role: 'system', content: 'c' }], stop: 'a' },
    ['presence_penalty', 'frequency_penalty'],
  ],
  [
    'everything',
    chat,
    'ollama',
    { messages: [{ role: 'developer', content: 'c' }], max_completion_tokens: 9, top_k: 1 },
    { messages: [{ role: 'system', content: 'c' }], max_tokens: 9, top_k: 1 },
    [],
  ],
  [
    'everything',
    chat,
    'vllm',
    { messages: [{ role: 'developer', content: 'c' }], max_completion_tokens: 9, top_k: 1 },
    { messages: [{ role: 'system', content: 'c' }], max_completion_tokens: 9, top_k: 1 },
    [],
  ],
  [
    'input with a developer role',
    'responses',
    'deepseek',
    { input: [{ role: 'developer', content: 'c' }], max_output_tokens: 9 },
    { input: [{ role: 'developer', content: 'c' }], max_output_tokens: 9 },
    [],
  ],
];

describe('adaptToUpstream', () => {
  it.each(cases)('adapts %s in %s to %s: %j', (_, dialect, kind, body, adapted, droppedFields) => {
    const before = structuredClone(body);
    expect(adaptToUpstream({ ...body }, dialect, kind)).toEqual({ body: adapted, droppedFields });
    expect(body).toEqual(before);
  });

  it.each(dialects)('leaves a %s request to OpenRouter unchanged', (dialect) => {
    const body = { models: ['a'], provider: {}, tools: [clock], reasoning: { enabled: true }, user: 'u' };
    expect(adaptToUpstream(body, dialect, 'openrouter')).toEqual({ body, droppedFields: [] });
  });

  it.each(others)('returns the same object for %s if it supports every field', (kind) => {
    const messages = [hello, { role: 'assistant', content: [uncached] }];
    const body = { model: 'm', messages, tools: [weather], future: 1, temperature: 1 };
    for (const dialect of dialects) expect(adaptToUpstream(body, dialect, kind).body).toBe(body);
  });

  it('keeps fields with names such as __proto__ and constructor', () => {
    const body = JSON.parse('{"__proto__":{"a":1},"provider":{},"constructor":5}');
    const { body: adapted } = adaptToUpstream(body, chat, 'openai');
    expect(JSON.stringify(adapted)).toBe('{"__proto__":{"a":1},"constructor":5}');
  });

  it.each([
    [chat, chatCompletionsRequest],
    ['responses', responsesRequest],
  ] as const)('sends OpenAI only fields from its API reference in %s', (dialect, { properties }) => {
    // presetd removes its own field before.
    const names = Object.keys(properties).filter((name) => name !== 'presetd');
    const everything = Object.fromEntries(names.map((name) => [name, 1]));
    const { body } = adaptToUpstream(everything, dialect, 'openai');
    expect(Object.keys(body).sort()).toEqual(openAiFields[dialect].split(' '));
  });

  it('sends Mistral only fields of its SDK, except those that a request cannot do without', () => {
    const names = Object.keys(chatCompletionsRequest.properties).filter((name) => name !== 'presetd');
    const everything = Object.fromEntries(names.map((name) => [name, 1]));
    const { body } = adaptToUpstream(everything, chat, 'mistral');
    expect(Object.keys(body).sort()).toEqual(mistralFields.split(' '));
  });
});

/** The request parameters in the types of OpenAI's SDK, version 7.53. */
const openAiFields = {
  [chat]:
    'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages ' +
    'metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed ' +
    'service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity ' +
    'web_search_options',
  responses:
    'access_programs background context_management conversation image include input instructions max_output_tokens ' +
    'max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream ' +
    'stream_options temperature text tool_choice tools top_logprobs top_p truncation user',
};

/**
 * Those of Mistral's SDK, version 2.5, and `audio`, `functions`, `function_call` and
 * `web_search_options`, without which the response would answer another request.
 */
const mistralFields =
  'audio frequency_penalty function_call functions max_tokens messages metadata model n parallel_tool_calls ' +
  'prediction presence_penalty prompt_cache_key random_seed reasoning_effort response_format stop stream ' +
  'temperature tool_choice tools top_p web_search_options';
