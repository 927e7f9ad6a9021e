import { Ajv } from 'ajv';
import type OpenAI from 'openai';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ResponsesRequest, responsesRequest } from './schema.ts';

const ajv = new Ajv({
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  strict: true,
  allowUnionTypes: true,
});
const accepts = ajv.compile(responsesRequest);
const acceptsItem = (item: unknown) => accepts({ input: [item] });

const word = (length: number) => 'a'.repeat(length);
const emoji = (length: number) => '🙂'.repeat(length);
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));

describe('the responses schema', () => {
  type Params = OpenAI.Responses.ResponseCreateParams;

  it("covers the request types of OpenAI's SDK", () => {
    expectTypeOf<Params>().toExtend<ResponsesRequest>();
    expectTypeOf<Exclude<keyof Params, keyof ResponsesRequest>>().toBeNever();
  });
});

it('the schema accepts any object, even an empty one', () => {
  expect(accepts({})).toBe(true);
  expect(accepts(null)).toBe(false);
  expect(accepts([])).toBe(false);
});

describe('bounds', () => {
  it.each([
    ['temperature', [0, 2, null], [-0.01, 2.01]],
    ['top_p', [0, 1, null], [-0.01, 1.01]],
    ['top_k', [0, 1000], [-1, 1.5, null]],
    ['frequency_penalty', [-2, 2, null], [-2.01, 2.01]],
    ['presence_penalty', [-2, 2, null], [-2.01, 2.01]],
    ['top_logprobs', [0, 20, null], [-1, 21]],
    ['stop', ['a', [], ['a', 'b', 'c', 'd'], null], [['a', 'b', 'c', 'd', 'e'], [1], 1]],
    ['max_output_tokens', [1, null], [0, 1.5]],
    ['max_tool_calls', [1, null], [0, 1.5]],
    ['session_id', [word(256), emoji(256)], [word(257), emoji(257)]],
    ['user', [word(256), emoji(256)], [word(257), emoji(257)]],
    ['metadata', [pairs(16), { [emoji(64)]: emoji(512) }, null], [pairs(17), { [word(65)]: '' }]],
    ['metadata', [{}], [{ a: word(513) }, { a: 1 }]],
  ])('%s is limited to its range', (name, valid, invalid) => {
    for (const value of valid) expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: true });
    for (const value of invalid)
      expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: false });
  });
});

describe('enums', () => {
  it.each([
    ['service_tier', ['auto', 'scale', 'fast', 'ultrafast', null], ['standard_only']],
    ['truncation', ['auto', 'disabled', null], ['middle-out']],
    ['include', [['reasoning.encrypted_content', 'message.output_text.logprobs'], null], [['everything']]],
    ['modalities', [['text', 'image']], [['audio'], null]],
    [
      'reasoning',
      [{ effort: 'none', enabled: null, max_tokens: 0, mode: 'new' }, null],
      [{ effort: 'huge' }],
    ],
    ['text', [{ format: { type: 'text' }, verbosity: 'xhigh' }, {}], [{ verbosity: 'none' }, null]],
    ['store', [true, false, null], ['true']],
    ['previous_response_id', ['r', null, 1], []],
    ['conversation', ['c', { id: 'c' }, null], [{}]],
    ['context_management', [[{ type: 'future' }], null], [[{}], {}]],
    ['image_config', ['a', 1, [1], {}], [true]],
  ])('%s accepts only its own values', (name, valid, invalid) => {
    for (const value of valid) expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: true });
    for (const value of invalid)
      expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: false });
  });
});

describe('input', () => {
  it.each([
    { role: 'user', content: 'a' },
    { role: 'system' },
    { role: 'developer', content: null },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
    { role: 'user', content: [{ type: 'input_image' }, { type: 'text', text: 'a' }, { type: 'smell' }] },
    { id: 'msg' },
    { type: null, id: 'msg' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', output: [{ type: 'input_text', text: 'a' }] },
    { type: 'reasoning', summary: [] },
    { type: 'item_of_the_future', anything: 1 },
  ])('accepts the item %j', (item) => {
    expect(acceptsItem(item)).toBe(true);
  });

  it.each([
    { role: 'robot', content: 'a' },
    { type: 'message', content: 'a' },
    { role: 'user', content: [{ type: 'input_text' }] },
    { role: 'user', content: [{ type: 'input_image', detail: 'blurred' }] },
    { role: 'user', content: 1 },
    { type: 'function_call', name: 'f', arguments: '{}' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: {} },
    { type: 'item_reference' },
    {},
    'a',
    null,
  ])('rejects the item %j', (item) => {
    expect(acceptsItem(item)).toBe(false);
  });

  it('accepts a string but not null', () => {
    expect(accepts({ input: 'a' })).toBe(true);
    expect(accepts({ input: null })).toBe(false);
  });
});

describe('tools', () => {
  it.each([
    { tools: [{ type: 'function', name: 'f', parameters: null }] },
    { tools: [{ type: 'custom', name: 'f', format: { type: 'future' } }] },
    { tools: [{ type: 'tool_of_the_future' }, { type: 'openrouter:future' }] },
    { tools: [{ type: 'mcp', server_label: 'l', require_approval: 'never', allowed_tools: null }] },
    { tool_choice: 'required' },
    { tool_choice: { type: 'function', name: 'f' } },
    { tool_choice: { type: 'file_search' } },
    { tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } },
    { plugins: [{ id: 'future' }] },
  ])('accepts the tool %j', (body) => {
    expect(accepts(body)).toBe(true);
  });

  it.each([
    { tools: [{ type: 'function', name: 'f' }] },
    { tools: [{ type: 'function', function: { name: 'f' } }] },
    { tools: [{ type: 'file_search' }] },
    { tools: [{ type: 'code_interpreter' }] },
    { tools: [{ type: 'mcp' }] },
    { tools: [{ name: 'f' }] },
    { tool_choice: 'sometimes' },
    { tool_choice: { type: 'function' } },
    { tool_choice: { type: 'allowed_tools', tools: [] } },
    { text: { format: { type: 'grammar' } } },
    { text: { format: { type: 'json_schema', schema: {} } } },
    { provider: { future: true } },
  ])('rejects the tool %j', (body) => {
    expect(accepts(body)).toBe(false);
  });
});
