import { Type } from 'typebox';

/**
 * Extends a schema to accept null. If possible, null is added to the schema's own `type` or `enum`,
 * so that a wrong value causes one error instead of one per branch of an `anyOf`.
 */
export function nullable<Schema extends Type.TSchema>(
  schema: Schema,
): Type.TUnsafe<Type.Static<Schema> | null> {
  if ('enum' in schema && Array.isArray(schema.enum)) {
    return Type.Unsafe({ ...schema, enum: [...schema.enum, null] });
  }
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) {
    return Type.Unsafe({ ...schema, anyOf: [...schema.anyOf, Type.Null()] });
  }
  if ('type' in schema && typeof schema.type === 'string' && !('const' in schema)) {
    return Type.Unsafe({ ...schema, type: [schema.type, 'null'] });
  }
  return Type.Unsafe({ anyOf: [schema, Type.Null()] });
}
