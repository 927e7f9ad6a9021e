import { expect, test } from 'vitest';
import { findSchemaIssue } from './schema-issue.ts';

test.each([
  [{}],
  [true],
  [{ type: 'object', properties: { id: { type: ['string', 'null'] } }, required: ['id'] }],
  [{ type: 'array', items: { $ref: '#/$defs/order' }, $defs: { order: {} }, 'x-vendor': 1 }],
  [{ anyOf: [{ type: 'string' }, { enum: [1, 2] }] }],
])('the schema %j is accepted', (schema) => {
  expect(findSchemaIssue(schema)).toBeUndefined();
});

const types = 'string, number, integer, boolean, array, object or null';

test.each([
  ['text', '', 'must be an object'],
  [{ type: 'map' }, '/type', `must be ${types}, not "map"`],
  [{ type: ['string', 7] }, '/type', `must be ${types}, not 7`],
  [{ properties: { 'a/b': { type: 'text' } } }, '/properties/a~1b/type', `must be ${types}, not "text"`],
  [{ properties: [] }, '/properties', 'must be an object'],
  [{ required: 'id' }, '/required', 'must be a list of names'],
  [
    { properties: { id: {} }, required: ['id', 'name'] },
    '/required',
    'names "name", which is not in properties',
  ],
  [{ properties: { size: { enum: 'small' } } }, '/properties/size/enum', 'must be a list of values'],
  [{ properties: { size: { enum: [] } } }, '/properties/size/enum', 'must be a list of values'],
  [{ items: 3 }, '/items', 'must be an object'],
  [{ anyOf: {} }, '/anyOf', 'must be a list of schemas'],
  [{ oneOf: [] }, '/oneOf', 'must be a list of schemas'],
  [{ allOf: [{}, 1] }, '/allOf/1', 'must be an object'],
])('the mistake in the schema %j is found', (schema, path, message) => {
  expect(findSchemaIssue(schema)).toEqual({ path, message });
});
