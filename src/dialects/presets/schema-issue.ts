import type { Issue } from '../../core/errors.ts';
import { isJsonObject } from '../../core/json/json-object.ts';
import { pointerSegment } from '../../core/json/json-pointer.ts';
import { oneLine, truncate } from '../../core/text/printable.ts';

const types = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/**
 * The first mistake in a JSON Schema that upstreams are known to reject, located from the schema;
 * undefined if there is none. Checks the keywords that tools and structured output use; unknown
 * ones are left to the upstream.
 */
export function findSchemaIssue(schema: unknown, path = ''): Issue | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return { path, message: 'must be an object' };
  const { type, properties, required, items, enum: values } = schema;
  return (
    findTypeIssue(type, `${path}/type`) ??
    (required === undefined || isListOfNames(required)
      ? undefined
      : { path: `${path}/required`, message: 'must be a list of names' }) ??
    (values === undefined || (Array.isArray(values) && values.length > 0)
      ? undefined
      : { path: `${path}/enum`, message: 'must be a list of values' }) ??
    (items === undefined ? undefined : findSchemaIssue(items, `${path}/items`)) ??
    findPropertyIssue(properties, `${path}/properties`) ??
    findMissingProperty(properties, required, `${path}/required`) ??
    firstIssue(['anyOf', 'oneOf', 'allOf'], (name) => findListIssue(schema[name], `${path}/${name}`))
  );
}

function findTypeIssue(type: unknown, path: string): Issue | undefined {
  if (type === undefined) return undefined;
  const names = Array.isArray(type) ? type : [type];
  const wrong = names.find((name) => !types.includes(name as string));
  if (wrong === undefined) return undefined;
  return { path, message: `must be ${types.slice(0, -1).join(', ')} or null, not ${shown(wrong)}` };
}

function findPropertyIssue(properties: unknown, path: string): Issue | undefined {
  if (properties === undefined) return undefined;
  if (!isJsonObject(properties)) return { path, message: 'must be an object' };
  return firstIssue(Object.entries(properties), ([name, property]) =>
    findSchemaIssue(property, path + pointerSegment(name)),
  );
}

/** OpenAI, in strict mode, and Gemini reject a schema that requires what it does not declare. */
function findMissingProperty(properties: unknown, required: unknown, path: string): Issue | undefined {
  if (!isListOfNames(required) || !isJsonObject(properties)) return undefined;
  const missing = required.find((name) => !Object.hasOwn(properties, name));
  return missing === undefined
    ? undefined
    : { path, message: `names ${shown(missing)}, which is not in properties` };
}

function findListIssue(schemas: unknown, path: string): Issue | undefined {
  if (schemas === undefined) return undefined;
  if (!Array.isArray(schemas) || schemas.length === 0) return { path, message: 'must be a list of schemas' };
  return firstIssue([...schemas.entries()], ([index, schema]) => findSchemaIssue(schema, `${path}/${index}`));
}

function firstIssue<Item>(
  items: readonly Item[],
  find: (item: Item) => Issue | undefined,
): Issue | undefined {
  for (const item of items) {
    const issue = find(item);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** A value in a message. It may be as long as a request. */
export function shown(value: unknown): string {
  return truncate(oneLine(JSON.stringify(value) ?? ''), 80);
}
