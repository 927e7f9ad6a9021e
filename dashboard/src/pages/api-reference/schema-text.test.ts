import { describe, expect, it } from 'vitest';
import type { Schema } from './api-document.ts';
import { createResolve, describeLimits, describeType, exampleOf, partsOf } from './schema-text.ts';

const resolve = createResolve({
  components: {
    schemas: {
      Value: {
        anyOf: [{ $ref: '#/components/schemas/Value' }, { items: { $ref: '#/components/schemas/Value' } }],
      },
      Preset: {
        type: 'object',
        required: ['slug', 'tags'],
        properties: {
          slug: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          parent: { $ref: '#/components/schemas/Preset' },
        },
      },
    },
  },
});
const preset: Schema = { $ref: '#/components/schemas/Preset' };
const turn = (role: string): Schema => ({
  type: 'object',
  properties: { role: { enum: [role] }, content: { type: 'string' } },
});

it.each<[Schema, string]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'string', format: 'date-time' }, 'date-time'],
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'string or null'],
  [{ enum: ['active', 'disabled', null] }, '"active", "disabled" or null'],
  [{ enum: Array.from({ length: 20 }, (_, at) => at) }, '0, 1, 2, 3, 4, 5, 6 and 13 more'],
  [{ type: 'array', items: preset }, 'array of Preset'],
  [preset, 'Preset'],
  [{ properties: {} }, 'object'],
  [{}, 'any'],
])('the type of %j is %s', (schema, text) => {
  expect(describeType(schema, resolve)).toBe(text);
});

it.each<[Schema, string]>([
  [{ minimum: 1, maximum: 100, default: 50 }, '1 to 100; default 50'],
  [{ minimum: 1, maximum: 2_147_483_647 }, 'at least 1'],
  [{ minLength: 1, maxLength: 200 }, '1 to 200 characters'],
  [{ maxItems: 20 }, 'at most 20 items'],
  [{ minItems: 1 }, 'at least 1 item'],
  [{ minLength: 1, 'x-must': 'must be a slug' }, 'must be a slug'],
  [{ minimum: 0 }, ''],
])('the limits of %j are "%s"', (schema, text) => {
  expect(describeLimits(schema)).toBe(text);
});

describe('partsOf', () => {
  const names = (schema: Schema) => partsOf(schema, resolve).map(({ name }) => name);

  it.each<[Schema, readonly string[]]>([
    [{ type: 'string' }, []],
    [preset, ['slug', 'tags', 'parent']],
    [{ type: 'array', items: preset }, ['slug', 'tags', 'parent']],
    [{ anyOf: [preset, { type: 'null' }] }, ['slug', 'tags', 'parent']],
    [{ additionalProperties: preset }, ['slug', 'tags', 'parent']],
    [{ anyOf: [turn('user'), turn('tool'), preset] }, ['user', 'tool', 'Preset']],
  ])('the parts of %j are %j', (schema, expected) => {
    expect(names(schema)).toEqual(expected);
  });

  it('ends for a schema that contains only itself', () => {
    expect(names({ $ref: '#/components/schemas/Value' })).toEqual([]);
    expect(exampleOf({ $ref: '#/components/schemas/Value' }, resolve)).toBeNull();
  });

  it('knows which fields are required', () => {
    expect(partsOf(preset, resolve).map(({ isRequired }) => isRequired)).toEqual([true, true, false]);
  });
});

it.each<[Schema, unknown]>([
  [preset, { slug: '', tags: [] }],
  [{ type: 'object', examples: [{ model: 'm' }] }, { model: 'm' }],
  [
    {
      type: 'object',
      required: ['n', 'b', 'e'],
      properties: { n: { type: 'integer', minimum: 1 }, b: { type: 'boolean' }, e: { enum: ['x'] } },
    },
    { n: 1, b: false, e: 'x' },
  ],
  [{ anyOf: [{ type: ['string', 'null'] }, { type: 'null' }] }, ''],
])('the example of %j is %j', (schema, example) => {
  expect(exampleOf(schema, resolve)).toEqual(example);
});
