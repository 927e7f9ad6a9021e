import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { contract, schemas } from '../../api/contract.ts';
import type { Operation } from '../../api/operation.ts';
import { Type } from '../../core/type.ts';
import { closedUnion, nullable, openUnion } from '../../dialects/schema/combinators.ts';
import type { JsonSchema } from './json-schema.ts';
import { findViolation, supportedKeywords } from './schema-check.ts';

const one = Type.Object({ type: Type.Literal('one'), count: Type.Integer() });
const few = Type.Object({ type: Type.Enum(['two', 'three']), parts: Type.Optional(Type.Array(one)) });
const tagless = Type.Object({ type: Type.Optional(Type.Literal('four')), text: Type.String() });
const nullTagged = Type.Object({
  type: Type.Optional(nullable(Type.Enum(['five']))),
  id: Type.String(),
});

const unions: Readonly<Record<string, object>> = {
  closed: closedUnion('type', [one, few]),
  open: openUnion('type', [one, few]),
  'in a list': Type.Array(openUnion('type', [one, few])),
  'in a field': Type.Object({ a: Type.Optional(closedUnion('type', [one, few])) }),
  'in a map': Type.Record(Type.String(), openUnion('type', [one, few])),
  'next to another type': Type.Union([Type.String(), openUnion('type', [one, few])]),
  'with a tag that may be absent': Type.Union([one, tagless]),
  'with one of several tags that may be absent': openUnion('type', [tagless, one, few]),
  'with a tag that may be absent or null': Type.Union([one, few, nullTagged, tagless]),
  'with a form that accepts every tag': Type.Union([
    one,
    few,
    Type.Object({ type: Type.String(), any: Type.Null() }),
  ]),
  'with a form that restricts only objects': {
    anyOf: [one, few, { required: ['type'], properties: { type: { const: 'six' } } }],
  },
  'with a form without the tag': Type.Union([one, few, Type.Object({ text: Type.String() })]),
  'with a tag in two forms': Type.Union([
    one,
    few,
    Type.Object({ type: Type.Literal('two'), text: Type.String() }),
  ]),
};

const objects = [
  { type: 'one', count: 1 },
  { type: 'one' },
  { type: 'one', count: 'x' },
  { type: 'two' },
  { type: 'three', parts: [{ type: 'one', count: 1 }] },
  { type: 'three', parts: [{ type: 'one' }] },
  { type: 'two', parts: [{ type: 'other' }] },
  { type: 'other', count: 'x' },
  { type: 'four', text: 'x' },
  { type: 'five', id: 'x' },
  { type: null, id: 'x' },
  { type: 'one', id: 'x', text: 'x', any: null },
  { type: 'two', parts: 1, text: 'x', any: null },
  { type: 'two', parts: 1, text: 1 },
  { type: 1 },
  { type: null },
  { text: 'x' },
  { count: 1 },
  {},
  [],
  ['one'],
  'one',
  1,
  null,
];
const values = objects.flatMap((value) => [value, [value], [objects[0], value], { a: value }]);

it.each(Object.entries(unions))(
  'a union %s accepts and rejects the same values as with Ajv, which tries every form',
  (_, schema) => {
    const accepts = new Ajv({ allowUnionTypes: true, strictTypes: false }).compile(schema);
    const expected = values.map((value) => [value, accepts(value)]);
    expect(values.map((value) => [value, findViolation(schema, value) === undefined])).toEqual(expected);
    expect(new Set(expected.map(([, verdict]) => verdict)).size).toBe(2);
  },
);

const text = { type: 'string' };

it.each<[schema: JsonSchema, valid: unknown, invalid: unknown, keyword: string, path?: string]>([
  [{ type: 'integer' }, 1, 1.5, 'type'],
  [{ type: 'number' }, 1.5, '1', 'type'],
  [{ type: 'number' }, 0, Number.POSITIVE_INFINITY, 'type'],
  [{ type: ['string', 'null'] }, null, 1, 'type'],
  [{ type: 'object' }, {}, [], 'type'],
  [{ type: 'array' }, [], {}, 'type'],
  [{ type: 'boolean' }, false, 0, 'type'],
  [{ const: 1 }, 1, 2, 'const'],
  [{ enum: ['a', null] }, null, 'b', 'enum'],
  [{ minimum: 1 }, 1, 0, 'minimum'],
  [{ maximum: 1 }, 1, Number.POSITIVE_INFINITY, 'maximum'],
  [{ minLength: 2 }, '😀😀', '😀', 'minLength'],
  [{ maxLength: 1 }, '😀', 'ab', 'maxLength'],
  [{ pattern: '^a.$' }, 'a😀', 'ab😀', 'pattern'],
  [{ format: 'date-time' }, '2026-02-28T00:00:00Z', '2026-02-30T00:00:00Z', 'format'],
  [{ format: 'date' }, '2028-02-29', '2027-02-29', 'format'],
  [
    { format: 'uuid' },
    '01A1DCF2-bc40-75ad-82d0-b2d5456e406d',
    'urn:uuid:01a1dcf2-bc40-75ad-82d0-b2d5456e406d',
    'format',
  ],
  [{ not: { enum: ['a'] } }, 'b', 'a', 'not'],
  [{ anyOf: [{ minimum: 2 }, { const: 0 }] }, 0, 1, 'anyOf'],
  [{ minItems: 1 }, [1], [], 'minItems'],
  [{ maxItems: 1 }, [1], [1, 2], 'maxItems'],
  [{ uniqueItems: true }, ['a', 'b'], ['a', 'b', 'a'], 'uniqueItems'],
  [{ items: text }, ['a'], ['a', 1], 'type', '/1'],
  [{ minProperties: 1 }, { a: 1 }, {}, 'minProperties'],
  [{ maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }, 'maxProperties'],
  [{ required: ['toString'] }, { toString: 1 }, {}, 'required'],
  [{ propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }, 'maxLength'],
  [{ properties: { a: text }, additionalProperties: false }, { a: '' }, { b: '' }, 'additionalProperties'],
  [{ properties: {}, additionalProperties: false }, {}, { constructor: 1 }, 'additionalProperties'],
  [{ properties: { a: text }, additionalProperties: true }, { a: '', b: 1 }, { a: 1 }, 'type', '/a'],
  [{ properties: { a: {} }, additionalProperties: text }, { a: 1, b: '' }, { b: 1 }, 'type', '/b'],
  [{ properties: { 'a/b': text } }, { 'a/b': '', c: 1 }, { 'a/b': 1 }, 'type', '/a~1b'],
  [{ patternProperties: { '^a': text } }, { ab: '', c: 1 }, { ab: 1 }, 'type', '/ab'],
  [
    { patternProperties: { '^a': {} }, additionalProperties: false },
    { a: 1 },
    { b: 1 },
    'additionalProperties',
  ],
  [{ $ref: 'Error#' }, { error: { code: 400, message: '' } }, {}, 'required'],
])('%j accepts %j, and reports the first violation of %j', (schema, valid, invalid, keyword, path = '') => {
  expect(findViolation(schema, valid)).toBeUndefined();
  expect(findViolation(schema, invalid)).toMatchObject({ keyword, instancePath: path });
});

it('the violation of a union is that of the form whose tag the value has', () => {
  const union = closedUnion('type', [one, few]);
  expect(findViolation(union, { type: 'one', count: 'x' })).toMatchObject({ instancePath: '/count' });
  expect(findViolation(union, { type: 'other' })).toMatchObject({ keyword: 'anyOf', instancePath: '' });
});

it('a repeated item is reported after the item that it repeats', () => {
  const violation = findViolation({ uniqueItems: true }, ['a', 'b', 'c', 'b']);
  expect(violation?.params).toEqual({ i: 3, j: 1 });
});

it('very long texts and lists are checked in little time', () => {
  const long = '😀'.repeat(10_000_000);
  const many = Array.from({ length: 300_000 }, (_, index) => String(index));
  const before = process.cpuUsage();
  expect(findViolation({ minLength: 1 }, long)).toBeUndefined();
  expect(findViolation({ maxLength: 200 }, long)).toMatchObject({ keyword: 'maxLength' });
  expect(findViolation({ uniqueItems: true }, many)).toBeUndefined();
  // CPU time in µs. Comparing all pairs takes minutes, and splitting the text half a gigabyte.
  expect(process.cpuUsage(before).user).toBeLessThan(1_500_000);
});

it('a keyword for another type restricts nothing', () => {
  const schema = { minimum: 1, minLength: 1, minItems: 1, minProperties: 1, pattern: 'a', format: 'uuid' };
  const others = { required: ['a'], items: text, uniqueItems: true, additionalProperties: false };
  expect(findViolation({ ...schema, ...others }, null)).toBeUndefined();
});

it('requests are validated only by keywords that the server knows', () => {
  const operations: readonly Operation[] = Object.values(contract);
  const used = new Set(
    operations.flatMap(({ body, query }) => [body ?? {}, query ?? {}]).flatMap(keywordsIn),
  );
  expect([...used].filter((keyword) => !supportedKeywords.has(keyword))).toEqual([]);
  expect(used).toContain('patternProperties');
});

/** All keywords of a schema and of those that it refers to. */
function keywordsIn(schema: JsonSchema): readonly string[] {
  const { $ref, properties = {}, patternProperties = {}, anyOf = [], ...others } = schema;
  const { items, not, propertyNames, additionalProperties } = others;
  const parts = [items, not, propertyNames, additionalProperties].filter((part) => typeof part === 'object');
  const referred = $ref === undefined ? [] : [schemas[$ref.replace('#', '')] as JsonSchema];
  const all = [
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...anyOf,
    ...parts,
    ...referred,
  ];
  return [...Object.keys(schema), ...all.flatMap(keywordsIn)];
}
