import { createJsonIdentities } from '../../../src/core/json-identity.ts';
import { isRawNumber } from '../../../src/core/json-text.ts';
import { finish } from '../../../src/core/steps.ts';
import { isJsonObject, type JsonObject } from '../../../src/dialects/json-object.ts';

/** Deep equality of JSON values. Field order is irrelevant; list order is not. */
export function isSameJson(one: unknown, other: unknown): boolean {
  const identities = createJsonIdentities();
  for (const value of [one, other]) finish(identities.visit(value));
  return identities.isSame(one, other);
}

/** Excludes raw numbers, which are objects to `typeof` but scalars in JSON. */
export function isPlainObject(value: unknown): value is JsonObject {
  return isJsonObject(value) && !isRawNumber(value);
}
