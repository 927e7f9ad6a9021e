import { parseExact } from '../../../src/core/json-text.ts';

/**
 * Parses JSON so that writing it again gives the same numbers: one that JavaScript would round stays as it is written.
 * A browser from before 2025, which has no way to keep it, rounds.
 */
export function parseExactJson(text: string): unknown {
  return 'rawJSON' in JSON ? parseExact(text) : JSON.parse(text);
}

/** Whether it is a number that is kept as it is written: it looks like an object, and only writing it as JSON reads it. */
export function isExactNumber(value: unknown): boolean {
  // TypeScript's library does not know it yet.
  return (JSON as { isRawJSON?(value: unknown): boolean }).isRawJSON?.(value) ?? false;
}
