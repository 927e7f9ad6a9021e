import { isRawNumber } from '../../../src/core/json-text.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

/** Whether a value contains no others. Raw numbers are objects to `typeof`, but scalars in JSON. */
export function isScalar(value: unknown): boolean {
  return !Array.isArray(value) && !isJsonObject(value);
}

/** About one screen; anything larger reads better as JSON. */
const linesMax = 40;
/** Deeper nesting is hard to follow as an outline. */
const depthMax = 3;

/** Whether a field holds a JSON Schema, which is shown separately. */
export function isSchema(name: string, value: unknown): value is JsonObject {
  return (
    schemaNames.includes(name) &&
    isJsonObject(value) &&
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
