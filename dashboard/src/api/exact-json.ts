import { parseExact } from '../../../src/core/json-text.ts';

/**
 * Parses JSON so that writing it again gives the same numbers: one that JavaScript would round stays as it is written.
 * A browser from before 2025, which has no way to keep it, rounds.
 */
export function parseExactJson(text: string): unknown {
  return 'rawJSON' in JSON ? parseExact(text) : JSON.parse(text);
}
