import { describe, expect, it } from 'vitest';
import { capturePreset as capture } from '../presets/capture-preset.ts';
import { captureSchema } from '../presets/request-schema.ts';
import { fields } from './captured-fields.ts';
import type { ChatCompletionsRequest } from './schema.ts';

const capturePreset = (body: object) => capture(body, 'chat-completions');

const messages: ChatCompletionsRequest['messages'] = [{ role: 'user', content: 'Hello' }];

it('every field of the chat completions schema, and no other, is captured or excluded', () => {
  expect(Object.keys(fields).sort()).toEqual(
    Object.keys(captureSchema('chat-completions').properties).sort(),
  );
});

const noExtension = { extension: null, designate: true };

describe('the captured config', () => {
  it('has what configures generation and routing, in the order of the body', () => {
    const body: ChatCompletionsRequest = {
      top_p: 0.9,
      messages,
      temperature: 0,
      provider: { order: ['anthropic'], sort: null },
      model: 'openai/gpt-5.2',
      stop: [],
    };
    const { config, ignoredFields } = capturePreset(body);
    expect(Object.entries(config)).toEqual([
      ['top_p', 0.9],
      ['temperature', 0],
      ['provider', { order: ['anthropic'], sort: null }],
      ['model', 'openai/gpt-5.2'],
      ['stop', []],
    ]);
    expect(config.provider).toBe(body.provider);
    expect(ignoredFields).toEqual([]);
  });

  it('has falsy values that are not null', () => {
    const body = { messages, seed: 0, logprobs: false, tools: [], verbosity: null, stop: '' };
    expect(capturePreset(body).config).toEqual({ seed: 0, logprobs: false, tools: [], stop: '' });
  });

  it('excludes content, identity, transport and what applies to one call', () => {
    const body: ChatCompletionsRequest = {
      messages,
      prompt: 'Hello',
      stream: true,
      stream_options: { include_usage: true },
      usage: { include: true },
      user: 'ada',
      session_id: 's',
      metadata: { a: 'b' },
      trace: { trace_id: 't' },
      debug: { echo_upstream_body: true },
      store: true,
      safety_identifier: 'hash',
      prediction: { type: 'content', content: '' },
      prompt_cache_key: 'key',
      preset: 'other',
    };
    expect(capturePreset(body)).toEqual({
      ...noExtension,
      config: {},
      systemPrompt: null,
      ignoredFields: [],
    });
  });

  it('treats null as an absent field', () => {
    expect(capturePreset({ messages, temperature: null, stop: null, provider: null }).config).toEqual({});
  });
});

describe('unknown fields', () => {
  it('are reported in the order of the body and not captured', () => {
    const body = { zebra: 1, messages, model: 'm', apple: null };
    expect(capturePreset(body)).toEqual({
      ...noExtension,
      config: { model: 'm' },
      systemPrompt: null,
      ignoredFields: ['zebra', 'apple'],
    });
  });

  it('may have names that every object inherits', () => {
    const body = JSON.parse(
      '{"__proto__":{"model":"evil"},"messages":[],"constructor":1,"toString":null,"model":"m","hasOwnProperty":2}',
    );
    const preset = capturePreset(body);
    expect(preset.ignoredFields).toEqual(['__proto__', 'constructor', 'toString', 'hasOwnProperty']);
    expect(Object.entries(preset.config)).toEqual([['model', 'm']]);
    expect(Object.getPrototypeOf(preset.config)).toBe(Object.prototype);
  });
});

describe('the captured system prompt', () => {
  const cases: [string, ChatCompletionsRequest['messages'], string | null][] = [
    ['is null without system messages', messages, null],
    [
      'is the text of the system message',
      [{ role: 'system', content: 'Be terse.' }, ...messages],
      'Be terse.',
    ],
    [
      'puts a blank line between messages and a line break between parts',
      [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'One' },
            { type: 'text', text: 'Two' },
          ],
        },
        ...messages,
        { role: 'developer', content: 'Three' },
      ],
      'One\nTwo\n\nThree',
    ],
    [
      'skips empty texts',
      [
        { role: 'system', content: '' },
        { role: 'system', content: [] },
        {
          role: 'developer',
          content: [
            { type: 'text', text: '' },
            { type: 'text', text: 'Only' },
          ],
        },
      ],
      'Only',
    ],
    ['is null when all texts are empty', [{ role: 'system', content: '' }], null],
    ['keeps white space', [{ role: 'system', content: ' a\n' }], ' a\n'],
    ['ignores other messages', [{ role: 'assistant', content: 'Hi' }], null],
  ];

  it.each(cases)('the system prompt %s', (_, given, expected) => {
    expect(capturePreset({ messages: given }).systemPrompt).toBe(expected);
  });
});
