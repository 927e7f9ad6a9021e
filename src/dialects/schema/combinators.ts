/** Builds schemas from schemas, in forms that TypeBox does not have. */

import { Type } from '../../core/type.ts';

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

/**
 * The schema of an object with arbitrary keys. Unlike `Type.Record`, it checks every value: TypeBox
 * matches keys with `^.*$`, which misses keys that contain a line break.
 */
export function dictionaryOf<Values extends Type.TSchema>(
  values: Values,
  options: Type.TObjectOptions = {},
): Type.TUnsafe<Record<string, Type.Static<Values>>> {
  return Type.Unsafe({ ...options, type: 'object', additionalProperties: values });
}

/** An object with unchecked contents, such as a JSON Schema. */
export const anyObject = dictionaryOf(Type.Unknown());

/**
 * Objects distinguished by one string field, the tag. Unknown tags are rejected, so presetd does
 * not accept types that did not exist when it was released.
 */
export function closedUnion<Shapes extends Type.TObject[]>(
  tag: string,
  shapes: readonly [...Shapes],
): Type.TUnion<Shapes> {
  knownTags(tag, shapes);
  return Type.Union([...shapes]);
}

/**
 * Objects distinguished by one string field, the tag. An object with a known tag must have its
 * shape. An object with an unknown tag passes unchecked, so that types newer than presetd are
 * accepted.
 */
export function openUnion<Tag extends string, Shapes extends Type.TObject[]>(
  tag: Tag,
  shapes: readonly [...Shapes],
): Type.TUnion<[...Shapes, Type.TUnsafe<Record<Tag, string>>]> {
  const unknownShape = Type.Unsafe<Record<Tag, string>>({
    type: 'object',
    required: [tag],
    properties: { [tag]: { type: 'string', not: { enum: knownTags(tag, shapes) } } },
  });
  return Type.Union([...shapes, unknownShape]);
}

/** Requires `const` or `enum` tags, by which error reporting selects the right branch. */
function knownTags(tag: string, shapes: readonly Type.TObject[]): string[] {
  return shapes.flatMap(({ properties }) => {
    const schema = properties[tag];
    const tags = schema !== undefined && tagsOf(schema);
    if (!tags) throw new TypeError(`a shape of the union has no fixed "${tag}"`);
    return tags;
  });
}

function tagsOf(schema: Type.TSchema): string[] | undefined {
  if ('const' in schema && typeof schema.const === 'string') return [schema.const];
  if (!('enum' in schema) || !Array.isArray(schema.enum)) return undefined;
  return schema.enum.filter((value) => typeof value === 'string');
}
