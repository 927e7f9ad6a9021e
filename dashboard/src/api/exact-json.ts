import { parseExact } from '../../../src/core/json/json-text.ts';

/**
 * Parses JSON so that serializing it again yields the same digits: numbers that JavaScript would
 * round are kept as raw text. Browsers from before 2025 lack `JSON.rawJSON` and round.
 */
export function parseExactJson(text: string): unknown {
  return 'rawJSON' in JSON ? parseExact(text) : JSON.parse(text);
}

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
