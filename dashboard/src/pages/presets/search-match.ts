import type { PresetSummary } from '../../../../src/api/presets.ts';
import { splitWords } from '../../../../src/core/text/words.ts';

type Searched = Pick<PresetSummary, 'name' | 'slug' | 'description' | 'tags' | 'aliases' | 'model'>;

/** The words of a search that nothing in the list itself has: the prompt or the note does. */
export function hiddenMatches(q: string, preset: Searched): readonly string[] {
  const { name, slug, description, tags, aliases, model } = preset;
  const shown = splitWords(name, slug, description, ...tags, ...aliases, model);
  return splitWords(q).filter((word) => !shown.some((other) => other.startsWith(word)));
}

/** A part of a text around a word that begins like one of a search. */
interface Snippet {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

const beforeMax = 24;
const afterMax = 80;

/** Undefined if no word of the text begins like one of these, which come from `splitWords`. */
export function findSnippet(text: string, words: readonly string[]): Snippet | undefined {
  if (words.length === 0) return undefined;
  // Such words have no character with a meaning in expressions.
  const found = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join('|')})`, 'iu').exec(text);
  if (found === null) return undefined;
  const end = found.index + found[0].length;
  const start = startOfWord(text, found.index - beforeMax);
  const rest = text.slice(end, end + afterMax);
  return {
    before: (start > 0 ? '…' : '') + oneLine(text.slice(start, found.index)),
    match: found[0],
    after: oneLine(rest.toWellFormed()) + (end + afterMax < text.length ? '…' : ''),
  };
}

/** The start of the first word after this position, so that none is cut. */
function startOfWord(text: string, position: number): number {
  if (position <= 0) return 0;
  return position + (/^\S*\s+/.exec(text.slice(position, position + beforeMax))?.[0].length ?? 0);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}
