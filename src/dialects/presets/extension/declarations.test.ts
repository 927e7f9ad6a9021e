import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../../test/support/processor-time.ts';
import { parseExact } from '../../../core/json/json-text.ts';
import { findDeclarationIssues } from './declarations.ts';

const path = '/presetd/variables';
const issuesOf = (declarations: unknown) =>
  findDeclarationIssues(declarations, path).map((issue) => `${issue.path} ${issue.message}`);

const nameRule = 'is not a valid name: use at most 64 letters, digits and underscores, and no digit first';

describe('declarations', () => {
  it.each<[declarations: unknown]>([
    [{}],
    [
      {
        customer: { type: 'string', maxLength: 80 },
        tone: { type: 'string', enum: ['formal', 'casual'], default: 'casual' },
      },
    ],
    [{ _a1: { type: 'string', title: 'T', description: 'D', examples: ['x', 1], const: 'x' } }],
    [
      {
        n: {
          type: 'number',
          minimum: 0,
          maximum: 10,
          exclusiveMinimum: -1,
          exclusiveMaximum: 11,
          multipleOf: 0.01,
          default: 0.07,
        },
      },
    ],
    [{ n: { type: 'integer', default: 3 }, b: { type: 'boolean', default: false, enum: [false] } }],
    [{ code: { type: 'string', pattern: '^[A-Z]{2}-\\d{6}$', default: 'AB-123456', minLength: 1 } }],
    [{ day: { type: 'string', format: 'date', default: '2026-11-30' } }],
    [{ list: { type: 'array', items: { type: 'string' }, minItems: 0, maxItems: 9, default: ['a'] } }],
    [
      {
        order: {
          type: 'object',
          properties: { id: { type: 'integer' } },
          required: ['id'],
          additionalProperties: false,
          default: { id: 1 },
        },
      },
    ],
    [{ any: { type: 'object' }, strings: { type: 'object', additionalProperties: { type: 'string' } } }],
    [
      {
        constructor: { type: 'string' },
        toString: { type: 'object', properties: { valueOf: { type: 'string' } } },
      },
    ],
    [
      parseExact(
        '{"n":{"type":"integer","minimum":12345678901234567890,"default":12345678901234567890,"enum":[12345678901234567890]}}',
      ),
    ],
    [parseExact('{"n":{"type":"number","default":1e400}}')],
  ])('the declarations %j are accepted', (declarations) => {
    expect(issuesOf(declarations)).toEqual([]);
  });

  it.each<[declarations: unknown, issues: readonly string[]]>([
    [[], ['/presetd/variables must be an object']],
    [{ a: null }, ['/presetd/variables/a must be a JSON Schema, which is an object']],
    [{ a: {} }, ['/presetd/variables/a/type is required']],
    [
      { a: { type: 'text' } },
      ['/presetd/variables/a/type must be "string", "number", "integer", "boolean", "array" or "object"'],
    ],
    [
      { a: { type: ['string', 'null'] } },
      ['/presetd/variables/a/type must be "string", "number", "integer", "boolean", "array" or "object"'],
    ],
    [
      { '1a': { type: 'string' }, 'a-b': { type: 'string' }, ä: { type: 'string' }, '': { type: 'string' } },
      ['1a', 'a-b', 'ä', ''].map((name) => `/presetd/variables/${name} ${nameRule}`),
    ],
    [
      JSON.parse('{"__proto__":{"type":"string"}}'),
      ['/presetd/variables/__proto__ is a reserved name; use another'],
    ],
    [
      { o: { type: 'object', properties: { 'a.b': { type: 'string' } } } },
      [`/presetd/variables/o/properties/a.b ${nameRule}`],
    ],
    [{ a: { $ref: '#/b', type: 'string' } }, ['/presetd/variables/a/$ref is not a supported keyword']],
    [{ a: { type: 'string', anyOf: [] } }, ['/presetd/variables/a/anyOf is not a supported keyword']],
    [
      { a: { type: 'array', uniqueItems: true } },
      ['/presetd/variables/a/uniqueItems is not a supported keyword'],
    ],
    [
      { a: { type: 'string', constructor: 1 } },
      ['/presetd/variables/a/constructor is not a supported keyword'],
    ],
    [
      { a: { type: 'string', maxlength: 3, minimum: 1 } },
      [
        '/presetd/variables/a/maxlength is not a supported keyword (did you mean maxLength?)',
        '/presetd/variables/a/minimum does not apply to type string',
      ],
    ],
    [
      { a: { type: 'string', title: 1, description: null, examples: 'x', minLength: -1, maxLength: 1.5 } },
      [
        '/presetd/variables/a/title must be a string',
        '/presetd/variables/a/description must be a string',
        '/presetd/variables/a/examples must be a list',
        '/presetd/variables/a/minLength must be a whole number of at least 0',
        '/presetd/variables/a/maxLength must be a whole number of at least 0',
      ],
    ],
    [
      { a: { type: 'number', minimum: '1', multipleOf: 0 } },
      [
        '/presetd/variables/a/minimum must be a number',
        '/presetd/variables/a/multipleOf must be a number greater than 0',
      ],
    ],
    [{ a: { type: 'string', enum: [] } }, ['/presetd/variables/a/enum must have at least one value']],
    [
      { a: { type: 'integer', enum: [1.5] } },
      ['/presetd/variables/a/enum must be a list of values of type integer'],
    ],
    [{ a: { type: 'boolean', const: 'true' } }, ['/presetd/variables/a/const must be of type boolean']],
    [
      { a: { type: 'string', format: 'hostname' } },
      ['/presetd/variables/a/format must be "date", "date-time", "email", "uri" or "uuid"'],
    ],
    ...['(', '(?=a)', '(a)\\1', '\\p{Nope}'].map((pattern): [unknown, string[]] => [
      { a: { type: 'string', pattern } },
      ['/presetd/variables/a/pattern must be a regular expression without lookaround and backreferences'],
    ]),
    [
      { a: { type: 'string', pattern: 'a{1,1000}' } },
      ['/presetd/variables/a/pattern must not repeat anything more than 100 times; use maxLength'],
    ],
    [
      { a: { type: 'string', pattern: 'a'.repeat(201) } },
      ['/presetd/variables/a/pattern must have at most 200 characters'],
    ],
    [
      { a: { type: 'string', pattern: '[ab]{100}' }, b: { type: 'string', pattern: '(?:[ab]{50}){10}' } },
      ['/presetd/variables/b/pattern makes the patterns of all variables too large'],
    ],
    [
      { a: { type: 'object', properties: [], required: ['b'] } },
      [
        '/presetd/variables/a/properties must be an object',
        '/presetd/variables/a/required must be a list of names in properties',
      ],
    ],
    [
      { a: { type: 'array', items: { type: 'string', default: 'x' } } },
      ['/presetd/variables/a/items/default is supported for variables, not for their parts'],
    ],
    [
      {
        a: { type: 'array', items: [{ type: 'string' }] },
        b: { type: 'object', additionalProperties: { type: 1 } },
      },
      [
        '/presetd/variables/a/items must be a JSON Schema, which is an object',
        '/presetd/variables/b/additionalProperties/type must be "string", "number", "integer", "boolean", "array" or "object"',
      ],
    ],
    [
      {
        a: { type: 'string', default: 5 },
        b: { type: 'string', enum: ['x', 'y'], default: 'z' },
        c: { type: 'object', properties: { n: { type: 'integer' } }, default: { n: 1.5 } },
        d: { type: 'string', default: null },
        default: { type: 'string', maxLength: 1, default: 'long' },
      },
      [
        '/presetd/variables/a/default must be a string, not a number',
        '/presetd/variables/b/default must be "x" or "y"',
        '/presetd/variables/c/default/n must be a whole number',
        '/presetd/variables/d/default must be a string, not null',
        '/presetd/variables/default/default must have at most 1 character',
      ],
    ],
  ])('the declarations %j are rejected', (declarations, issues) => {
    expect(issuesOf(declarations)).toEqual(issues);
  });

  it('declarations with many patterns that are too large are rejected quickly', () => {
    const schema = { type: 'string', pattern: '(?:\\p{L}{100}){10}'.repeat(11) };
    const names = Array.from({ length: 100 }, (_, index) => `v${index}`);
    const declarations = Object.fromEntries(names.map((name) => [name, schema]));
    expect(processorMs(() => expect(issuesOf(declarations)).toHaveLength(100))).toBeLessThan(5_000);
  });

  it('have at most 100 variables, 300 schemas, 8 levels, 64 KiB and 500 values in an enum', () => {
    const many = (count: number, schema: object) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, schema]));
    const fields = (count: number) => ({ type: 'object', properties: many(count, { type: 'string' }) });
    let nested: object = { type: 'string' };
    for (let level = 1; level < 9; level += 1) nested = { type: 'array', items: nested };
    const values = (count: number) => Array.from({ length: count }, (_, index) => index);

    expect(issuesOf(many(100, { type: 'string' }))).toEqual([]);
    expect(issuesOf(many(101, { type: 'string' }))).toEqual([`${path} must have at most 100 variables`]);
    expect(issuesOf({ a: fields(299) })).toEqual([]);
    expect(issuesOf({ a: fields(2_000) })).toEqual([`${path} must have at most 300 schemas together`]);
    expect(issuesOf({ a: (nested as { items: object }).items })).toEqual([]);
    expect(issuesOf({ a: nested })).toEqual([
      `${path}/a${'/items'.repeat(8)} must not nest deeper than 8 levels`,
    ]);
    expect(issuesOf({ a: { type: 'string', description: 'x'.repeat(65_536) } })).toEqual([
      `${path} must have at most 65536 characters as JSON`,
    ]);
    expect(issuesOf({ a: { type: 'integer', enum: values(500) } })).toEqual([]);
    expect(issuesOf({ a: { type: 'integer', enum: values(501) } })).toEqual([
      `${path}/a/enum must have at most 500 values`,
    ]);
  });
});
