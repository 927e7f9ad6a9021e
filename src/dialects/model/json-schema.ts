import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';

/** Changes the schemas directly inside a schema. Those that are only `true` or `false` stay. */
export function mapSchemas(schema: JsonObject, change: (schema: JsonObject) => unknown): JsonObject {
  const changeOne = (value: unknown) => (isJsonObject(value) ? change(value) : value);
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (maps.has(name) && isJsonObject(value))
        return [name, Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changeOne(each)]))];
      if (!schemas.has(name)) return [name, value];
      return [name, Array.isArray(value) ? value.map(changeOne) : changeOne(value)];
    }),
  );
}

/** A schema and all schemas inside it. */
export function listSchemas(schema: unknown): readonly JsonObject[] {
  if (!isJsonObject(schema)) return [];
  const inner: JsonObject[] = [];
  mapSchemas(schema, (each) => inner.push(...listSchemas(each)));
  return [schema, ...inner];
}

/** Keywords whose value is a map of schemas by name. */
const maps: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** Keywords whose value is a schema or a list of schemas. */
const schemas: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'allOf',
  'not',
]);
