import { Ajv } from 'ajv';
import type OpenAI from 'openai';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ChatCompletionsRequest, chatCompletionsRequest } from './schema.ts';

const ajv = new Ajv({
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  strict: true,
  allowUnionTypes: true,
});
const validate = ajv.compile(chatCompletionsRequest);
const accepts = (fields: object) => validate({ messages: [{ role: 'user', content: 'Hello' }], ...fields });
const acceptsMessage = (message: object) => accepts({ messages: [message] });

const word = (length: number) => 'a'.repeat(length);
const emoji = (length: number) => '🙂'.repeat(length);
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

describe('the chat completions schema', () => {
  it("covers the request types of OpenAI's SDK", () => {
    expectTypeOf<OpenAI.ChatCompletionCreateParams>().toExtend<ChatCompletionsRequest>();
    expectTypeOf<
      Exclude<keyof OpenAI.ChatCompletionCreateParams, keyof ChatCompletionsRequest>
    >().toBeNever();
  });
});

describe('bounds of fields', () => {
  it.each([
    ['temperature', [0, 2, null], [-0.01, 2.01, '1']],
    ['top_p', [0, 1, null], [-0.01, 1.01]],
    ['top_k', [0, 1000, null], [-1, 1.5]],
    ['top_a', [0, 1, null], [-0.01, 1.01]],
    ['min_p', [0, 1, null], [-0.01, 1.01]],
    ['frequency_penalty', [-2, 2, null], [-2.01, 2.01]],
    ['presence_penalty', [-2, 2, null], [-2.01, 2.01]],
    ['repetition_penalty', [0, 2, null], [-0.01, 2.01]],
    ['top_logprobs', [0, 20, null], [-1, 21, 0.5]],
    ['logit_bias', [{ '1': -100, '2': 100 }, {}, null], [{ '1': -100.01 }, { '1\n2': 100.01 }, []]],
    ['max_tokens', [1, null], [0, 1.5]],
    ['max_completion_tokens', [1, null], [0, 1.5]],
    ['max_tool_calls', [1, 30], [0, 1.5, null]],
    ['n', [1, null], [0]],
    ['seed', [-1, 0, null], [0.5, '1']],
    ['stop', ['a', [], ['a', 'b', 'c', 'd'], null], [['a', 'b', 'c', 'd', 'e'], [1], 1]],
    ['session_id', [word(256), emoji(256), ''], [word(257), emoji(257), null]],
    ['user', [word(1000)], [null, 1]],
    ['metadata', [pairs(16), { [emoji(64)]: emoji(512) }, null], [pairs(17), { [word(65)]: '' }]],
    ['metadata', [{}], [{ a: word(513) }, { a: 1 }, { 'a\nb': word(513) }]],
    ['stop_server_tools_when', [[{ type: 'max_cost', max_cost_in_dollars: 1 }]], [[], null]],
  ])('%s is limited to its range', (name, valid, invalid) => {
    for (const value of valid) expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: true });
    for (const value of invalid)
      expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: false });
  });

  it('requires at least one message', () => {
    expect(validate({})).toBe(false);
    expect(validate({ messages: [] })).toBe(false);
    expect(validate({ messages: null })).toBe(false);
  });

  it.each(['model', 'models', 'plugins', 'response_format', 'tools', 'tool_choice', 'reasoning', 'trace'])(
    '%s cannot be null',
    (name) => {
      expect(accepts({ [name]: null })).toBe(false);
    },
  );
});

describe('enums of fields', () => {
  it.each([
    [
      'service_tier',
      ['auto', 'default', 'fast', 'flex', 'priority', 'scale', 'ultrafast', null],
      ['standard_only', ''],
    ],
    ['reasoning_effort', ['max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none', null], ['huge']],
    ['verbosity', ['low', 'medium', 'high', 'xhigh', 'max', null], ['none']],
    ['modalities', [['text', 'image', 'audio'], null], [['video'], 'text']],
    ['image_config', ['a', 1, [1], { aspect_ratio: '1:1' }], [true, null]],
    ['route', ['fallback', null, 1, { any: 'thing' }], []],
    ['function_call', ['none', 'auto', { name: 'f' }], ['required', {}]],
    ['usage', [{ include: true }, {}], [true]],
  ])('%s accepts only its own values', (name, valid, invalid) => {
    for (const value of valid) expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: true });
    for (const value of invalid)
      expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: false });
  });
});

describe('closed unions', () => {
  it.each([
    { role: 'system', content: 'a' },
    { role: 'developer', content: [{ type: 'text', text: 'a' }] },
    { role: 'user', content: [] },
    { role: 'assistant' },
    { role: 'assistant', content: null, tool_calls: null, function_call: null, audio: null },
    { role: 'tool', content: 'a', tool_call_id: 'c' },
    { role: 'function', content: null, name: 'f' },
  ])('accepts the message %j', (message) => {
    expect(acceptsMessage(message)).toBe(true);
  });

  it.each([
    { role: 'robot', content: 'a' },
    { content: 'a' },
    { role: 'system' },
    { role: 'system', content: null },
    { role: 'system', content: [{ type: 'image_url', image_url: { url: 'u' } }] },
    { role: 'user', content: 1 },
    { role: 'tool', content: 'a' },
    { role: 'function', content: 'a' },
  ])('rejects the message %j', (message) => {
    expect(acceptsMessage(message)).toBe(false);
  });

  it.each([
    { type: 'text' },
    { type: 'json_object' },
    { type: 'json_schema', json_schema: { name: word(64), strict: null } },
    { type: 'grammar', grammar: 'g' },
    { type: 'python' },
  ])('accepts the response format %j', (response_format) => {
    expect(accepts({ response_format })).toBe(true);
  });

  it.each([
    { type: 'xml' },
    { type: 'json_schema' },
    { type: 'json_schema', json_schema: { name: word(65) } },
    { type: 'grammar' },
    'text',
  ])('rejects the response format %j', (response_format) => {
    expect(accepts({ response_format })).toBe(false);
  });

  it('rejects an unknown stop condition', () => {
    expect(accepts({ stop_server_tools_when: [{ type: 'on_friday' }] })).toBe(false);
  });
});

describe('open unions', () => {
  it.each([
    ['a tool', { tools: [{ type: 'openrouter:future', anything: 1 }] }],
    ['a plugin', { plugins: [{ id: 'future', anything: 1 }] }],
    ['a tool choice', { tool_choice: { type: 'openrouter:future' } }],
    ['a content part', { messages: [{ role: 'user', content: [{ type: 'smell', smell: 1 }] }] }],
    ['a tool call', { messages: [{ role: 'assistant', tool_calls: [{ type: 'future' }] }] }],
  ])('accepts %s of an unknown type', (_, body) => {
    expect(accepts(body)).toBe(true);
  });

  it.each([
    ['a function without a name', { tools: [{ type: 'function', function: {} }] }],
    ['a function with a long name', { tools: [{ type: 'function', function: { name: word(65) } }] }],
    ['a tool without a type', { tools: [{ function: { name: 'f' } }] }],
    ['an advisor with a bad name', { tools: [{ type: 'openrouter:advisor', parameters: { name: 'a/b' } }] }],
    [
      'a subagent with too many tool calls',
      { tools: [{ type: 'openrouter:subagent', parameters: { max_tool_calls: 26 } }] },
    ],
    ['a plugin without an id', { plugins: [{ type: 'web' }] }],
    ['a plugin out of bounds', { plugins: [{ id: 'pareto-router', min_coding_score: 1.01 }] }],
    ['a choice of an unnamed function', { tool_choice: { type: 'function' } }],
    ['an unknown choice', { tool_choice: 'sometimes' }],
    ['a text part without text', { messages: [{ role: 'user', content: [{ type: 'text' }] }] }],
    [
      'an image without a url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
    ],
  ])('rejects %s', (_, body) => {
    expect(accepts(body)).toBe(false);
  });
});

describe('provider preferences', () => {
  it.each([
    null,
    {},
    { order: ['a-provider-of-future'], only: null, ignore: [], allow_fallbacks: null },
    { max_price: { prompt: '0.5', completion: 1.5 } },
    { sort: 'price' },
    { sort: { by: null, partition: 'none' } },
    { sort: null, preferred_min_throughput: 10, preferred_max_latency: { p50: 1, p99: null } },
    { quantizations: ['fp8'], data_collection: 'deny', zdr: true },
  ])('provider preferences accept %j', (provider) => {
    expect(accepts({ provider })).toBe(true);
  });

  it.each([
    'openai',
    { zero_data_retention: true },
    { order: 'openai' },
    { data_collection: 'maybe' },
    { sort: 'color' },
    { quantizations: ['fp3'] },
    { max_price: { prompt: true } },
    { preferred_max_latency: { p50: '1' } },
  ])('provider preferences reject %j', (provider) => {
    expect(accepts({ provider })).toBe(false);
  });
});

it('the schema accepts unknown fields of any name', () => {
  expect(validate(JSON.parse('{"messages":[{"role":"user","content":""}],"__proto__":1,"future":{}}'))).toBe(
    true,
  );
});
