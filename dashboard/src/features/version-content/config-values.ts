import { isJsonObject, type JsonObject } from '../../../../src/core/json/json-object.ts';
import { isRawNumber } from '../../../../src/core/json/json-text.ts';

export type { JsonObject };

/** Excludes raw numbers, which are objects to `typeof`, but scalars in JSON. */
export function isPlainJsonObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}

/** Whether a value contains no others. */
export function isScalar(value: unknown): boolean {
  return !Array.isArray(value) && !isPlainJsonObject(value);
}

/** The token limit of a config, whatever its dialect calls it; undefined if it has none. */
export function maxTokensOf(config: Readonly<Record<string, unknown>> | undefined): number | undefined {
  const limits = [config?.max_tokens, config?.max_completion_tokens, config?.max_output_tokens];
  return limits.find((limit) => typeof limit === 'number');
}

/** About one screen; anything larger reads better as JSON. */
const linesMax = 40;
/** Deeper nesting is hard to follow as an outline. */
const depthMax = 3;

/** Whether a field holds a JSON Schema, which is shown separately. */
export function isSchema(name: string, value: unknown): value is JsonObject {
  return (
    schemaNames.includes(name) &&
    isPlainJsonObject(value) &&
    ['properties', '$schema', 'type'].some((key) => key in value)
  );
}

const schemaNames: readonly string[] = ['schema', 'parameters', 'input_schema'];

/** Whether a value is small enough to show as an outline. */
export function fitsOutline(value: unknown): boolean {
  return linesIn('', value, 0) <= linesMax;
}

/** Counts lines and stops early, since values can be huge. */
function linesIn(name: string, value: unknown, depth: number): number {
  if (isScalar(value) || isSchema(name, value)) return 1;
  if (depth >= depthMax) return Number.POSITIVE_INFINITY;
  let lines = 1;
  for (const [key, item] of Object.entries(value as object)) {
    lines += linesIn(key, item, depth + 1);
    if (lines > linesMax) break;
  }
  return lines;
}

/** The main facts about a tool; `rest` has all its other fields. */
interface ToolSummary {
  readonly name: string;
  readonly type: string | undefined;
  readonly description: string | undefined;
  /** JSON Schema of its parameters. */
  readonly schema: JsonObject | undefined;
  readonly rest: JsonObject;
}

/** Summarizes a tool of any dialect; each puts name and parameters in a different place. */
export function toolSummary(tool: unknown): ToolSummary {
  if (!isPlainJsonObject(tool)) return { ...emptySummary, name: 'Tool', rest: { value: tool } };
  // Chat Completions nests the definition; the other dialects do not.
  const wrapper = ['function', 'custom'].find((key) => isPlainJsonObject(tool[key]));
  const inner = wrapper === undefined ? undefined : tool[wrapper];
  const definition = isPlainJsonObject(inner) ? inner : tool;
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
  const names = isPlainJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
  if (names.length === 0) return what === 'parameter' ? 'Parameters' : 'JSON schema';
  const shown = names.slice(0, 6).join(', ');
  return `${names.length} ${what}${names.length === 1 ? '' : 's'}: ${shown}${names.length > 6 ? ', …' : ''}`;
}

const emptySummary = { type: undefined, description: undefined, schema: undefined };

/** Finds name, description and schema, and returns their keys, so that the rest can be listed. */
function knownFields(definition: JsonObject) {
  const nameKey = ['name', 'server_label'].find((key) => typeof definition[key] === 'string');
  const schemaKey = ['parameters', 'input_schema'].find((key) => isPlainJsonObject(definition[key]));
  const name = nameKey === undefined ? undefined : definition[nameKey];
  const schema = schemaKey === undefined ? undefined : definition[schemaKey];
  const { description } = definition;
  return {
    name: typeof name === 'string' ? name : undefined,
    description: typeof description === 'string' ? description : undefined,
    schema: isPlainJsonObject(schema) ? schema : undefined,
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
