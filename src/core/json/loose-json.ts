/** Reads JSON that may have any form, such as that of upstreams: nothing fails because of it. */

import { isJsonObject, type JsonObject } from './json-object.ts';
import { parseExact } from './json-text.ts';

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

/** An empty list stands for anything else. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** An empty text stands for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Returns undefined if the text is not a JSON object. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Like `parseJsonObject`, but numbers keep all their digits when they are written again, unless a
 * key occurs twice.
 */
export function parseExactObject(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return parseJsonObject(text);
  }
}
