/** Requirements for JSON schemas that only OpenAI has. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import type { FormatConcept, FunctionConcept } from '../model/concepts.ts';
import { mapSchemas } from '../model/json-schema.ts';

/** Adapts the schema and strict mode of a function, which may come from any dialect. */
export function fitFunction(
  { parameters, strict, schemaOrigin }: FunctionConcept,
  drop: (part: string) => void,
): Pick<FunctionConcept, 'parameters' | 'strict'> {
  if (schemaOrigin === 'openai') return { parameters, strict };
  const isStrict = strict === true && isStrictSchema(parameters);
  if (strict === true && !isStrict) drop('strict');
  return {
    parameters: completeParameters(parameters),
    strict: typeof strict === 'boolean' ? isStrict : undefined,
  };
}

/** The strict mode of an output format. Other providers enforce more schemas than it accepts. */
export function fitStrictMode(
  { schema, strict, schemaOrigin }: Extract<FormatConcept, { readonly type: 'json_schema' }>,
  drop: (part: string) => void,
): unknown {
  if (schemaOrigin === 'openai') return strict;
  const isStrict = isStrictSchema(schema);
  if (!isStrict) drop('strict');
  return isStrict;
}

/**
 * Whether OpenAI accepts a schema in strict mode: every object is closed, every property required.
 * A keyword that is not listed here counts as unsupported.
 *
 * https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isJsonObject(schema) || schema.type !== 'object' || schema.anyOf !== undefined) return false;
  return isStrict(schema, 1);
}

const depthMax = 10;

function isStrict(node: unknown, depth: number): boolean {
  if (!isJsonObject(node) || depth > depthMax) return false;
  if (node.$ref !== undefined) return Object.keys(node).length === 1;
  const isSupported = Object.entries(node).every(
    ([name, value]) => Object.hasOwn(keywords, name) && keywords[name]?.(value, depth),
  );
  const { type, anyOf, items } = node;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return (
    isSupported &&
    (type !== undefined || anyOf !== undefined) &&
    (!types.includes('object') || isClosed(node)) &&
    (!types.includes('array') || items !== undefined)
  );
}

function isClosed({ properties, required, additionalProperties: more }: JsonObject): boolean {
  if (more !== false || !isJsonObject(properties) || !Array.isArray(required)) return false;
  return new Set(Object.keys(properties)).symmetricDifference(new Set(required)).size === 0;
}

const anything = () => true;
const areStrict = (map: unknown, depth: number) =>
  isJsonObject(map) && Object.values(map).every((node) => isStrict(node, depth));

/** The supported keywords, and which values they may have. */
const keywords: Readonly<Record<string, (value: unknown, depth: number) => boolean>> = {
  $schema: anything,
  title: anything,
  description: anything,
  type: anything,
  enum: anything,
  const: anything,
  anyOf: (nodes, depth) =>
    Array.isArray(nodes) && nodes.length > 0 && nodes.every((node) => isStrict(node, depth)),
  properties: (map, depth) => areStrict(map, depth + 1),
  $defs: areStrict,
  definitions: areStrict,
  required: anything,
  additionalProperties: anything,
  items: isStrict,
  minItems: anything,
  maxItems: anything,
  // Lookarounds are not supported.
  pattern: (pattern) => !/\(\?<?[=!]/.test(String(pattern)),
  format: (format) => formats.has(format),
  minimum: anything,
  maximum: anything,
  exclusiveMinimum: anything,
  exclusiveMaximum: anything,
  multipleOf: anything,
};

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
]);

/**
 * Adds what OpenAI requires even of functions that are not strict: the properties of an object, and
 * the items of every array. JSON Schema does not, and tools of MCP servers often lack them.
 */
export function completeParameters(parameters: unknown): unknown {
  if (!isJsonObject(parameters)) return parameters;
  const complete = withItems(parameters);
  return { ...complete, properties: complete.properties ?? {} };
}

function withItems(node: JsonObject): JsonObject {
  const { type, items } = node;
  const isArray = type === 'array' || (Array.isArray(type) && type.includes('array'));
  return { ...mapSchemas(node, withItems), ...(isArray && items === undefined && { items: {} }) };
}
