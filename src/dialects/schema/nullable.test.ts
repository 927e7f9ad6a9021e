import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { nullable } from './nullable.ts';

const ajv = new Ajv({ strict: true, allowUnionTypes: true });

it.each([
  ['a number with bounds', Type.Number({ maximum: 1 }), 1, 2],
  ['an enum', Type.Enum(['a']), 'a', 'b'],
  ['a literal', Type.Literal('a'), 'a', 'b'],
  ['an object', Type.Object({ a: Type.String() }), { a: '' }, {}],
  ['a union', Type.Union([Type.String(), Type.Array(Type.String())]), ['a'], [1]],
])('%s accepts null and its own values, and rejects others', (_, schema, valid, invalid) => {
  const validate = ajv.compile(nullable(schema));
  expect(validate(valid)).toBe(true);
  expect(validate(null)).toBe(true);
  expect(validate(invalid)).toBe(false);
});
