import { Type } from 'typebox';

// Parts that the schemas of several resources share.

export const timestamp = Type.String({
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds.',
});

export const nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** `{ data }`, the envelope of one resource. */
export const one = <T extends Type.TSchema>(schema: T) => Type.Object({ data: schema });

/** `{ data, total_count }`, the envelope of a page. */
export const page = <T extends Type.TSchema>(schema: T, countDescription: string) =>
  Type.Object({
    data: Type.Array(schema),
    total_count: Type.Integer({ description: countDescription }),
  });

/** The response of most deletions. */
export const deleted = {
  description: 'Deleted.',
  body: Type.Object({ deleted: Type.Unsafe<boolean>({ type: 'boolean', enum: [true] }) }),
};
