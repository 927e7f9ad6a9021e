/**
 * Finds mistakes in a JSON Schema before an upstream rejects it. Checks the keywords that tools and
 * structured output use; unknown ones are left to the upstream.
 */

import { isJsonObject } from '../../../../../src/core/json-object.ts';

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** The first mistake, with its place; undefined if there is none. */
export function schemaProblem(schema: unknown, place = 'The schema'): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return `${place} must be an object.`;
  const { type, properties, required, items, enum: values } = schema;
  return (
    typeProblem(type, place) ??
    (required !== undefined && !isListOfNames(required)
      ? `“required” of ${lower(place)} must be a list of names.`
      : undefined) ??
    (values !== undefined && (!Array.isArray(values) || values.length === 0)
      ? `“enum” of ${lower(place)} must be a list of values.`
      : undefined) ??
    (items === undefined ? undefined : schemaProblem(items, `“items” of ${lower(place)}`)) ??
    propertiesProblem(properties, place) ??
    missingProperty(properties, required, place) ??
    ['anyOf', 'oneOf', 'allOf']
      .filter((name) => schema[name] !== undefined)
      .map((name) => alternativesProblem(schema[name], `“${name}” of ${lower(place)}`))
      .find((problem) => problem !== undefined)
  );
}

function typeProblem(type: unknown, place: string): string | undefined {
  if (type === undefined) return undefined;
  const names = Array.isArray(type) ? type : [type];
  const wrong = names.find((name) => !types.includes(name as string));
  if (wrong === undefined) return undefined;
  return `${place} has the type ${JSON.stringify(wrong)}. Use one of ${types.join(', ')}.`;
}

function propertiesProblem(properties: unknown, place: string): string | undefined {
  if (properties === undefined) return undefined;
  if (!isJsonObject(properties)) return `“properties” of ${lower(place)} must be an object.`;
  return Object.entries(properties)
    .map(([name, property]) => schemaProblem(property, `“${name}”`))
    .find((problem) => problem !== undefined);
}

/** Some upstreams reject a schema that requires what it does not declare. */
function missingProperty(properties: unknown, required: unknown, place: string): string | undefined {
  if (!isListOfNames(required) || !isJsonObject(properties)) return undefined;
  const missing = required.find((name) => !Object.hasOwn(properties, name));
  return missing === undefined ? undefined : `${place} requires “${missing}”, which is not in “properties”.`;
}

function alternativesProblem(schemas: unknown, place: string): string | undefined {
  if (!Array.isArray(schemas) || schemas.length === 0) return `${place} must be a list of schemas.`;
  return schemas
    .map((schema, index) => schemaProblem(schema, `Number ${index + 1} in ${place}`))
    .find((problem) => problem !== undefined);
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** Within a sentence. */
function lower(place: string): string {
  return place.replace(/^(The|Number)\b/, (word) => word.toLowerCase());
}
