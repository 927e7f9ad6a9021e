/** Finds the fields of a response that translation loses. */

import { isJsonObject, type JsonObject } from '../../core/json/json-object.ts';
import { asObject } from '../../core/json/loose-json.ts';

/**
 * Paths of the fields that are not known, for reporting them as lost. Fields of an object are only
 * told apart if some of them are known. A value that says nothing, such as null or counts of 0, is
 * no loss.
 */
export function unknownFields(value: JsonObject, known: ReadonlySet<string>, prefix = ''): readonly string[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const path = prefix + name;
    if (known.has(path) || saysNothing(field)) return [];
    const isPartlyKnown = known.values().some((each) => each.startsWith(`${path}.`));
    return isJsonObject(field) && isPartlyKnown ? unknownFields(field, known, `${path}.`) : [path];
  });
}

/**
 * Whether an object has other fields than these. For events, most of which have none: finding out
 * which costs as much as parsing the event.
 */
export function hasOtherFields(value: JsonObject, names: ReadonlySet<string>): boolean {
  for (const name in value) if (value[name] !== null && !names.has(name)) return true;
  return false;
}

function saysNothing(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) ? Object.values(value).every(saysNothing) : !value;
}

/**
 * Anthropic and OpenAI both name the caller of a tool. That the model itself called it is the case
 * everywhere else, and no loss.
 */
export function withoutDirectCaller(call: JsonObject): JsonObject {
  const caller = asObject(call.caller);
  return caller.type === 'direct' ? { ...call, caller: { ...caller, type: null } } : call;
}
