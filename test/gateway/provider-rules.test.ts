import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json-object.ts';
import type { Dialect } from '../../src/core/presets/preset.ts';
import { findRejections } from '../support/provider-rules.ts';

const chat = 'chat-completions';
const user = (content: unknown) => ({ role: 'user', content });
const valid: Readonly<Record<Dialect, JsonObject>> = {
  [chat]: { model: 'm', messages: [user('Hi')] },
  messages: { model: 'm', max_tokens: 9, messages: [user('Hi')] },
  responses: { model: 'm', input: 'Hi' },
};

const long = 'a'.repeat(65);
const empty = { type: 'object', properties: {} };
const closed = (properties: JsonObject, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string' };
const many = (count: number, each: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, each]));
const chatTool = (definition: JsonObject) => ({
  tools: [{ type: 'function', function: { name: 'f', ...definition } }],
});
const chatFormat = (schema: JsonObject) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'n', schema, strict: true } },
});
const format = (schema: JsonObject) => ({ output_config: { format: { type: 'json_schema', schema } } });
const strictTool = (schema: JsonObject) => ({ tools: [{ name: 'f', input_schema: schema, strict: true }] });
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const use = { type: 'tool_use', id: 'c', name: 'f', input: {} };
const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok' };
const part = (value: JsonObject) => ({ messages: [user([value])] });

type Row = readonly [dialect: Dialect, change: JsonObject, problem: string];

const rows: readonly Row[] = [
  [chat, { top_k: 1 }, 'unknown field top_k'],
  [chat, { messages: [] }, 'minimum length 1'],
  [chat, { messages: [{ role: 'bot', content: 'Hi' }] }, 'invalid role bot'],
  [chat, { messages: [{ ...user('Hi'), id: 1 }] }, 'unknown field id'],
  [chat, part({ type: 'input_text', text: 'Hi' }), 'invalid part input_text'],
  [chat, part({ type: 'file', file: { file_data: 'https://a.example/b.pdf' } }), 'expected base64'],
  [chat, { messages: [user([])] }, 'empty array'],
  [
    chat,
    { messages: [user('Hi'), { role: 'assistant', content: null, tool_calls: [call] }] },
    'must be followed',
  ],
  [chat, chatTool({ name: long }), 'does not match'],
  [chat, { tools: [{ type: 'web_search' }] }, 'invalid type web_search'],
  [chat, chatTool({ parameters: { type: 'object' } }), 'missing properties'],
  [chat, chatTool({ parameters: { ...empty, properties: { a: { type: 'array' } } } }), 'missing items'],
  [chat, chatTool({ parameters: empty, strict: true }), 'must be false'],
  [chat, chatTool({ parameters: closed({ a: text }, []), strict: true }), 'must include every key'],
  [chat, { ...chatTool({}), tool_choice: { type: 'web_search' } }, 'web_search is not among the tools'],
  [chat, { ...chatTool({}), tool_choice: { type: 'function', function: { name: 'g' } } }, 'g is not among'],
  [chat, { tool_choice: 'auto' }, 'only allowed with tools'],
  [chat, chatFormat({ anyOf: [closed({})] }), 'root of a schema'],
  [chat, chatFormat(closed({ a: { ...text, default: 'b' } })), "'default' is not permitted"],
  [chat, chatFormat(closed({ a: { $ref: '#', title: 't' } })), '$ref cannot have keywords'],
  [chat, chatFormat(closed({ a: {} })), "'type' key"],
  [chat, chatFormat(closed({ a: { ...text, format: 'uri' } })), 'not a valid format'],
  [chat, { stop: ['a', 'b', 'c', 'd', 'e'] }, 'at most 4'],
  [chat, { user: long }, 'longer than 64'],
  [chat, { top_logprobs: 2 }, 'requires logprobs'],

  ['responses', { stop: ['a'] }, 'unknown field stop'],
  ['responses', { input: [] }, 'must be provided'],
  [
    'responses',
    { input: [{ ...user('Hi'), role: 'assistant', content: [{ type: 'input_text' }] }] },
    'invalid part',
  ],
  [
    'responses',
    { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }] },
    'no tool output',
  ],
  ['responses', { tools: [{ type: 'function', name: 'f' }] }, 'requires parameters and strict'],
  [
    'responses',
    { tools: [{ type: 'function', name: 'f', parameters: null, strict: false, defer_loading: true }] },
    'require tools.tool_search',
  ],
  ['responses', { max_output_tokens: 1 }, 'below 16'],
  ['responses', { reasoning: { max_tokens: 9 } }, 'unknown field max_tokens'],
  [
    'responses',
    { text: { format: { type: 'json_schema', name: 'n', schema: empty, strict: true } } },
    'must be false',
  ],

  ['messages', { seed: 1 }, 'unknown field seed'],
  ['messages', { max_tokens: undefined }, 'field required'],
  ['messages', { messages: [] }, 'at least one message'],
  ['messages', { messages: [user('')] }, 'must be non-empty'],
  ['messages', { messages: [{ role: 'system', content: 'Hi' }] }, 'role system'],
  ['messages', { messages: [{ role: 'assistant', content: [use] }, user('Hi')] }, 'without tool_result'],
  ['messages', part({ ...use, id: 'a.b' }), 'tool_use.id'],
  ['messages', { messages: [user([{ type: 'text', text: 'Hi' }, result])] }, 'must come before'],
  ['messages', { temperature: 1.5 }, 'above 1'],
  ['messages', { temperature: 1, top_p: 0.9 }, 'cannot both'],
  ['messages', { tools: [{ name: 'f', input_schema: { ...empty, anyOf: [] } }] }, 'at the top level'],
  ['messages', { tools: [{ name: 'f', input_schema: {} }] }, 'should be "object"'],
  ['messages', { tools: [{ type: 'web_search' }] }, 'invalid type web_search'],
  ['messages', { tool_choice: { type: 'any' } }, 'only be specified with tools'],
  ['messages', { ...strictTool(closed({})), tool_choice: { type: 'tool', name: 'g' } }, 'g not found'],
  ['messages', strictTool(empty), 'explicitly set to false'],
  ['messages', format(closed({ a: { type: 'integer', minimum: 1 } })), "property 'minimum' is not supported"],
  ['messages', format(closed({ a: {} })), 'type is missing'],
  ['messages', format(closed({ a: { oneOf: [text] } })), "'oneOf' is not supported"],
  ['messages', format(closed({ a: { type: 'array', items: text, minItems: 2 } })), 'other than 0 or 1'],
  [
    'messages',
    format(closed({ a: { type: ['string', 'null'], enum: ['a'] } })),
    'does not match declared type',
  ],
  ['messages', format(closed({ a: { type: 'string', enum: [1] } })), 'does not match declared type'],
  ['messages', format(closed({ a: { enum: [] } })), 'non-empty array'],
  ['messages', format(closed({ a: { $ref: 'https://a.example' } })), 'external $ref'],
  [
    'messages',
    format({ ...closed({}), $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } }),
    'recursive',
  ],
  [
    'messages',
    {
      tools: Array.from({ length: 21 }, (_, at) => ({ ...strictTool(closed({})).tools[0], name: `f${at}` })),
    },
    '20 strict',
  ],
  ['messages', format(closed(many(25, text), [])), '24 optional'],
  ['messages', format(closed(many(17, { anyOf: [text] }))), '16 unions'],
];

it.each(['chat-completions', 'messages', 'responses'] as const)(
  'the rules of %s allow for a question',
  (dialect) => {
    expect(findRejections(valid[dialect], dialect)).toEqual([]);
  },
);

it.each(rows)('the rules of %s reject %j: %s', (dialect, change, problem) => {
  expect(findRejections({ ...valid[dialect], ...change }, dialect).join()).toContain(problem);
});
