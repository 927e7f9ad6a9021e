import { expect, test } from 'vitest';
import { schemaProblem } from './check-schema.ts';

test.each([
  [{}],
  [true],
  [{ type: 'object', properties: { id: { type: ['string', 'null'] } }, required: ['id'] }],
  [{ type: 'array', items: { $ref: '#/$defs/order' }, $defs: { order: {} }, 'x-vendor': 1 }],
  [{ anyOf: [{ type: 'string' }, { enum: [1, 2] }] }],
])('the schema %j is accepted', (schema) => {
  expect(schemaProblem(schema)).toBeUndefined();
});

test.each([
  ['text', 'The schema must be an object.'],
  [
    { type: 'map' },
    'The schema has the type "map". Use one of string, number, integer, boolean, array, object, null.',
  ],
  [
    { properties: { id: { type: 'text' } } },
    '“id” has the type "text". Use one of string, number, integer, boolean, array, object, null.',
  ],
  [{ properties: [] }, '“properties” of the schema must be an object.'],
  [{ required: 'id' }, '“required” of the schema must be a list of names.'],
  [
    { properties: { id: {} }, required: ['name'] },
    'The schema requires “name”, which is not in “properties”.',
  ],
  [{ properties: { size: { enum: 'small' } } }, '“enum” of “size” must be a list of values.'],
  [{ items: 3 }, '“items” of the schema must be an object.'],
  [{ anyOf: {} }, '“anyOf” of the schema must be a list of schemas.'],
  [{ anyOf: [1] }, 'Number 1 in “anyOf” of the schema must be an object.'],
])('the mistake in the schema %j is found', (schema, problem) => {
  expect(schemaProblem(schema)).toBe(problem);
});
