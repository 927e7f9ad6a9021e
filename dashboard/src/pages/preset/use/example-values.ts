import type { VariableSchema } from '../../../../../src/dialects/presets/extension/variable-schema.ts';
import type { JsonObject } from '../../../features/version-content/config-values.ts';
import type { Variable } from '../../../features/version-content/describe-variable.ts';

/**
 * Values for code examples; undefined without variables. Only the required ones, so that the rest
 * follow their defaults, or else the first, to show how values are passed.
 */
export function exampleValues(variables: readonly Variable[]): JsonObject | undefined {
  if (variables.length === 0) return undefined;
  const required = variables.filter(({ isRequired }) => isRequired);
  const shown = required.length > 0 ? required : variables.slice(0, 1);
  return Object.fromEntries(shown.map(({ name, schema }) => [name, exampleOf(name, schema)]));
}

/** A value that the schema allows, except for a pattern, which nothing can be derived from. */
function exampleOf(name: string, schema: VariableSchema): unknown {
  const { type, const: constant, enum: choices, examples } = schema;
  if (schema.default !== undefined) return schema.default;
  if (constant !== undefined) return constant;
  if (choices !== undefined) return choices[0];
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  switch (type) {
    case 'string':
      return exampleText(name, schema);
    case 'number':
    case 'integer':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return Array.from({ length: Math.min(Number(schema.minItems ?? 0), itemsMax) }, () =>
        schema.items === undefined ? name : exampleOf(name, schema.items),
      );
    case 'object':
      return exampleObject(schema);
  }
}

/** Keep an example short. */
const itemsMax = 10;
const charactersMax = 1_000;

/** The formats that a variable can have. */
const exampleFormats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

function exampleText(name: string, { format, minLength = 0, maxLength }: VariableSchema): string {
  if (typeof format === 'string') return exampleFormats[format] ?? name;
  const text = `<${name}>`.padEnd(Math.min(Number(minLength), charactersMax), '.');
  return maxLength === undefined ? text : text.slice(0, Number(maxLength));
}

function exampleNumber(schema: VariableSchema): number {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum, multipleOf = 1 } = schema;
  const step = Number(multipleOf);
  const atLeast = (bound: unknown) => Math.ceil(Number(bound) / step) * step;
  if (minimum !== undefined) return atLeast(minimum);
  if (exclusiveMinimum !== undefined) return atLeast(exclusiveMinimum) + step;
  if (maximum !== undefined) return Math.floor(Number(maximum) / step) * step;
  if (exclusiveMaximum !== undefined) return Math.floor(Number(exclusiveMaximum) / step) * step - step;
  return step;
}

function exampleObject({ properties = {}, required = [] }: VariableSchema): JsonObject {
  const names = Array.isArray(required) && required.length > 0 ? required : Object.keys(properties);
  return Object.fromEntries(
    names.flatMap((name) => (properties[name] ? [[name, exampleOf(name, properties[name])]] : [])),
  );
}
