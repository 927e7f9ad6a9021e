import { parseExactJson } from '../api/exact-json.ts';

/** JSON to be read by people, with its digits as they are. What is no JSON, or not yet, stays as it is. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(parseExactJson(text), undefined, 2);
  } catch {
    return text;
  }
}
