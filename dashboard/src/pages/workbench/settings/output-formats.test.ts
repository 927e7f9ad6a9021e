import { expect, test } from 'vitest';
import { newFormat } from './output-formats.ts';

const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
const named = { name: 'response', strict: true, schema };

test.each([
  ['chat-completions', { type: 'json_schema', json_schema: named }],
  ['messages', { type: 'json_schema', schema }],
  ['responses', { type: 'json_schema', ...named }],
] as const)('an output format with a schema starts in the form of %s', (dialect, expected) => {
  expect(newFormat('json_schema', dialect)).toEqual(expected);
});

test('text is the absence of an output format, and JSON without a schema needs only its type', () => {
  expect(newFormat('text', 'responses')).toBeUndefined();
  expect(newFormat('json_object', 'responses')).toEqual({ type: 'json_object' });
});
