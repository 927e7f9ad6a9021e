import { Type } from 'typebox';

/**
 * An object used as a dictionary. TypeBox's own record matches keys with `^.*$`, which a key holding a line
 * break slips past unchecked; `additionalProperties` sees every key.
 */
export function dictionaryOf<Values extends Type.TSchema>(
  values: Values,
  options: Type.TObjectOptions = {},
): Type.TUnsafe<Record<string, Type.Static<Values>>> {
  return Type.Unsafe({ ...options, type: 'object', additionalProperties: values });
}

/** An object of which nothing is checked: a JSON Schema, a tool's parameters. */
export const anyObject = dictionaryOf(Type.Unknown());
