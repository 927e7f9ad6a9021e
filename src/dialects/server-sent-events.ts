import { isJsonObject, type JsonObject } from './json-object.ts';

/** What stands behind `data:` in the lines of a stream, in order. Comments and other fields have no part in it. */
export function dataLines(text: string): readonly string[] {
  return text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line.startsWith('data: ') ? 6 : 5));
}

/**
 * What the last event that has it says, for every event is asked, from the last one back. A line that was cut is no
 * JSON, so that it is passed over.
 */
export function findLastEvent<T>(text: string, ask: (event: JsonObject) => T | undefined): T | undefined {
  for (const line of dataLines(text).toReversed()) {
    const event = parseJsonObject(line);
    const answer = event === undefined ? undefined : ask(event);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** The JSON object that a line of data holds; undefined where it holds anything else. */
export function parseJsonObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
