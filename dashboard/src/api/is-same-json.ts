import { runToCompletion } from '../../../src/core/cooperative-task.ts';
import { createJsonInterner } from '../../../src/core/json-interner.ts';
import { isRawNumber } from '../../../src/core/json-text.ts';
import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';

/** Whether two values say the same. The order of fields means nothing; that of lists does. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const interner = createJsonInterner();
  for (const value of [one, other]) runToCompletion(interner.intern(value));
  return interner.isEqual(one, other);
}

/** A number that JavaScript would round looks like an object, and is none. */
export function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}
