import { describe, expect, it } from 'vitest';
import { capturePreset as capture } from '../presets/capture-preset.ts';
import { captureSchema } from '../presets/request-schema.ts';
import { fields } from './captured-fields.ts';
import type { ResponsesRequest } from './schema.ts';

const capturePreset = (body: object) => capture(body, 'responses');

it('every field of the responses schema, and no other, is captured or excluded', () => {
  expect(Object.keys(fields).sort()).toEqual(Object.keys(captureSchema('responses').properties).sort());
});

const noExtension = { extension: null, designate: true };

describe('the captured config', () => {
  it('has what configures generation and routing, in the order of the body', () => {
    const body: ResponsesRequest = {
      text: { verbosity: null },
      input: 'Hello',
      service_tier: 'auto',
      model: 'openai/gpt-5.2',
      include: [],
      truncation: 'auto',
    };
    const { config } = capturePreset(body);
    expect(Object.entries(config)).toEqual([
      ['text', { verbosity: null }],
      ['service_tier', 'auto'],
      ['model', 'openai/gpt-5.2'],
      ['include', []],
      ['truncation', 'auto'],
    ]);
    expect(config.text).toBe(body.text);
  });

  it('excludes content, identity, transport and what applies to one call', () => {
    const body: ResponsesRequest = {
      input: 'Hello',
      instructions: 'Be terse.',
      prompt: { id: 'p' },
      stream: true,
      stream_options: null,
      store: false,
      previous_response_id: 'r',
      conversation: 'c',
      background: true,
      user: 'ada',
      session_id: 's',
      safety_identifier: 'hash',
      metadata: { a: 'b' },
      trace: {},
      debug: {},
      prompt_cache_key: 'key',
      preset: 'other',
    };
    expect(capturePreset(body)).toEqual({
      ...noExtension,
      config: {},
      systemPrompt: 'Be terse.',
      ignoredFields: [],
    });
  });

  it('treats null as an absent field', () => {
    expect(capturePreset({ reasoning: null, instructions: null, temperature: null })).toEqual({
      ...noExtension,
      config: {},
      systemPrompt: null,
      ignoredFields: [],
    });
  });
});

describe('unknown fields', () => {
  it('are reported in the order of the body and not captured', () => {
    const body = JSON.parse(
      '{"seed":1,"__proto__":{"model":"evil"},"model":"m","constructor":{},"toString":1}',
    );
    const preset = capturePreset(body);
    expect(preset.ignoredFields).toEqual(['seed', '__proto__', 'constructor', 'toString']);
    expect(Object.entries(preset.config)).toEqual([['model', 'm']]);
  });
});

describe('the captured system prompt', () => {
  const cases: [string, ResponsesRequest, string | null][] = [
    ['is null for an empty request', {}, null],
    ['is null for a plain input', { input: 'Hello' }, null],
    ['is the instructions', { instructions: 'Be terse.', input: 'Hello' }, 'Be terse.'],
    [
      'ignores the input if there are instructions',
      { instructions: 'One', input: [{ role: 'system', content: 'Two' }] },
      'One',
    ],
    [
      'comes from the input items if the instructions are empty',
      {
        instructions: '',
        input: [
          { role: 'developer', content: 'One' },
          { role: 'user', content: 'Hello' },
          {
            type: 'message',
            role: 'system',
            content: [
              { type: 'input_text', text: 'Two' },
              { type: 'input_image', image_url: 'u' },
              { type: 'text', text: 'Three' },
            ],
          },
          { role: 'system', content: null },
          { role: 'system' },
        ],
      },
      'One\n\nTwo\nThree',
    ],
    [
      'ignores items that are not messages',
      { input: [{ type: 'additional_tools', role: 'developer', tools: [] }, { id: 'msg' }] },
      null,
    ],
    [
      'is null when all texts are empty',
      { instructions: '', input: [{ role: 'system', content: '' }] },
      null,
    ],
  ];

  it.each(cases)('the system prompt %s', (_, body, expected) => {
    expect(capturePreset(body).systemPrompt).toBe(expected);
  });

  it.each([
    { id: 'msg', role: 'system', content: 5 },
    {
      id: 'msg',
      role: 'system',
      content: [null, 3, 'text', { type: 'text', text: 1 }, { type: 'input_text' }],
    },
    { id: 'msg', role: 'system', content: { length: 1 } },
    { type: 'item_of_the_future', role: 'system', content: 'One' },
  ])('is null for %j, which the schema does not check', (item) => {
    expect(capturePreset({ input: [item] }).systemPrompt).toBeNull();
  });
});
