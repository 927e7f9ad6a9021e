/** Reads JSON of upstreams, which may have any form: translation never fails because of it. */

import { isJsonObject, type JsonObject } from '../json-object.ts';

/** An empty object stands for anything else. */
export function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The objects of a list. An empty list stands for anything else. */
export function asObjects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A time in whole seconds since 1970. */
export function asTime(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined;
}

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
