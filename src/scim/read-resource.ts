import { textProblem } from '../core/text/storable-text.ts';
import { type Attribute, allAttributes, findAttribute, type Schema } from './schema.ts';
import { ScimError } from './scim-error.ts';

/** A resource whose attributes have the names and types of its schema. */
export type Resource = Readonly<Record<string, unknown>>;

/** Longer text is not a name, address or title. */
const textLengthMax = 1_000;

/** Far more addresses than a person has, but a group can have as many members as a body. */
const valuesMax = 100_000;

/**
 * Reads the body of a request that creates or replaces a resource. Attributes that the schema does
 * not have, or that clients cannot set, are ignored. Throws one error for all problems.
 */
export function readResource(schema: Schema, body: unknown): Resource {
  if (!isObject(body)) throw new ScimError('invalidSyntax', 'The request body must be a JSON object.');
  const schemas = Object.entries(body).find(([name]) => name.toLowerCase() === 'schemas')?.[1];
  if (schemas !== undefined && !(Array.isArray(schemas) && schemas.includes(schema.id)))
    throw new ScimError('invalidValue', `schemas must contain ${schema.id}.`);
  const problems: string[] = [];
  const resource = readObject(allAttributes(schema), body, '', problems);
  assertNone(problems);
  assertComplete(schema, resource);
  return resource;
}

/** Throws if a required attribute is missing; addresses and `active` have defaults. */
function assertComplete(schema: Schema, resource: Resource): void {
  const defaulted = ['emails', 'active'];
  const missing = schema.attributes.filter(
    ({ name, required }) => required && !defaulted.includes(name) && resource[name] === undefined,
  );
  assertNone(missing.map(({ name }) => `${name} is missing`));
}

/** Reads one value of an attribute, as part of a patch. Undefined for null and an empty list. */
export function readValue(attribute: Attribute, value: unknown, path: string): unknown {
  const problems: string[] = [];
  const found = readAny(attribute, value, path, problems);
  assertNone(problems);
  return found;
}

export function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function assertNone(problems: readonly string[]): void {
  if (problems.length > 0) throw new ScimError('invalidValue', `${problems.slice(0, 20).join('; ')}.`);
}

function readObject(
  attributes: readonly Attribute[],
  value: Resource,
  path: string,
  problems: string[],
): Resource {
  const read = Object.entries(value).flatMap(([key, item]) => {
    const attribute = findAttribute(attributes, key);
    if (attribute === undefined || attribute.mutability === 'readOnly') return [];
    const found = readAny(attribute, item, path + attribute.name, problems);
    return found === undefined ? [] : [[attribute.name, found] as const];
  });
  return Object.fromEntries(read);
}

function readAny(attribute: Attribute, value: unknown, path: string, problems: string[]): unknown {
  if (value === null || value === undefined) return undefined;
  if (!attribute.multiValued) return readOne(attribute, value, path, problems);
  const values = Array.isArray(value) ? value : [value];
  if (values.length > valuesMax) problems.push(`${path} has more than ${valuesMax} values`);
  const read = values
    .slice(0, valuesMax)
    .map((item, index) => readOne(attribute, item, `${path}[${index}]`, problems))
    .filter((item) => item !== undefined);
  if (read.filter((item) => isObject(item) && item.primary === true).length > 1)
    problems.push(`${path} has more than one primary value`);
  return read.length === 0 ? undefined : read;
}

function readOne(attribute: Attribute, value: unknown, path: string, problems: string[]): unknown {
  switch (attribute.type) {
    case 'complex':
      return readComplex(attribute, value, path, problems);
    case 'boolean':
      return readBoolean(value, path, problems);
    default:
      return readText(value, path, problems);
  }
}

function readComplex(attribute: Attribute, value: unknown, path: string, problems: string[]): unknown {
  if (!isObject(value)) {
    problems.push(`${path} must be an object`);
    return undefined;
  }
  const parts = attribute.subAttributes ?? [];
  const found = readObject(parts, value, `${path}.`, problems);
  for (const { name, required } of parts)
    if (required && found[name] === undefined) problems.push(`${path}.${name} is missing`);
  return Object.keys(found).length === 0 ? undefined : found;
}

/** Entra ID sends booleans as text. */
function readBoolean(value: unknown, path: string, problems: string[]): unknown {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.toLowerCase() : '';
  if (text === 'true' || text === 'false') return text === 'true';
  problems.push(`${path} must be true or false`);
  return undefined;
}

function readText(value: unknown, path: string, problems: string[]): unknown {
  const problem =
    typeof value !== 'string'
      ? 'must be a string'
      : value.length > textLengthMax
        ? `has more than ${textLengthMax} characters`
        : textProblem(value);
  if (problem === undefined) return value;
  problems.push(`${path} ${problem}`);
  return undefined;
}
