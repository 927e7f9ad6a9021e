import type { Type as TypeBox } from 'typebox';

/**
 * Builds JSON Schemas whose types TypeScript knows, as TypeBox does, and with its types. TypeBox
 * itself is not loaded: its 700 modules took 180 ms and 12 MB of every start. `type.test.ts`
 * compares the schemas.
 */
const builders = {
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: object) => ({ enum: values, ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object: (properties: Readonly<Record<string, object>>, options?: object) => {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name] as object));
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
  },
  Optional: (schema: object) => {
    const copy = { ...schema };
    optional.add(copy);
    return copy;
  },
  Record: ({ pattern = '^.*$' }: { readonly pattern?: string }, value: object, options?: object) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: readonly object[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => ({ ...schema }),
};

export const Type = builders as unknown as Pick<typeof TypeBox, keyof typeof builders>;

/** The schemas of fields that may be absent. */
const optional = new WeakSet<object>();

export declare namespace Type {
  type Static<Schema extends TypeBox.TSchema> = TypeBox.Static<Schema>;
  type TObject = TypeBox.TObject;
  type TObjectOptions = TypeBox.TObjectOptions;
  type TSchema = TypeBox.TSchema;
  type TUnion<Forms extends TypeBox.TSchema[]> = TypeBox.TUnion<Forms>;
  type TUnsafe<Value> = TypeBox.TUnsafe<Value>;
}
