import { runToCompletion } from '../../../src/core/cooperative-task.ts';
import { createJsonInterner } from '../../../src/core/json-interner.ts';
import { isRawNumber } from '../../../src/core/json-text.ts';
import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';

/** Deep equality of JSON values. Field order is irrelevant; list order is not. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const interner = createJsonInterner();
  for (const value of [one, other]) runToCompletion(interner.intern(value));
  return interner.isEqual(one, other);
}

/** Excludes raw numbers, which are objects to `typeof` but scalars in JSON. */
export function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}
