import { isJsonObject, type JsonObject } from './value-shape.ts';

/** The main facts about a tool; `rest` has all its other fields. */
export interface ToolSummary {
  readonly name: string;
  readonly type: string | undefined;
  readonly description: string | undefined;
  /** JSON Schema of its parameters. */
  readonly schema: JsonObject | undefined;
  readonly rest: JsonObject;
}

/** Summarizes a tool of any dialect; each puts name and parameters in a different place. */
export function toolSummary(tool: unknown): ToolSummary {
  if (!isJsonObject(tool)) return { ...emptySummary, name: 'Tool', rest: { value: tool } };
  // Chat Completions nests the definition; the other dialects do not.
  const wrapper = ['function', 'custom'].find((key) => isJsonObject(tool[key]));
  const inner = wrapper === undefined ? undefined : tool[wrapper];
  const definition = isJsonObject(inner) ? inner : tool;
  const known = knownFields(definition);
  const type = typeof tool.type === 'string' ? tool.type : undefined;
  const innerRest = inner === undefined ? {} : without(definition, known.keys);
  const outerRest = without(tool, [
    ...(type === undefined ? [] : ['type']),
    ...(wrapper === undefined ? known.keys : [wrapper]),
  ]);
  return {
    name: known.name ?? type ?? 'Tool',
    type: known.name === undefined ? undefined : type,
    description: known.description,
    schema: known.schema,
    rest: {
      ...outerRest,
      ...(wrapper !== undefined && isOverlapping(outerRest, innerRest)
        ? { [wrapper]: innerRest }
        : innerRest),
    },
  };
}

/** "2 parameters: city, days", if the schema names them. */
export function describeSchema(schema: JsonObject, what: 'parameter' | 'field' = 'parameter'): string {
  const names = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  if (names.length === 0) return what === 'parameter' ? 'Parameters' : 'JSON schema';
  const shown = names.slice(0, 6).join(', ');
  return `${names.length} ${what}${names.length === 1 ? '' : 's'}: ${shown}${names.length > 6 ? ', …' : ''}`;
}

const emptySummary = { type: undefined, description: undefined, schema: undefined };

/** Finds name, description and schema, and returns their keys, so that the rest can be listed. */
function knownFields(definition: JsonObject) {
  const nameKey = ['name', 'server_label'].find((key) => typeof definition[key] === 'string');
  const schemaKey = ['parameters', 'input_schema'].find((key) => isJsonObject(definition[key]));
  const name = nameKey === undefined ? undefined : definition[nameKey];
  const schema = schemaKey === undefined ? undefined : definition[schemaKey];
  const { description } = definition;
  return {
    name: typeof name === 'string' ? name : undefined,
    description: typeof description === 'string' ? description : undefined,
    schema: isJsonObject(schema) ? schema : undefined,
    keys: [nameKey, schemaKey, typeof description === 'string' ? 'description' : undefined].filter(
      (key) => key !== undefined,
    ),
  };
}

function isOverlapping(one: JsonObject, other: JsonObject): boolean {
  return Object.keys(one).some((name) => Object.hasOwn(other, name));
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}
