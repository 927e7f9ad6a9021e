/**
 * Reads server-sent events the way upstreams write them: one line of JSON per event. Data that
 * spans several lines is not supported, because none of the dialects uses it.
 */

import { parseExact } from '../core/json-text.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** The contents of the `data:` lines of a stream. Comments and other fields are skipped. */
export function dataLines(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5));
}

/**
 * Applies `select` to the events from last to first and returns the first result that is not
 * undefined. A truncated line is not valid JSON and is skipped.
 */
export function findLastEvent<T>(text: string, select: (event: JsonObject) => T | undefined): T | undefined {
  for (const line of dataLines(text).toReversed()) {
    const event = parseJsonObject(line);
    const result = event === undefined ? undefined : select(event);
    if (result !== undefined) return result;
  }
  return undefined;
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
