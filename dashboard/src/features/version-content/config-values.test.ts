import { expect, test } from 'vitest';
import { parseExactJson } from '../../api/exact-json.ts';
import {
  describeSchema,
  fitsOutline,
  isPlainJsonObject,
  isScalar,
  maxTokensOf,
  toolSummary,
} from './config-values.ts';

test('a raw number is a scalar', () => {
  const exact = parseExactJson('12345678901234567890');
  expect([typeof exact, isScalar(exact), isPlainJsonObject(exact)]).toEqual(['object', true, false]);
  expect(fitsOutline({ seed: exact })).toBe(true);
});

test.each([
  [{ effort: 'high', exclude: false }, true],
  [{ a: { b: { c: 1 } } }, true],
  [{ a: { b: { c: { d: 1 } } } }, false],
  [Array.from({ length: 39 }, () => 1), true],
  [Array.from({ length: 40 }, () => 1), false],
  [{ json_schema: { schema: { type: 'object', properties: { a: { b: { c: {} } } } } } }, true],
])('the value %j fits an outline: %s', (value, expected) => {
  expect(fitsOutline(value)).toBe(expected);
});

const schema = { type: 'object', properties: { city: { type: 'string' } } };

test.each([
  [
    'of chat completions',
    {
      type: 'function',
      function: { name: 'weather', description: 'Of a city.', parameters: schema, strict: true },
    },
    { name: 'weather', type: 'function', description: 'Of a city.', schema, rest: { strict: true } },
  ],
  [
    'of responses',
    { type: 'function', name: 'weather', parameters: schema, strict: null },
    { name: 'weather', type: 'function', description: undefined, schema, rest: { strict: null } },
  ],
  [
    'of messages',
    { name: 'weather', description: 'Of a city.', input_schema: schema },
    { name: 'weather', type: undefined, description: 'Of a city.', schema, rest: {} },
  ],
  [
    'without a name',
    { type: 'web_search', max_uses: 3 },
    { name: 'web_search', type: undefined, description: undefined, schema: undefined, rest: { max_uses: 3 } },
  ],
  [
    'of a server',
    { type: 'mcp', server_label: 'docs', server_url: 'https://docs.test' },
    {
      name: 'docs',
      type: 'mcp',
      description: undefined,
      schema: undefined,
      rest: { server_url: 'https://docs.test' },
    },
  ],
  [
    'with a field both inside and outside its definition',
    { type: 'function', strict: false, function: { name: 'weather', strict: true } },
    {
      name: 'weather',
      type: 'function',
      description: undefined,
      schema: undefined,
      rest: { strict: false, function: { strict: true } },
    },
  ],
  [
    'that is not an object',
    'weather',
    { name: 'Tool', type: undefined, description: undefined, schema: undefined, rest: { value: 'weather' } },
  ],
  [
    'with fields of the wrong type',
    { type: 7, name: 7, description: 7, parameters: 7 },
    {
      name: 'Tool',
      type: undefined,
      description: undefined,
      schema: undefined,
      rest: { type: 7, name: 7, description: 7, parameters: 7 },
    },
  ],
])('the summary of a tool %s drops no field', (_title, tool, summary) => {
  expect(toolSummary(tool)).toEqual(summary);
});

test.each([
  [schema, '1 parameter: city'],
  [{ properties: { a: {}, b: {} } }, '2 parameters: a, b'],
  [{ properties: { a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {} } }, '7 parameters: a, b, c, d, e, f, …'],
  [{ type: 'object' }, 'Parameters'],
])('the schema %j is described as "%s"', (value, text) => {
  expect(describeSchema(value)).toBe(text);
});

test.each([
  [undefined, undefined],
  [{}, undefined],
  [{ max_tokens: 5000 }, 5000],
  [{ max_completion_tokens: 300 }, 300],
  [{ max_output_tokens: 200 }, 200],
])('the token limit of %j is %s', (config, limit) => {
  expect(maxTokensOf(config)).toBe(limit);
});
