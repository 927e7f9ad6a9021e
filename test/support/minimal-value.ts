import { schemas } from '../../src/api/contract.ts';

/** The keywords of our schemas that decide which values they allow. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minimum?: number;
  readonly minProperties?: number;
}

/**
 * A small value that a schema of the contract allows. Fields of these names have these values. An
 * object without required fields that must not be empty gets a name.
 */
export function minimalValue(schema: object, values: Readonly<Record<string, unknown>>): unknown {
  const { $ref, type, const: fixed, enum: choices, anyOf, ...rest }: Schema = schema;
  if ($ref !== undefined) return minimalValue(schemas[$ref.replace('#', '')] ?? {}, values);
  if (anyOf?.[0] !== undefined) return minimalValue(anyOf[0], values);
  if (fixed !== undefined || choices !== undefined) return fixed ?? choices?.[0];
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
      return Math.max(1, rest.minimum ?? 1);
    case 'string':
      return 'a';
    case 'array':
      return [minimalValue(rest.items ?? {}, values)];
    default:
      return Object.fromEntries(
        namesOf(rest).map((name) => [
          name,
          values[name] ?? minimalValue(rest.properties?.[name] ?? {}, values),
        ]),
      );
  }
}

function namesOf({ required = [], properties = {}, minProperties = 0 }: Schema): readonly string[] {
  if (required.length > 0 || minProperties === 0) return required;
  return [['name', 'first_name'].find((name) => name in properties) ?? Object.keys(properties)[0] ?? ''];
}
