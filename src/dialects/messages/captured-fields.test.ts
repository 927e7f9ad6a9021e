import { describe, expect, it } from 'vitest';
import { capturePreset as capture } from '../presets/capture-preset.ts';
import { captureSchema } from '../presets/request-schema.ts';
import { fields } from './captured-fields.ts';
import type { MessagesRequest } from './schema.ts';

const capturePreset = (body: object) => capture(body, 'messages');

const model = 'claude-sonnet-5';
const messages: MessagesRequest['messages'] = [{ role: 'user', content: 'Hello' }];

it('every field of the messages schema, and no other, is captured or excluded', () => {
  expect(Object.keys(fields).sort()).toEqual(Object.keys(captureSchema('messages').properties).sort());
});

const noExtension = { extension: null, designate: true };

describe('the captured config', () => {
  it('has what configures generation and routing, in the order of the body', () => {
    const body: MessagesRequest = {
      max_tokens: 100,
      messages,
      thinking: { type: 'adaptive', display: null },
      model,
      fallbacks: [{ model: 'other' }],
      top_k: 0,
    };
    const { config } = capturePreset(body);
    expect(Object.entries(config)).toEqual([
      ['max_tokens', 100],
      ['thinking', { type: 'adaptive', display: null }],
      ['model', model],
      ['fallbacks', [{ model: 'other' }]],
      ['top_k', 0],
    ]);
    expect(config.thinking).toBe(body.thinking);
  });

  it('excludes content, identity, transport and what applies to one call', () => {
    const body: MessagesRequest = {
      model,
      messages,
      system: 'Be terse.',
      stream: true,
      user: 'ada',
      session_id: 's',
      metadata: { user_id: 'ada' },
      trace: {},
      preset: 'other',
      compaction: { type: 'summarize' },
      thread: { type: 'create' },
      diagnostics: {},
      fallback_credit_token: 'token',
    };
    expect(capturePreset(body)).toEqual({
      ...noExtension,
      config: { model },
      systemPrompt: 'Be terse.',
      ignoredFields: [],
    });
  });

  it('treats null as an absent field', () => {
    const body: MessagesRequest = {
      model,
      messages: null,
      context_management: null,
      speed: null,
      container: null,
    };
    expect(capturePreset(body)).toEqual({
      ...noExtension,
      config: { model },
      systemPrompt: null,
      ignoredFields: [],
    });
  });
});

describe('unknown fields', () => {
  it('are reported in the order of the body and not captured', () => {
    const body = JSON.parse(
      `{"seed":1,"__proto__":{"model":"evil"},"model":"${model}","messages":[],"constructor":{},"toString":1}`,
    );
    const preset = capturePreset(body);
    expect(preset.ignoredFields).toEqual(['seed', '__proto__', 'constructor', 'toString']);
    expect(Object.entries(preset.config)).toEqual([['model', model]]);
  });
});

describe('the captured system prompt', () => {
  const cases: [string, Pick<MessagesRequest, 'system' | 'messages'>, string | null][] = [
    ['is null without system text', { messages }, null],
    ['is the system field', { messages, system: 'Be terse.' }, 'Be terse.'],
    [
      'puts a line break between blocks',
      {
        messages,
        system: [
          { type: 'text', text: 'One', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: '' },
          { type: 'text', text: 'Two' },
        ],
      },
      'One\nTwo',
    ],
    [
      'continues with system messages, separated by blank lines',
      {
        system: 'One',
        messages: [
          { role: 'system', content: 'Two' },
          { role: 'user', content: 'Hello' },
          {
            role: 'system',
            content: [
              { type: 'text', text: 'Three' },
              { type: 'tool_addition', tool: { type: 't' } },
            ],
          },
          { role: 'system' },
        ],
      },
      'One\n\nTwo\n\nThree',
    ],
    ['may come from a system message alone', { messages: [{ role: 'system', content: 'One' }] }, 'One'],
    ['is null when all texts are empty', { system: '', messages: [{ role: 'system', content: '' }] }, null],
    ['is null for an empty list of blocks', { system: [], messages: null }, null],
  ];

  it.each(cases)('the system prompt %s', (_, given, expected) => {
    expect(capturePreset({ model, ...given }).systemPrompt).toBe(expected);
  });
});
