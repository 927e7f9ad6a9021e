import { createJsonIdentities } from '../../../src/core/json-identity.ts';
import { isRawNumber } from '../../../src/core/json-text.ts';
import { finish } from '../../../src/core/steps.ts';
import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';

/** Whether two values say the same. The order of fields means nothing; that of lists does. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const identities = createJsonIdentities();
  for (const value of [one, other]) finish(identities.visit(value));
  return identities.isSame(one, other);
}

/** A number that JavaScript would round looks like an object, and is none. */
export function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}
