import type { PresetVersion } from '../../../../src/client/preset-answers.ts';
import { runToCompletion } from '../../../../src/core/cooperative-task.ts';
import { createJsonInterner } from '../../../../src/core/json-interner.ts';
import { isRawNumber } from '../../../../src/core/json-text.ts';
import { isJsonObject, type JsonObject } from '../../../../src/dialects/json-object.ts';

type Content = Pick<PresetVersion, 'config' | 'system_prompt'>;

/**
 * Whether two versions have the same prompt and config. The order of config fields is irrelevant.
 */
export function isSameVersion(one: Content, other: Content): boolean {
  return one.system_prompt === other.system_prompt && isSameJson(one.config, other.config);
}

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
