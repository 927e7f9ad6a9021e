import { describe, expect, it, test } from 'vitest';
import type { VariableSchema } from '../../../../src/dialects/presets/extension/variable-schema.ts';
import { parseExactJson } from '../../api/exact-json.ts';
import { rulesOf, typeName, valueAsText, variablesOf } from './describe-variable.ts';

test('variables without a default are required, whatever the default is', () => {
  const variables = { a: { type: 'string' }, b: { type: 'string', default: '' } };
  expect(variablesOf({ variables }).map(({ name, isRequired }) => [name, isRequired])).toEqual([
    ['a', true],
    ['b', false],
  ]);
  for (const presetd of [null, undefined, { note: 'x' }]) expect(variablesOf(presetd)).toEqual([]);
});

test.each<[VariableSchema, string]>([
  [{ type: 'integer' }, 'integer'],
  [{ type: 'array' }, 'list'],
  [{ type: 'array', items: { type: 'object' } }, 'list of objects'],
  [{ type: 'array', items: { type: 'array' } }, 'list of lists'],
])('the type of %j is "%s"', (schema, name) => {
  expect(typeName(schema)).toBe(name);
});

test('strings are shown as they are, other values as JSON with exact digits', () => {
  expect(valueAsText('a "b"')).toBe('a "b"');
  expect(valueAsText(parseExactJson('{"n":12345678901234567890}'))).toBe('{"n":12345678901234567890}');
});

describe('rulesOf', () => {
  it.each<[schema: string, rules: readonly string[]]>([
    ['{"type":"string"}', []],
    ['{"type":"string","enum":["formal","casual"]}', ['one of formal, casual']],
    ['{"type":"string","const":"x"}', ['always x']],
    ['{"type":"string","maxLength":80}', ['up to 80 characters']],
    ['{"type":"string","minLength":1}', ['at least 1 character']],
    ['{"type":"string","minLength":2,"maxLength":1000}', ['2 to 1,000 characters']],
    ['{"type":"string","format":"date","pattern":"^2"}', ['format date', 'matches ^2']],
    ['{"type":"integer","minimum":0,"maximum":5}', ['0 to 5']],
    ['{"type":"number","minimum":0.1234567890123456789}', ['at least 0.1234567890123456789']],
    ['{"type":"number","maximum":2,"multipleOf":0.5}', ['up to 2', 'a multiple of 0.5']],
    ['{"type":"number","exclusiveMinimum":0}', ['more than 0']],
    ['{"type":"number","minimum":0,"exclusiveMaximum":1}', ['at least 0', 'less than 1']],
    ['{"type":"array","minItems":1,"maxItems":1}', ['1 to 1 item']],
    [
      '{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"at":{"type":"string"}}}}',
      ['each with id, at'],
    ],
    ['{"type":"object","properties":{"id":{"type":"string"}}}', ['fields id']],
  ])('describes %s', (schema, rules) => {
    expect(rulesOf(parseExactJson(schema) as VariableSchema)).toEqual(rules);
  });

  it('shortens a long list of values', () => {
    const values = Array.from({ length: 15 }, (_, index) => `v${index}`);
    const [rule] = rulesOf({ type: 'string', enum: values });
    expect(rule).toMatch(/^one of v0, .*, v11 and 3 more$/);
  });
});
