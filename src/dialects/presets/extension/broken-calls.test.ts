import { expect, it } from 'vitest';
import { findBrokenCalls } from './broken-calls.ts';

const text = { type: 'string' };
const messageFor = (before: object | undefined, after: object | undefined) => {
  const version = (schema: object | undefined) => ({
    extensionJson: JSON.stringify({ variables: { same: text, ...(schema && { customer: schema }) } }),
  });
  return findBrokenCalls(version(before), version(after));
};
const order = (schema: object) => ({ type: 'object', ...schema });
const list = (schema: object) => ({ type: 'array', ...schema });
const closed = { additionalProperties: false };

it.each<[string, object | undefined, object | undefined, string]>([
  [
    'is new and required',
    undefined,
    text,
    'is a new variable without a default: calls without `customer` fail',
  ],
  ['is gone', text, undefined, 'is no longer a variable: calls with `customer` fail'],
  [
    'loses its default',
    { ...text, default: '' },
    text,
    'no longer has a default: calls without `customer` fail',
  ],
  [
    'changes its type',
    text,
    { type: 'integer' },
    'has the type integer instead of string: calls with another type of `customer` fail',
  ],
  [
    'gets several new rules',
    text,
    { ...text, maxLength: 9, pattern: 'x' },
    'has stricter or other rules (maxLength, pattern): calls whose `customer` does not meet them fail',
  ],
])('a variable that %s breaks calls', (_, before, after, message) => {
  expect(messageFor(before, after)).toEqual([{ path: '/presetd/variables/customer', message }]);
});

it.each<[keyword: string, before: object, after: object]>([
  ['maxLength', { ...text, maxLength: 9 }, { ...text, maxLength: 8 }],
  ['minLength', { ...text, minLength: 1 }, { ...text, minLength: 2 }],
  ['format', { ...text, format: 'date' }, { ...text, format: 'email' }],
  ['enum', { ...text, enum: ['a', 'b'] }, { ...text, enum: ['a', 'c', 'd'] }],
  ['const', text, { ...text, const: 'a' }],
  ['maximum', { type: 'number', maximum: 9 }, { type: 'number', maximum: 8 }],
  ['exclusiveMaximum', { type: 'number', exclusiveMaximum: 9 }, { type: 'number', exclusiveMaximum: 8 }],
  ['minimum', { type: 'number', minimum: 1 }, { type: 'number', minimum: 2 }],
  ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 1 }, { type: 'number', exclusiveMinimum: 2 }],
  ['multipleOf', { type: 'number', multipleOf: 2 }, { type: 'number', multipleOf: 3 }],
  ['maxItems', list({ maxItems: 9 }), list({ maxItems: 8 })],
  ['minItems', list({ minItems: 1 }), list({ minItems: 2 })],
  ['items', list({}), list({ items: text })],
  ['items', list({ items: text }), list({ items: { ...text, maxLength: 5 } })],
  ['items', list({ items: text }), list({ items: { type: 'number' } })],
  ['properties', order({ properties: { id: text } }), order({ properties: { id: { type: 'number' } } })],
  ['properties', order({ properties: { id: text }, ...closed }), order({ ...closed })],
  ['required', order({ properties: { id: text } }), order({ properties: { id: text }, required: ['id'] })],
  ['additionalProperties', order({}), order(closed)],
  ['additionalProperties', order({ additionalProperties: true }), order(closed)],
])('a stricter %s is named', (keyword, before, after) => {
  expect(messageFor(before, after)).toEqual([
    { path: '/presetd/variables/customer', message: expect.stringContaining(`rules (${keyword}):`) },
  ]);
});

it.each<[string, object | undefined, object | undefined]>([
  ['a new variable with a default', undefined, { ...text, default: '' }],
  ['a default that is added or changed', { ...text }, { ...text, default: 'x' }],
  ['other words', { ...text, description: 'a' }, { ...text, description: 'b', title: 'c', examples: ['d'] }],
  ['an integer that becomes a number', { type: 'integer' }, { type: 'number' }],
  ['rules that are gone', { ...text, pattern: 'x', maxLength: 9, enum: ['a'] }, text],
  [
    'wider bounds of a text',
    { ...text, minLength: 2, maxLength: 5 },
    { ...text, minLength: 1, maxLength: 6 },
  ],
  ['equal bounds', { type: 'number', minimum: 2, maximum: 5 }, { type: 'number', minimum: 2, maximum: 5 }],
  ['another alternative', { ...text, enum: ['a'] }, { ...text, enum: ['b', 'a'] }],
  [
    'fewer required fields',
    order({ properties: { id: text }, required: ['id'] }),
    order({ properties: { id: text }, required: [] }),
  ],
  ['items with wider bounds', list({ items: { ...text, maxLength: 5 } }), list({ items: text })],
  ['properties that are gone, but allowed', order({ properties: { id: text } }), order({})],
  ['additional properties that are allowed expressly', order({}), order({ additionalProperties: true })],
])('%s breaks no call', (_, before, after) => {
  expect(messageFor(before, after)).toEqual([]);
});

it('a version without a presetd object has no variables', () => {
  const [none, one] = [
    { extensionJson: null },
    { extensionJson: '{"variables":{"constructor":{"type":"string"}}}' },
  ];
  expect(findBrokenCalls(none, none)).toEqual([]);
  expect(findBrokenCalls(none, one).map(({ path }) => path)).toEqual(['/presetd/variables/constructor']);
  expect(findBrokenCalls(one, none).map(({ path }) => path)).toEqual(['/presetd/variables/constructor']);
});
