import type Anthropic from '@anthropic-ai/sdk';
import { Ajv } from 'ajv';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type MessagesRequest, messagesRequest } from './schema.ts';

const ajv = new Ajv({
  allErrors: false,
  coerceTypes: false,
  useDefaults: false,
  removeAdditional: false,
  strict: true,
  allowUnionTypes: true,
});
const validate = ajv.compile(messagesRequest);
const accepts = (fields: object) => validate({ model: 'm', messages: null, ...fields });
const acceptsBlock = (block: object) => accepts({ messages: [{ role: 'user', content: [block] }] });

const word = (length: number) => 'a'.repeat(length);
const emoji = (length: number) => '🙂'.repeat(length);

describe('the messages schema', () => {
  type BetaParams = Anthropic.Beta.Messages.MessageCreateParams;

  it("covers the request types of Anthropic's SDK", () => {
    expectTypeOf<Anthropic.MessageCreateParams>().toExtend<MessagesRequest>();
    // `tools` only differs in a readonly list.
    expectTypeOf<Omit<BetaParams, 'tools'>>().toExtend<Omit<MessagesRequest, 'tools'>>();
  });

  it("has every field of Anthropic's SDK except those sent as headers", () => {
    type HeaderParams = 'betas' | 'user_profile_id' | 'workspace_id';
    expectTypeOf<Exclude<keyof BetaParams, keyof MessagesRequest | HeaderParams>>().toBeNever();
  });
});

describe('required fields', () => {
  it.each([
    [{ model: 'm', messages: [] }, true],
    [{ model: 'm', messages: null }, true],
    [{ model: 'm' }, false],
    [{ messages: [] }, false],
    [{ model: null, messages: [] }, false],
    [{}, false],
  ])('the required fields decide whether %j is valid: %s', (body, valid) => {
    expect(validate(body)).toBe(valid);
  });
});

describe('bounds', () => {
  it.each([
    ['temperature', [0, 2], [-0.01, 2.01, null]],
    ['top_p', [0, 1], [-0.01, 1.01, null]],
    ['top_k', [0, 1000], [-1, 1.5, null]],
    ['max_tokens', [1], [0, 1.5, null]],
    ['session_id', [word(256), emoji(256)], [word(257), emoji(257)]],
    ['user', [word(256), emoji(256)], [word(257), emoji(257), null]],
    [
      'fallbacks',
      [[{ model: 'a' }, { model: 'b', max_tokens: 1 }, { model: 'c' }], [], null, 'default'],
      ['other'],
    ],
    ['fallbacks', [], [Array(4).fill({ model: 'a' }), [{}]]],
    ['metadata', [{ user_id: null }, { user_id: 'u', other: 1 }], [null, { user_id: 1 }]],
    ['output_config', [{ task_budget: { type: 'tokens', total: 20_000, remaining: 0 } }], []],
    ['output_config', [{}], [{ task_budget: { type: 'tokens', total: 19_999 } }, null]],
  ])('%s is limited to its range', (name, valid, invalid) => {
    for (const value of valid) expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: true });
    for (const value of invalid)
      expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: false });
  });
});

describe('enums', () => {
  it.each([
    ['speed', ['fast', 'standard', null], ['slow']],
    ['service_tier', ['auto', 'standard_only', 'anything'], [null, 1]],
    ['output_config', [{ effort: 'max' }, { effort: null, format: null }], [{ effort: 'none' }]],
    ['cache_control', [{ type: 'ephemeral', ttl: '1h' }, null], [{ type: 'ephemeral', ttl: '2h' }, {}]],
    ['container', ['c', { id: null, skills: null }, null], [1]],
    ['stream', [true, false], [null, 'true']],
    ['safeguards', [[{ type: 'x', more: 1 }], null], [[{}]]],
    ['route', ['fallback', null, 1], []],
  ])('%s accepts only its own values', (name, valid, invalid) => {
    for (const value of valid) expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: true });
    for (const value of invalid)
      expect({ value, ok: accepts({ [name]: value }) }).toEqual({ value, ok: false });
  });
});

describe('closed unions', () => {
  it.each([
    { thinking: { type: 'enabled', budget_tokens: 1024, display: 'omitted' } },
    { thinking: { type: 'disabled' } },
    { thinking: { type: 'adaptive', block_binding: null } },
    { thinking: { type: 'between_tools' } },
    { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    { tool_choice: { type: 'none' } },
    { tool_choice: { type: 'tool', name: 'f' } },
    { messages: [{ role: 'system', output_config: { effort: 'low' } }] },
    { system: [{ type: 'text', text: 'a', cache_control: null, citations: null }] },
  ])('closed unions accept %j', (body) => {
    expect(accepts(body)).toBe(true);
  });

  it.each([
    { thinking: { type: 'hidden' } },
    { thinking: { type: 'enabled' } },
    { thinking: { type: 'adaptive', display: 'full' } },
    { thinking: null },
    { tool_choice: { type: 'sometimes' } },
    { tool_choice: { type: 'tool' } },
    { tool_choice: 'auto' },
    { messages: [{ role: 'developer', content: 'a' }] },
    { messages: [{ role: 'user' }] },
    { system: [{ type: 'image', source: { type: 'url', url: 'u' } }] },
    { system: null },
  ])('closed unions reject %j', (body) => {
    expect(accepts(body)).toBe(false);
  });
});

describe('open unions', () => {
  it.each([
    ['a tool', { tools: [{ type: 'tool_of_20300101', anything: 1 }] }],
    ['a context edit', { context_management: { edits: [{ type: 'clear_20300101' }] } }],
    ['a plugin', { plugins: [{ id: 'future' }] }],
    ['a content block', { messages: [{ role: 'user', content: [{ type: 'smell' }] }] }],
  ])('accepts %s of an unknown type', (_, body) => {
    expect(accepts(body)).toBe(true);
  });

  it.each([
    ['without a type', { name: 'f', input_schema: {} }],
    ['with a null type', { type: null, name: 'f', input_schema: { required: null } }],
    ['with its type', { type: 'custom', name: 'f', input_schema: { type: 'object' } }],
  ])('accepts a custom tool %s', (_, tool) => {
    expect(accepts({ tools: [tool] })).toBe(true);
  });

  it.each([
    ['a custom tool without a schema', { tools: [{ name: 'f' }] }],
    ['a custom tool without a name', { tools: [{ type: 'custom', input_schema: {} }] }],
    ['a bash tool by another name', { tools: [{ type: 'bash_20250124', name: 'sh' }] }],
    ['an advisor without a model', { tools: [{ type: 'advisor_20260301', name: 'advisor' }] }],
    [
      'an edit with a bad trigger',
      { context_management: { edits: [{ type: 'compact_20260112', trigger: 1 }] } },
    ],
  ])('rejects %s', (_, body) => {
    expect(accepts(body)).toBe(false);
  });

  it.each([
    { type: 'text' },
    { type: 'image', source: { type: 'base64', data: 'x' } },
    { type: 'tool_use', name: 'f' },
    { type: 'tool_result', content: 'a' },
    { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text' }] },
    { type: 'thinking', thinking: 'a' },
    { text: 'a' },
  ])('rejects the content block %j', (block) => {
    expect(acceptsBlock(block)).toBe(false);
  });
});

it('only the provider preferences reject unknown keys', () => {
  expect(accepts({ provider: { future: 1 } })).toBe(false);
  expect(accepts({ future: 1, thinking: { type: 'disabled', future: 1 } })).toBe(true);
});
