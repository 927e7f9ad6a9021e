import { Type as TypeBox } from 'typebox';
import { expect, it } from 'vitest';
import { Type } from './type.ts';

const build = (builder: typeof Type) => ({
  Array: builder.Array(builder.String(), { minItems: 1 }),
  Boolean: builder.Boolean({ description: 'x' }),
  Enum: builder.Enum(['a', 'b'], { description: 'x' }),
  Integer: builder.Integer({ minimum: 1 }),
  'Literal of text': builder.Literal('a', { description: 'x' }),
  'Literal of a number': builder.Literal(1),
  'Literal of a boolean': builder.Literal(true),
  Null: builder.Null({ description: 'x' }),
  Number: builder.Number({ maximum: 1 }),
  Object: builder.Object({ b: builder.String(), a: builder.Optional(builder.Null()) }, { minProperties: 1 }),
  'Object without required fields': builder.Object({ a: builder.Optional(builder.String()) }),
  'Object with a copied optional field': builder.Object({ a: { ...builder.Optional(builder.String()) } }),
  Optional: builder.Optional(builder.String({ maxLength: 1 })),
  Record: builder.Record(builder.String(), builder.Integer(), { maxProperties: 1 }),
  'Record with a pattern': builder.Record(builder.String({ pattern: '^a' }), builder.Integer()),
  String: builder.String({ maxLength: 1, 'x-must': 'x' }),
  Union: builder.Union([builder.String(), builder.Null()], { description: 'x' }),
  Unknown: builder.Unknown({ description: 'x' }),
  Unsafe: builder.Unsafe<string>({ type: 'string' }),
});

const expected: Readonly<Record<string, object>> = build(TypeBox);

it.each(Object.entries(build(Type)))(
  '%s builds the schema of TypeBox, with fields in its order',
  (name, schema) => {
    expect(JSON.stringify(schema)).toBe(JSON.stringify(expected[name]));
  },
);
