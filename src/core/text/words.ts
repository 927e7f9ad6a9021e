import { invalidRequest } from '../errors.ts';

/** Longer words are indexed, and found, by their first characters. */
const wordCharactersMax = 64;

/**
 * Bounds the work of a search. Enough for a sentence in a script where every character is a word.
 */
const queryWordsMax = 40;

/**
 * Scripts without spaces between words. Each of their characters is a word, including characters
 * that several of these scripts share.
 */
const spacelessScripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

const wordCharacters = '[\\p{L}\\p{N}\\p{M}]';
const wordExpression = new RegExp(
  `[${wordCharacters}&&[${spacelessScripts}]]|[${wordCharacters}--[${spacelessScripts}]]+`,
  'gv',
);

/**
 * Splits texts into the words that a search finds them by: lower case, compatibility-normalized,
 * each word once. Both engines index these words, so that both find the same.
 */
export function splitWords(...texts: readonly (string | null)[]): readonly string[] {
  const words = texts
    .flatMap((text) => text?.normalize('NFKC').toLowerCase().match(wordExpression) ?? [])
    .map((word) =>
      word.length <= wordCharactersMax ? word : [...word].slice(0, wordCharactersMax).join(''),
    );
  return [...new Set(words)];
}

/**
 * Splits a search query into words. Returns undefined for a missing or blank query, which matches
 * everything, and an empty list for a query without any word, which matches nothing.
 */
export function parseSearchWords(query: string | undefined): readonly string[] | undefined {
  if (query === undefined || query.trim() === '') return undefined;
  const words = splitWords(query);
  if (words.length <= queryWordsMax) return words;
  const limit = `at most ${queryWordsMax} words`;
  throw invalidRequest(`A search can have ${limit}.`, '/q', `must have ${limit}`);
}
