import { Ajv } from 'ajv';
import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { closedUnion, nullable, openUnion } from '../../dialects/schema/combinators.ts';
import { discriminateByTag } from './json-schema.ts';

const one = Type.Object({ type: Type.Literal('one'), count: Type.Integer() });
const few = Type.Object({ type: Type.Enum(['two', 'three']), parts: Type.Optional(Type.Array(one)) });
const tagless = Type.Object({ type: Type.Optional(Type.Literal('four')), text: Type.String() });
const nullTagged = Type.Object({
  type: Type.Optional(nullable(Type.Enum(['five']))),
  id: Type.String(),
});

const schemas: Readonly<Record<string, object>> = {
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

describe('discriminateByTag', () => {
  it.each(Object.entries(schemas))(
    'accepts and rejects the same values as the plain union: %s',
    (_, schema) => {
      const verdicts = (which: object) => {
        const isValid = new Ajv({ discriminator: true, allowUnionTypes: true, strictTypes: false }).compile(
          which,
        );
        return values.map((value) => [value, isValid(value)]);
      };
      const plain = verdicts(schema);
      expect(verdicts(discriminateByTag(schema))).toEqual(plain);
      expect(new Set(plain.map(([, verdict]) => verdict)).size).toBe(2);
    },
  );
});
