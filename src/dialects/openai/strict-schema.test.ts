import { describe, expect, it } from 'vitest';
import { completeParameters, isStrictSchema } from './strict-schema.ts';

const text = { type: 'string' };
const closed = (properties: object, more: object = {}) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});
const nested = (levels: number): object => (levels === 0 ? text : closed({ a: nested(levels - 1) }));

describe("OpenAI's strict mode", () => {
  it.each([
    ['an object', closed({ a: text })],
    ['an object without properties', closed({})],
    ['annotations', closed({ a: { ...text, title: 't', description: 'd' } }, { $schema: 's' })],
    ['values', closed({ a: { type: 'string', enum: ['b'] }, c: { type: 'string', const: 'd' } })],
    ['an array', closed({ a: { type: 'array', items: closed({ b: text }), minItems: 1, maxItems: 2 } })],
    ['several types', closed({ a: { type: ['string', 'null'] } })],
    ['a union', closed({ a: { anyOf: [closed({ b: text }), { type: 'null' }], description: 'd' } })],
    [
      'limits of numbers',
      closed({
        a: {
          type: 'number',
          ...{ minimum: 1, maximum: 2, exclusiveMinimum: 0, exclusiveMaximum: 3, multipleOf: 1 },
        },
      }),
    ],
    ['a pattern', closed({ a: { type: 'string', pattern: '^(?:a|b)$' } })],
    ['a format', closed({ a: { type: 'string', format: 'uuid' } })],
    ['definitions', closed({ a: { $ref: '#/$defs/b' } }, { $defs: { b: closed({ c: text }) } })],
    ['older definitions', closed({ a: { $ref: '#/definitions/b' } }, { definitions: { b: text } })],
    ['recursion', closed({ a: { anyOf: [{ $ref: '#' }, { type: 'null' }] } })],
    ['ten levels', nested(9)],
  ])('accepts %s', (_, schema) => {
    expect(isStrictSchema(schema)).toBe(true);
  });

  it.each([
    ['no schema', undefined],
    ['a root that is not an object', text],
    ['a root that is a union', { ...closed({}), anyOf: [closed({})] }],
    ['an optional property', { ...closed({ a: text, b: text }), required: ['a'] }],
    ['a required property that does not exist', { ...closed({ a: text }), required: ['a', 'b'] }],
    ['only optional properties', { ...closed({ a: text }), required: undefined }],
    ['an open object', { ...closed({ a: text }), additionalProperties: true }],
    [
      'an object that does not say whether it is open',
      { ...closed({ a: text }), additionalProperties: undefined },
    ],
    ['no properties', { type: 'object', required: [], additionalProperties: false }],
    ['an open object in a property', closed({ a: { type: 'object', properties: {} } })],
    [
      'an open object in an array',
      closed({ a: { type: 'array', items: { type: 'object', properties: {} } } }),
    ],
    ['an open object in a union', closed({ a: { anyOf: [text, { type: 'object', properties: {} }] } })],
    ['an open object in a definition', closed({}, { $defs: { a: { type: 'object', properties: {} } } })],
    ['an open object in an older definition', closed({}, { definitions: { a: { type: 'object' } } })],
    ['an open object that may be null', closed({ a: { type: ['object', 'null'], properties: {} } })],
    ['an array without items', closed({ a: { type: 'array' } })],
    ['an array without items that may be null', closed({ a: { type: ['array', 'null'] } })],
    ['items that are a list', closed({ a: { type: 'array', items: [text] } })],
    ['a property without a type', closed({ a: {} })],
    ['a property that is only true', closed({ a: true })],
    ['an empty union', closed({ a: { anyOf: [] } })],
    ['a reference with a description', closed({ a: { $ref: '#/$defs/b', description: 'd' } })],
    ['a default', closed({ a: { ...text, default: 'b' } })],
    ['a length', closed({ a: { ...text, minLength: 1 } })],
    ['a union of another kind', closed({ a: { oneOf: [text] } })],
    ['all of several schemas', closed({ a: { ...text, allOf: [text] } })],
    ['unique items', closed({ a: { type: 'array', items: text, uniqueItems: true } })],
    ['an unknown format', closed({ a: { type: 'string', format: 'uri' } })],
    ['a lookahead', closed({ a: { type: 'string', pattern: '^(?=a)' } })],
    ['a negative lookbehind', closed({ a: { type: 'string', pattern: '(?<!a)b' } })],
    ['what every object has', closed({ a: { ...text, constructor: 1 } })],
    ['eleven levels', nested(10)],
  ])('does not accept %s', (_, schema) => {
    expect(isStrictSchema(schema)).toBe(false);
  });
});

describe('the parameters of a function for OpenAI', () => {
  it.each([
    ['properties', { type: 'object' }, { type: 'object', properties: {} }],
    ['properties that are null', { type: 'object', properties: null }, { type: 'object', properties: {} }],
    [
      'items, wherever there is an array',
      {
        type: 'object',
        properties: {
          a: { type: 'array' },
          b: { type: ['array', 'null'] },
          c: { type: 'array', items: { type: 'array' } },
          d: { anyOf: [{ type: 'array' }, text] },
          e: { type: 'object', additionalProperties: { type: 'array' } },
          g: { type: 'object', patternProperties: { '^x': { type: 'array' } } },
        },
        $defs: { f: { type: 'array' } },
      },
      {
        type: 'object',
        properties: {
          a: { type: 'array', items: {} },
          b: { type: ['array', 'null'], items: {} },
          c: { type: 'array', items: { type: 'array', items: {} } },
          d: { anyOf: [{ type: 'array', items: {} }, text] },
          e: { type: 'object', additionalProperties: { type: 'array', items: {} } },
          g: { type: 'object', patternProperties: { '^x': { type: 'array', items: {} } } },
        },
        $defs: { f: { type: 'array', items: {} } },
      },
    ],
  ])('get %s', (_, given, expected) => {
    expect(completeParameters(given)).toEqual(expected);
  });

  it('stay the same if nothing is missing', () => {
    const complete = {
      type: 'object',
      properties: {
        // Not schemas, although they look like one.
        a: { type: 'string', default: { type: 'array' }, enum: [{ type: 'array' }] },
        type: { type: 'array', items: text },
        b: true,
      },
      required: ['a'],
    };
    expect(completeParameters(complete)).toEqual(complete);
    expect(completeParameters(undefined)).toBeUndefined();
  });
});
