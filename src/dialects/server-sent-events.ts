/**
 * Reads server-sent events the way upstreams write them: nearly all write the data of an event, which
 * is a JSON object, in one line. `joinDataLines` makes that true of all others.
 */

import { parseExact } from '../core/json-text.ts';
import { isJsonObject, type JsonObject } from './json-object.ts';

/** The contents of the `data:` lines of a stream. Comments and other fields are skipped. */
export function dataLines(text: string): readonly string[] {
  return text.split(lineBreak).flatMap((line) => (line.startsWith('data:') ? [contentOf(line)] : []));
}

const lineBreak = /\r\n|\n|\r/;

function contentOf(line: string): string {
  return line.slice(line.startsWith('data: ') ? 6 : 5);
}

/** Whether the data of an event is all there. */
export function isIntact(data: string): boolean {
  return data === '[DONE]' || parseJsonObject(data) !== undefined;
}

/**
 * Puts the data of each event into one line if it is an object that spans several. Everything else
 * stays as it is, as does an event that is not complete.
 */
export function joinDataLines(text: string): string {
  return text.replaceAll(severalDataLines, (lines) => {
    const [first = '', ...others] = dataLines(lines);
    const data = [first, ...others].join('\n');
    // Some servers do not separate events, each of which is an object.
    if (isIntact(first) || !isIntact(data)) return lines;
    // In valid JSON, a line break is between two tokens.
    return `data: ${data.replaceAll('\n', ' ')}`;
  });
}

/** Without the last line break. Fields such as `id` never come between lines of data. */
const severalDataLines = /(?<![^\r\n])data:[^\r\n]*(?:(?:\r\n|\n|\r)data:[^\r\n]*)+/g;

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
