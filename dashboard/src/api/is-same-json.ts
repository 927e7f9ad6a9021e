import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';
import { isExactNumber } from './exact-json.ts';

/** Whether two values say the same. The order of fields means nothing; that of lists does. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(inOrder(one)) === JSON.stringify(inOrder(other));
}

/** With the fields of every object sorted by name. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isPlainObject(value)) return value;
  const names = Object.keys(value).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]));
}

/** A number that JavaScript would round looks like an object, and is none. */
export function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isExactNumber(value);
}
