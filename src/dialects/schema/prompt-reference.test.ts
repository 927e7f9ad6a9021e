import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../core/presets/preset.ts';
import { chatCompletionsRequest } from '../chat-completions/schema.ts';
import { messagesRequest } from '../messages/schema.ts';
import { responsesRequest } from '../responses/schema.ts';

const ajv = new Ajv({ strict: true, allowUnionTypes: true });
const prompts: readonly [Dialect, object][] = [
  ['chat-completions', chatCompletionsRequest.properties.prompt],
  ['messages', messagesRequest.properties.prompt],
  ['responses', responsesRequest.properties.prompt],
];

describe.each(prompts)('the prompt of a %s capture', (dialect, schema) => {
  const accepts = ajv.compile(schema);

  it.each([
    { id: 'pmpt_68a', version: '2', variables: { name: 'Ada', photo: { type: 'input_image' } } },
    { prompt_id: 'pmpt_68a', version: 2 },
    { id: null, prompt_id: null, version: null, variables: null },
    {},
    { id: 'p', newer: true },
    null,
  ])('may be %j, as in a call', (prompt) => {
    expect(accepts(prompt)).toBe(true);
  });

  it.each([1, ['p'], { id: 1 }, { prompt_id: {} }, { version: 1.5 }, { variables: [] }])(
    'may not be %j',
    (prompt) => {
      expect(accepts(prompt)).toBe(false);
    },
  );

  it('may be text only in chat completions, where it is a field of OpenRouter', () => {
    expect(accepts('Once upon a time')).toBe(dialect === 'chat-completions');
  });
});
