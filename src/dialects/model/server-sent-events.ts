/**
 * Reads server-sent events the way upstreams write them: nearly all write the data of an event,
 * which is a JSON object, in one line. `joinDataLines` makes that true of all others.
 */

import type { JsonObject } from '../../core/json/json-object.ts';
import { parseJsonObject } from '../../core/json/loose-json.ts';

/** The contents of the `data:` lines of a stream. Comments and other fields are skipped. */
export function dataLines(text: string): readonly string[] {
  return text.split(lineBreak).flatMap((line) => (line.startsWith('data:') ? [dataOf(line)] : []));
}

const lineBreak = /\r\n|\n|\r/;

/** The data of a line; empty for any other field and for comments. */
export function dataOf(line: string): string {
  return line.startsWith('data:') ? line.slice(line.startsWith('data: ') ? 6 : 5) : '';
}

/** Marks the end of streams of OpenAI, where other events have JSON. */
export const doneMarker = '[DONE]';

/** Parses the data of an event; undefined if it is not, or not yet, all there. */
export function parseData(data: string): JsonObject | typeof doneMarker | undefined {
  return data === doneMarker ? data : parseJsonObject(data);
}

/** Whether the data of an event is all there. */
export function isIntact(data: string): boolean {
  return parseData(data) !== undefined;
}

/** An event whose name is the type in its data. */
export function writeEvent(event: JsonObject): string {
  return `event: ${event.type}\n${writeData(event)}`;
}

/** An event without a name. */
export function writeData(data: JsonObject): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/**
 * Puts the data of each event into one line if it is an object that spans several. Everything else
 * stays as it is, as does an event that is not complete.
 */
export function joinDataLines(text: string): string {
  return text.replaceAll(severalDataLines, (lines) => {
    const data = dataLines(lines).join('\n');
    // Some servers do not separate events, each of which is an object.
    if (!isIntact(data)) return lines;
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
