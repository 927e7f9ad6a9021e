import type { ApiDocument, Schema } from './api-document.ts';

/** Looks up the schemas that others refer to. */
export type Resolve = (schema: Schema) => Schema;

/** A description next to a reference is more specific than that of the schema it refers to. */
export function createResolve({ components: { schemas } }: Pick<ApiDocument, 'components'>): Resolve {
  return (schema) => {
    if (schema.$ref === undefined) return schema;
    const { $ref, ...rest } = schema;
    return { ...schemas[$ref.replace('#/components/schemas/', '')], ...rest };
  };
}

/** Such as `string or null`, `array of integer` or the name of a schema. */
export function describeType(schema: Schema, resolve: Resolve): string {
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
  if (schema.anyOf !== undefined) return listed(schema.anyOf.map((each) => describeType(each, resolve)));
  if (schema.enum !== undefined) return listed(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.type === undefined) return schema.properties === undefined ? 'any' : 'object';
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return listed(
    types.map((type) => {
      if (type === 'array' && schema.items !== undefined)
        return `array of ${describeType(schema.items, resolve)}`;
      return type === 'string' && schema.format !== undefined ? schema.format : type;
    }),
  );
}

/** More than these are counted, such as all languages that a voice can have. */
const listedMax = 8;

function listed(types: readonly string[]): string {
  const unique = [...new Set(types)];
  if (unique.length > listedMax)
    return `${unique.slice(0, listedMax - 1).join(', ')} and ${unique.length - listedMax + 1} more`;
  return unique.length < 2 ? unique.join() : `${unique.slice(0, -1).join(', ')} or ${unique.at(-1)}`;
}

/** Limits as phrases, such as `at most 200 characters`. */
export function describeLimits(schema: Schema): string {
  const phrases = [
    schema['x-must'],
    range(schema.minimum, schema.maximum),
    schema['x-must'] === undefined ? range(schema.minLength, schema.maxLength, 'character') : '',
    range(schema.minItems, schema.maxItems, 'item'),
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
  return phrases.filter(Boolean).join('; ');
}

function range(minimum: number | undefined, maximum: number | undefined, noun?: string): string {
  // The largest integer of the database says nothing to people.
  const upper = maximum !== undefined && maximum < 2_147_483_647 ? maximum : undefined;
  const units = (count: number) => (noun === undefined ? '' : ` ${noun}${count === 1 ? '' : 's'}`);
  if (minimum !== undefined && upper !== undefined) return `${minimum} to ${upper}${units(upper)}`;
  if (upper !== undefined) return `at most ${upper}${units(upper)}`;
  return minimum !== undefined && minimum > 0 ? `at least ${minimum}${units(minimum)}` : '';
}

/** Schemas may be recursive, such as that of any JSON value. */
const depthMax = 6;

/** A field of an object or an alternative of a union, which the page shows below the schema. */
interface SchemaPart {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/**
 * The fields of an object, of the items of an array, or of the alternatives of a union, with a name
 * for each. Empty for a plain value.
 */
export function partsOf(schema: Schema, resolve: Resolve, depth = 0): readonly SchemaPart[] {
  if (depth > depthMax) return [];
  const { properties, required = [], items, anyOf, additionalProperties } = resolve(schema);
  if (properties !== undefined)
    return Object.entries(properties).map(([name, each]) => ({
      name,
      isRequired: required.includes(name),
      schema: each,
    }));
  if (items !== undefined) return partsOf(items, resolve, depth + 1);
  if (typeof additionalProperties === 'object') return partsOf(additionalProperties, resolve, depth + 1);
  const nested = (anyOf ?? []).filter((each) => partsOf(each, resolve, depth + 1).length > 0);
  const [only] = nested;
  if (only !== undefined && nested.length === 1) return partsOf(only, resolve, depth + 1);
  return nested.map((each) => ({ name: nameOf(each, resolve), isRequired: false, schema: each }));
}

/** Alternatives differ in the fixed value of `type` or `role`. */
function nameOf(schema: Schema, resolve: Resolve): string {
  const { properties = {} } = resolve(schema);
  const [fixed] = Object.values(properties).flatMap((each) => (each.enum?.length === 1 ? each.enum : []));
  return fixed === undefined ? describeType(schema, resolve) : String(fixed);
}

/** A value to start from: the example of the schema, or an object with its required fields. */
export function exampleOf(schema: Schema, resolve: Resolve, depth = 0): unknown {
  if (depth > depthMax) return null;
  const { examples, anyOf, properties = {}, required = [], ...known } = resolve(schema);
  if (examples?.[0] !== undefined) return examples[0];
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], resolve, depth + 1);
  if (known.enum !== undefined) return known.enum[0];
  const type = typeof known.type === 'string' ? known.type : known.type?.[0];
  if (type === 'array') return [];
  if (type === 'integer' || type === 'number') return known.minimum ?? 0;
  if (type === 'boolean') return false;
  if (type === 'string') return '';
  if (type === 'null') return null;
  return Object.fromEntries(
    required.map((name) => [name, exampleOf(properties[name] ?? {}, resolve, depth + 1)]),
  );
}
