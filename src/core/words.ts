import { PresetdError } from './errors.ts';

/** Longer words are found by their beginning. */
const wordCharactersMax = 64;

/** Enough for a sentence in a script where every character is a word. */
const queryWordsMax = 40;

/** Scripts that put no spaces between words: there every character is one, also those that two of them share. */
const spacelessScripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');

const wordCharacters = '[\\p{L}\\p{N}\\p{M}]';
const wordExpression = new RegExp(
  `[${wordCharacters}&&[${spacelessScripts}]]|[${wordCharacters}--[${spacelessScripts}]]+`,
  'gv',
);

/** The words that a text is found by, each once, without regard to case. Both engines store them, so both find alike. */
export function splitWords(...texts: readonly (string | null)[]): readonly string[] {
  const words = texts
    .flatMap((text) => text?.normalize('NFKC').toLowerCase().match(wordExpression) ?? [])
    .map((word) =>
      word.length <= wordCharactersMax ? word : [...word].slice(0, wordCharactersMax).join(''),
    );
  return [...new Set(words)];
}

/**
 * The words to look for. Undefined when there is nothing to look for, which finds everything; empty when there is no
 * word in it, which finds nothing.
 */
export function parseSearchWords(query: string | undefined): readonly string[] | undefined {
  if (query === undefined || query.trim() === '') return undefined;
  const words = splitWords(query);
  if (words.length <= queryWordsMax) return words;
  throw new PresetdError('invalid_request', `A search may have at most ${queryWordsMax} words.`, {
    issues: [{ path: '/q', message: `must have at most ${queryWordsMax} words` }],
  });
}
