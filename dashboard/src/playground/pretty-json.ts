import { parseExactJson } from '../api/exact-json.ts';

/**
 * Indents JSON and keeps the digits of its numbers. Returns anything else, such as JSON that is
 * still streaming in, unchanged.
 */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(parseExactJson(text), undefined, 2);
  } catch {
    return text;
  }
}
