import { isRawNumber } from '../../../src/core/json-text.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** A value that holds no others; a number that is kept as it is written looks like an object, and is none. */
export function isScalar(value: unknown): boolean {
  return !Array.isArray(value) && !isJsonObject(value);
}

const linesMax = 40;
const depthMax = 3;

/** Whether a field holds a JSON schema, which is read for itself. */
export function isSchema(name: string, value: unknown): value is JsonObject {
  return (
    schemaNames.includes(name) &&
    isJsonObject(value) &&
    ['properties', '$schema', 'type'].some((key) => key in value)
  );
}

const schemaNames: readonly string[] = ['schema', 'parameters', 'input_schema'];

/** Whether a value is small enough to be read line by line; anything else is shown as JSON. */
export function fitsOutline(value: unknown): boolean {
  return linesIn('', value, 0) <= linesMax;
}

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
