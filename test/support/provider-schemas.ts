/**
 * Which JSON schemas OpenAI and Anthropic reject, as their documentation and error messages say. It
 * is written independently of presetd's own rules, so that one mistake is not made in both.
 */

import { asObject } from '../../src/core/json/loose-json.ts';

type Complain = (problem: string) => void;

/** OpenAI's rules for the parameters of any function, strict or not. */
export function checkParameters(schema: unknown, complain: Complain): void {
  const { type, properties } = asObject(schema);
  if (type !== 'object') complain('schema must be a JSON Schema of type "object"');
  if (type === 'object' && properties === undefined) complain('object schema missing properties');
  for (const each of nodesOf(schema))
    if (each.type === 'array' && each.items === undefined) complain('array schema missing items');
}

/** OpenAI's strict mode. */
export function checkOpenAiStrict(schema: unknown, complain: Complain): void {
  const root = asObject(schema);
  if (root.type !== 'object' || root.anyOf !== undefined) complain('the root of a schema must be an object');
  for (const each of nodesOf(schema)) {
    for (const name of Object.keys(each))
      if (!openAiKeywords.has(name)) complain(`'${name}' is not permitted`);
    if (each.$ref !== undefined && Object.keys(each).length > 1) complain('$ref cannot have keywords');
    if (each.type === undefined && each.anyOf === undefined && each.$ref === undefined)
      complain("schema must have a 'type' key");
    if (typesOf(each).includes('object')) {
      const names = Object.keys(asObject(each.properties));
      if (each.additionalProperties !== false) complain("'additionalProperties' must be false");
      if (JSON.stringify(names.toSorted()) !== JSON.stringify(listOf(each.required).toSorted()))
        complain("'required' must include every key in properties");
    }
    if (typesOf(each).includes('array') && each.items === undefined) complain('array schema missing items');
    if (each.format !== undefined && (each.format === 'uri' || !formats.includes(`${each.format}`)))
      complain(`'${each.format}' is not a valid format`);
  }
}

const formats = [
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'],
];

const openAiKeywords = new Set([
  ...['$schema', '$defs', 'definitions', '$ref', 'title', 'description', 'type', 'enum', 'const', 'anyOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
]);

/** Anthropic's rules for output formats and strict tools. */
export function checkAnthropicStrict(schema: unknown, complain: Complain): void {
  for (const each of nodesOf(schema)) checkAnthropicNode(each, complain);
  if (isRecursive(schema)) complain('recursive schemas are not supported');
}

function checkAnthropicNode(each: Readonly<Record<string, unknown>>, complain: Complain): void {
  const { type, enum: values } = each;
  if (each.$ref !== undefined) {
    if (!/^#\/(?:\$defs|definitions)\//.test(`${each.$ref}`)) complain('external $ref is not supported');
    return;
  }
  if (each.oneOf !== undefined) complain("schema type 'oneOf' is not supported");
  if (listOf(each.allOf).some((one) => asObject(one).$ref !== undefined))
    complain('allOf with $ref is not supported');
  const isTyped = [type, values, each.const, each.anyOf, each.allOf].some((one) => one !== undefined);
  if (!isTyped) complain('schema type is missing');
  if (values !== undefined) checkEnum(values, type, complain);
  if (typesOf(each).includes('object') && each.additionalProperties !== false)
    complain("for 'object' type, 'additionalProperties' must be explicitly set to false");
  if (each.minItems !== undefined && each.minItems !== 0 && each.minItems !== 1)
    complain("'minItems' values other than 0 or 1 are not supported");
  if (each.format !== undefined && !formats.includes(`${each.format}`))
    complain(`format '${each.format}' is not supported`);
  for (const name of Object.keys(each))
    if (!anthropicKeywords.has(name)) complain(`for '${type}' type, property '${name}' is not supported`);
}

function checkEnum(values: unknown, type: unknown, complain: Complain): void {
  if (listOf(values).length === 0) complain('enum must be a non-empty array');
  if (Array.isArray(type)) complain(`enum value does not match declared type '${type}'`);
  for (const value of listOf(values)) {
    if (typeof value === 'object' && value !== null) complain('complex types within enums are not supported');
    if (typeof type === 'string' && !matches(value, type))
      complain(`enum value '${value}' does not match declared type '${type}'`);
  }
}

function matches(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  return type === (value === null ? 'null' : typeof value);
}

const anthropicKeywords = new Set([
  ...['$defs', 'definitions', 'type', 'title', 'description', 'default', 'enum', 'const', 'anyOf', 'allOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'format'],
]);

/** The totals that Anthropic limits over all schemas of a request. */
export function countComplexity(schema: unknown): { readonly optional: number; readonly unions: number } {
  let optional = 0;
  let unions = 0;
  for (const each of nodesOf(schema)) {
    const required = listOf(each.required);
    optional += Object.keys(asObject(each.properties)).filter((name) => !required.includes(name)).length;
    if (Array.isArray(each.type) || each.anyOf !== undefined) unions += 1;
  }
  return { optional, unions };
}

/** A schema and all schemas inside it. */
function nodesOf(schema: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const node = asObject(schema);
  const maps = [node.properties, node.$defs, node.definitions, node.patternProperties];
  const lists = [node.anyOf, node.oneOf, node.allOf, node.prefixItems];
  const inside = [
    ...maps.flatMap((map) => Object.values(asObject(map))),
    ...lists.flatMap(listOf),
    ...[node.items, node.additionalProperties, node.not, node.contains, node.propertyNames],
  ];
  return [node, ...inside.flatMap(nodesOf)];
}

function isRecursive(schema: unknown): boolean {
  const { $defs, definitions } = asObject(schema);
  const all = new Map(
    [...Object.entries(asObject($defs)), ...Object.entries(asObject(definitions))].map(([name, each]) => [
      name,
      new Set(nodesOf(each).flatMap(({ $ref }) => (typeof $ref === 'string' ? [lastPart($ref)] : []))),
    ]),
  );
  return [...all.keys()].some((name) => {
    const reached = new Set<string>();
    const queue = [...(all.get(name) ?? [])];
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      if (reached.has(next)) continue;
      reached.add(next);
      queue.push(...(all.get(next) ?? []));
    }
    return reached.has(name);
  });
}

const lastPart = (reference: string) => reference.split('/').at(-1) ?? '';

function typesOf({ type }: Readonly<Record<string, unknown>>): readonly unknown[] {
  return Array.isArray(type) ? type : [type];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
