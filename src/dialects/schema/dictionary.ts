import { Type } from 'typebox';

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
