import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/core/json/json-object.ts';
import type { Dialect } from '../../../../../src/core/presets/preset.ts';
import { parseExactJson } from '../../../api/exact-json.ts';
import { type CallInputs, callOf, isSameBesidesDraft, needsMessage } from './column-call.ts';
import { messageOf } from './conversation.ts';

const inputs: CallInputs = {
  source: 'live',
  model: '',
  version: 2,
  draft: undefined,
  dialect: 'chat-completions',
  messages: [{ role: 'user', content: 'Hi' }],
  variables: undefined,
};

/** The body of a call with some inputs changed. */
const bodyOf = (changed: Partial<CallInputs>, format?: Dialect, limit?: object) =>
  callOf({
    slug: 'support-bot',
    inputs: { ...inputs, ...changed },
    config: { ...(parseExactJson('{"model":"a","seed":12345678901234567890}') as JsonObject), ...limit },
    workspaceId: 'w',
    format,
  }).body;

const called = messageOf(
  {
    text: '',
    reasoning: '',
    isComplete: true,
    toolCalls: [{ index: 0, name: 'find_parcel', argumentText: '{"number":"1"}' }],
  },
  1,
);
const result = { role: 'tool', tool_call_id: 'call_1_1', content: 'At the depot' };

describe('the call of a column', () => {
  test.each([
    ['live', 2, '', '@preset/support-bot@2'],
    ['draft', undefined, '', '@preset/support-bot'],
    [3, 3, '', '@preset/support-bot@3'],
    ['live', 2, 'openai/gpt-5', 'openai/gpt-5@preset/support-bot@2'],
    [3, 3, 'openai/gpt-5', 'openai/gpt-5@preset/support-bot@3'],
  ] as const)(
    'a column that tries %s, version %s, with the model %j calls %s',
    (source, version, model, expected) => {
      expect(bodyOf({ source, version, model }).model).toBe(expected);
    },
  );

  test('sends the draft as it was typed', () => {
    expect(JSON.stringify(bodyOf({ source: 'draft' }).presetd)).toBe(
      '{"draft":{"dialect":"chat-completions","request":{"model":"a","seed":12345678901234567890}}}',
    );
  });

  test('passes variables only if there are some', () => {
    expect(bodyOf({})).not.toHaveProperty('prompt');
    expect(bodyOf({ variables: { a: 1 } }).prompt).toEqual({ variables: { a: 1 } });
  });

  test('has the dialect of its version', () => {
    const messages = [{ role: 'user', content: 'Hi' }, called, result];
    const body = bodyOf({ dialect: 'messages', messages });
    expect(body).not.toHaveProperty('stream_options');
    expect(JSON.stringify(body.messages)).toContain('"tool_use"');
    expect(JSON.stringify(bodyOf({ dialect: 'responses', messages }).input)).toContain(
      '"function_call_output"',
    );
  });
});

describe('a call in another format than its version', () => {
  test.each([
    ['chat-completions', { messages: inputs.messages, stream_options: { include_usage: true } }],
    ['messages', { messages: inputs.messages, max_tokens: 1_024 }],
    ['responses', { input: [{ type: 'message', role: 'user', content: 'Hi' }] }],
  ] as const)('has the conversation and the draft of another dialect in %s', (format, expected) => {
    const { model, stream, prompt, presetd, ...rest } = bodyOf(
      { source: 'draft', version: undefined, dialect: 'responses', variables: { a: 1 } },
      format,
    );
    expect({ model, stream, prompt }).toEqual({
      model: '@preset/support-bot',
      stream: true,
      prompt: { variables: { a: 1 } },
    });
    expect(presetd).toMatchObject({ draft: { dialect: 'responses', request: { model: 'a' } } });
    expect(rest).toEqual(expected);
  });

  test.each([
    ['chat-completions', 'messages'],
    ['messages', 'messages'],
    ['responses', 'input'],
  ] as const)('has no conversation in %s if there is none', (format, name) => {
    expect(bodyOf({ messages: [] }, format)).not.toHaveProperty(name);
  });

  test.each(['max_tokens', 'max_completion_tokens', 'max_output_tokens'])(
    'leaves the token limit to a version with %s',
    (name) => {
      expect(bodyOf({}, 'messages', { [name]: 300 })).not.toHaveProperty('max_tokens');
    },
  );
});

test.each([
  ['chat-completions', false, {}, true],
  ['chat-completions', true, {}, false],
  ['responses', true, undefined, false],
  ['messages', true, undefined, true],
  ['messages', false, { messages: [{ role: 'user', content: 'Hi' }] }, false],
  ['chat-completions', false, { messages: [] }, true],
] as const)(
  'a call in %s with variables (%s) and %j needs a message: %s',
  (dialect, hasVariables, presetd, expected) => {
    expect(needsMessage(dialect, hasVariables, presetd)).toBe(expected);
  },
);

describe('the result of a call', () => {
  test('belongs to equal inputs, regardless of the draft', () => {
    const copy = structuredClone({ ...inputs, draft: 'a' });
    expect(isSameBesidesDraft(inputs, copy)).toBe(true);
  });

  test.each([
    { version: 3 },
    { model: 'a' },
    { dialect: 'messages' },
    { messages: [] },
    { variables: {} },
  ] as const)('does not belong to other inputs: %j', (changed) => {
    expect(isSameBesidesDraft(inputs, { ...inputs, ...changed })).toBe(false);
  });
});
