import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/processor-time.ts';
import { fitSchema } from './fit-schema.ts';

const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...more,
});
const text = { type: 'string' };

type Row = readonly [title: string, given: object, fitted: object, dropped?: readonly string[]];

const rows: readonly Row[] = [
  // Objects.
  ['an open object, which is closed', { type: 'object', properties: { a: text } }, closed({ a: text })],
  [
    'objects inside others',
    {
      type: 'object',
      properties: {
        a: { type: 'object', properties: { b: text } },
        c: { type: 'array', items: { type: 'object', properties: { d: text } } },
        e: { anyOf: [{ type: 'object', properties: { f: text } }, { type: 'null' }] },
      },
    },
    closed({
      a: closed({ b: text }),
      c: { type: 'array', items: closed({ d: text }) },
      e: { anyOf: [closed({ f: text }), { type: 'null' }] },
    }),
  ],
  [
    'optional properties, which Anthropic has',
    { type: 'object', properties: { a: text, b: text }, required: ['a'], additionalProperties: false },
    closed({ a: text, b: text }, { required: ['a'] }),
  ],
  [
    'an object that says it is open',
    { type: 'object', properties: { a: text }, additionalProperties: true },
    closed({ a: text }, { description: '{"additionalProperties":true}' }),
    ['additionalProperties'],
  ],
  [
    'a map',
    { type: 'object', additionalProperties: { type: 'integer' } },
    closed({}, { description: '{"additionalProperties":{"type":"integer"}}' }),
    ['additionalProperties'],
  ],
  [
    'an object of any kind',
    { type: 'object', description: 'Anything' },
    closed({}, { description: 'Anything\n\n{"additionalProperties":true}' }),
    ['additionalProperties'],
  ],
  ['an object without properties', closed({}), closed({})],
  [
    'a required property that does not exist',
    { type: 'object', properties: { a: text }, required: ['a', 'b'] },
    closed({ a: text }, { required: ['a'], description: '{"required":["a","b"]}' }),
    ['required'],
  ],
  ['an object without a type', { properties: { a: text } }, closed({ a: text })],
  [
    'a property whose name is a keyword',
    { type: 'object', properties: { minimum: text, $ref: text, $schema: text, definitions: text } },
    closed({ minimum: text, $ref: text, $schema: text, definitions: text }),
  ],
  // Keywords.
  [
    'limits of numbers',
    { type: 'integer', minimum: 1, maximum: 5, exclusiveMinimum: 0, exclusiveMaximum: 6, multipleOf: 1 },
    {
      type: 'integer',
      description: '{"minimum":1,"maximum":5,"exclusiveMinimum":0,"exclusiveMaximum":6,"multipleOf":1}',
    },
    ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'],
  ],
  [
    'limits of texts, after the description',
    { type: 'string', minLength: 1, maxLength: 9, pattern: '^a', description: 'A word' },
    { type: 'string', description: 'A word\n\n{"minLength":1,"maxLength":9,"pattern":"^a"}' },
    ['maxLength', 'minLength', 'pattern'],
  ],
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'].map(
    (format): Row => [`the format ${format}`, { type: 'string', format }, { type: 'string', format }],
  ),
  ...['number', 'integer', 'boolean', 'null'].map((type): Row => [`the type ${type}`, { type }, { type }]),
  [
    'a format that Anthropic does not know',
    { type: 'string', format: 'color' },
    { type: 'string', description: '{"format":"color"}' },
    ['format'],
  ],
  [
    'an array that has an item',
    { type: 'array', items: text, minItems: 1 },
    { type: 'array', items: text, minItems: 1 },
  ],
  ['an array that may be empty', { type: 'array', minItems: 0 }, { type: 'array', minItems: 0 }],
  [
    'limits of arrays',
    { type: 'array', items: text, minItems: 2, maxItems: 3, uniqueItems: true },
    { type: 'array', items: text, description: '{"maxItems":3,"uniqueItems":true,"minItems":2}' },
    ['maxItems', 'minItems', 'uniqueItems'],
  ],
  ['an array of anything', { type: 'array', items: {} }, { type: 'array' }],
  ['an array of anything', { type: 'array', items: true }, { type: 'array' }],
  ['an array without a type', { items: text }, { type: 'array', items: text }],
  [
    'a tuple',
    { type: 'array', prefixItems: [text] },
    { type: 'array', description: '{"prefixItems":[{"type":"string"}]}' },
    ['prefixItems'],
  ],
  [
    'conditions',
    { type: 'object', properties: { a: text }, if: {}, else: {}, not: {} },
    closed({ a: text }, { description: '{"if":{},"else":{},"not":{}}' }),
    ['else', 'if', 'not'],
  ],
  [
    'annotations',
    { type: 'string', title: 't', description: 'd', default: 'x' },
    { type: 'string', title: 't', description: 'd', default: 'x' },
  ],
  [
    'what a schema says about itself',
    { $schema: 's', $id: 'i', $comment: 'c', anyOf: [text], discriminator: { propertyName: 'a' } },
    { anyOf: [text] },
  ],
  // Values.
  ['an enum', { type: 'string', enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
  ['an enum without a type', { enum: ['a', 1, null] }, { enum: ['a', 1, null] }],
  [
    'an enum that may be null, which Anthropic rejects with both types',
    { type: ['string', 'null'], enum: ['a', null] },
    { enum: ['a', null] },
  ],
  [
    'an enum with a value that its type excludes',
    { type: 'integer', enum: [1, 1.5, '1', null, true] },
    { type: 'integer', enum: [1] },
  ],
  ['an enum of texts with a number', { type: 'string', enum: ['a', 1] }, { type: 'string', enum: ['a'] }],
  ['a constant', { type: 'string', const: 'a' }, { type: 'string', const: 'a' }],
  ['the constant null', { const: null }, { const: null }],
  [
    'an enum of objects',
    { type: 'object', properties: { a: text }, enum: [{ a: 'b' }] },
    closed({ a: text }, { description: '{"enum":[{"a":"b"}]}' }),
    ['enum'],
  ],
  [
    'a constant that is an object',
    { type: 'object', properties: { a: text }, const: { a: 'b' } },
    closed({ a: text }, { description: '{"const":{"a":"b"}}' }),
    ['const'],
  ],
  ['an empty enum', { type: 'string', enum: [] }, { type: 'string', description: '{"enum":[]}' }, ['enum']],
  [
    'an enum with other keywords',
    { type: 'string', enum: ['a'], format: 'uri', minLength: 1 },
    { type: 'string', enum: ['a'], description: '{"format":"uri","minLength":1}' },
    ['format', 'minLength'],
  ],
  // Several types.
  ['several types', { type: ['string', 'null'] }, { type: ['string', 'null'] }],
  [
    'several types, one of them with a keyword',
    { type: ['string', 'null'], format: 'date', title: 't' },
    { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }], title: 't' },
  ],
  [
    'an object or null',
    { type: ['object', 'null'], properties: { a: text } },
    { anyOf: [closed({ a: text }), { type: 'null' }] },
  ],
  // Unions and references.
  ['a union', { oneOf: [text, { type: 'null' }] }, { anyOf: [text, { type: 'null' }] }],
  [
    'a union of references',
    { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }], $defs: { a: text } },
    { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }], $defs: { a: text } },
  ],
  [
    'a union next to a type',
    { type: 'string', anyOf: [{ format: 'date' }, { const: '' }, { minLength: 9 }] },
    {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', const: '' },
        { type: 'string', description: '{"minLength":9}' },
      ],
    },
    ['minLength'],
  ],
  [
    'a union next to a type that excludes a variant',
    { type: 'string', anyOf: [text, { type: 'integer' }] },
    { anyOf: [text, { type: 'integer' }], description: '{"type":"string"}' },
    ['type'],
  ],
  [
    'a union with a condition',
    { anyOf: [text, { type: 'null' }], minLength: 2 },
    { anyOf: [text, { type: 'null' }], description: '{"minLength":2}' },
    ['minLength'],
  ],
  [
    'two unions',
    { anyOf: [text], oneOf: [{ type: 'null' }] },
    { anyOf: [text], description: '{"oneOf":[{"type":"null"}]}' },
    ['oneOf'],
  ],
  [
    'a union of conditions',
    { type: 'object', properties: { a: text }, anyOf: [{ required: ['a'] }] },
    closed({ a: text }, { description: '{"anyOf":[{"required":["a"]}]}' }),
    ['anyOf'],
  ],
  [
    'a union of objects with shared properties',
    { type: 'object', properties: { a: text }, oneOf: [{ type: 'object', properties: { b: text } }] },
    closed(
      { a: text },
      { description: '{"oneOf":[{"type":"object","properties":{"b":{"type":"string"}}}]}' },
    ),
    ['oneOf'],
  ],
  [
    'definitions',
    {
      $ref: '#/$defs/a',
      $defs: { a: { type: 'object', properties: { b: { $ref: '#/$defs/c' } } }, c: text },
    },
    { $ref: '#/$defs/a', $defs: { a: closed({ b: { $ref: '#/$defs/c' } }), c: text } },
  ],
  [
    'definitions by their older name',
    {
      type: 'array',
      items: { $ref: '#/definitions/a' },
      definitions: { a: { type: 'object', properties: {} } },
    },
    {
      type: 'array',
      items: { $ref: '#/definitions/a' },
      definitions: { a: closed({}, { description: '{"additionalProperties":true}' }) },
    },
    ['additionalProperties'],
  ],
  [
    'a definition that is used twice',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/c' }, b: { $ref: '#/$defs/c' } },
      $defs: { c: text },
    },
    closed({ a: { $ref: '#/$defs/c' }, b: { $ref: '#/$defs/c' } }, { $defs: { c: text } }),
  ],
  [
    'a reference with other keywords, which must stand alone',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/b', description: 'd', minLength: 1 } },
      $defs: { b: text },
    },
    closed({ a: { $ref: '#/$defs/b' } }, { $defs: { b: text } }),
    ['description', 'minLength'],
  ],
  [
    'a reference in allOf, next to which older libraries describe it',
    { type: 'object', properties: { a: { allOf: [{ $ref: '#/$defs/b' }], title: 't' } }, $defs: { b: text } },
    closed({ a: { $ref: '#/$defs/b' } }, { $defs: { b: text } }),
    ['title'],
  ],
  [
    'allOf with one schema',
    { allOf: [{ type: 'object', properties: { a: text } }], description: 'd' },
    closed({ a: text }, { description: 'd' }),
  ],
];

describe('a schema for Claude', () => {
  it.each(rows)('has %s %#', (_, given, fitted, dropped = []) => {
    expect(fitSchema(given)).toEqual({ schema: fitted, dropped });
  });

  it.each(rows)('stays the same if it is fitted again: %s %#', (_, given) => {
    const { schema } = fitSchema(given) ?? {};
    expect(fitSchema(schema)).toEqual({ schema, dropped: [] });
  });
});

it('a schema whose definitions refer to the next one twice is fitted in linear time', () => {
  const next = (at: number) => ({ $ref: `#/$defs/d${at + 1}` });
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [`d${at}`, at === 19 ? text : { anyOf: [next(at), next(at)] }]),
  );
  expect(processorMs(() => fitSchema({ $ref: '#/$defs/d0', $defs }))).toBeLessThan(1_000);
});

describe('a schema that Claude cannot follow', () => {
  it.each([
    ['no schema', undefined],
    ['not an object', true],
    ['anything', {}],
    ['only a description', { description: 'd' }],
    ['an unknown type', { type: 'any' }],
    ['an unknown type among others', { type: ['string', 'any'] }],
    ['a type inside two lists', { type: [['string']] }],
    ['an enum with an object', { enum: ['a', { b: 'c' }] }],
    ['a type that cannot be expressed among others', { type: ['string', 'object'], properties: { a: {} } }],
    ['a reference that is no text', { $ref: 5 }],
    ['a property of any type', { type: 'object', properties: { a: {} } }],
    ['a property that is only true', { type: 'object', properties: { a: true } }],
    ['items of an unknown type', { type: 'array', items: { type: 'any' } }],
    ['a list of items, as in older drafts', { type: 'array', items: [text] }],
    ['an empty union', { anyOf: [] }],
    ['a union with an unknown type', { anyOf: [text, { type: 'any' }] }],
    ['a union with null, which is no schema', { type: 'string', anyOf: [text, null] }],
    ['several schemas at once', { allOf: [closed({ a: text }), closed({ b: text })] }],
    [
      'a schema and another at once',
      { type: 'object', allOf: [{ type: 'object', properties: { b: text } }] },
    ],
    [
      'a recursive definition',
      { $ref: '#/$defs/a', $defs: { a: { type: 'array', items: { $ref: '#/$defs/a' } } } },
    ],
    [
      'definitions that lead back to each other',
      {
        $ref: '#/$defs/a',
        $defs: {
          a: { type: 'array', items: { $ref: '#/$defs/b' } },
          b: { type: 'object', properties: { definitions: { $ref: '#/$defs/a' } } },
        },
      },
    ],
    [
      'a definition that is recursive in a union',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/a' }] } } },
    ],
    ['a reference without definitions', { $ref: '#/$defs/a' }],
    ['a reference to itself', { type: 'array', items: { $ref: '#' } }],
    ['a reference to another document', { $ref: 'https://a.example/schema' }],
    ['a reference to a part of a definition', { $ref: '#/$defs/a/b', $defs: { a: { b: text } } }],
    ['a reference to nothing', { $ref: '#/$defs/a', $defs: {} }],
    ['a reference to what every object has', { $ref: '#/$defs/constructor', $defs: {} }],
    ['a definition of an unknown type', { $ref: '#/$defs/a', $defs: { a: { type: 'any' } } }],
  ])('has no form for %s', (_, schema) => {
    expect(fitSchema(schema)).toBeUndefined();
  });
});
