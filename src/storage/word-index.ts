import type { PresetState } from '../core/presets/preset.ts';
import type { PresetFilter } from '../core/presets/preset-storage.ts';
import { splitWords } from '../core/text/words.ts';

/**
 * A table of words that a list is searched by. Both engines have the same tables:
 * `core/text/words.ts` splits texts into words, not the database.
 */
export interface WordIndex {
  readonly table: string;
  /** The column that limits a search to a workspace or organization. */
  readonly scopeColumn: string;
  /** The column of the preset or member that a word belongs to. */
  readonly itemColumn: string;
  /** Joins the words, as `w`, to the listed row. */
  readonly rowCondition: string;
  /**
   * Whether items have so few words that reading all of them costs no more than looking for one.
   */
  readonly hasFewWords: boolean;
  /** Whether items also have the words of `preset_contents`, which are stored differently. */
  readonly hasContents: boolean;
}

/** The words of a listed preset `p`: its slug, name and description, and its tags as terms. */
export const presetWords: WordIndex = {
  table: 'preset_words',
  scopeColumn: 'workspace_id',
  itemColumn: 'preset_id',
  rowCondition: 'w.preset_id = p.id',
  hasFewWords: false,
  hasContents: true,
};

/** The index without contents, for words that occur only in names: checking contents costs more. */
export const presetNames: WordIndex = { ...presetWords, hasContents: false };

/** The words of a listed membership `m`: names and email address. */
export const memberWords: WordIndex = {
  table: 'member_words',
  scopeColumn: 'organization_id',
  itemColumn: 'user_id',
  rowCondition: 'w.user_id = m.user_id AND w.organization_id = m.organization_id',
  hasFewWords: true,
  hasContents: false,
};

/**
 * Hits are counted up to this number. If all words of a search have more, they are common enough
 * that a walk over the list fills a page soon.
 */
export const countedHitsMax = 1_000;

/** How many index rows start with a word, up to one more than are counted. */
export interface WordHits {
  readonly word: string;
  readonly hits: number;
  /** Whether contents may have such a word. */
  readonly inContents: boolean | 0 | 1;
}

/**
 * The terms to search for: words and whole tags. `undefined` if the filter has neither, and an
 * empty list if nothing matches it.
 */
export function searchTerms({ words, tags = [] }: PresetFilter): readonly string[] | undefined {
  if (words === undefined) return tags.length === 0 ? undefined : tags.map(tagTerm);
  return words.length === 0 ? [] : [...words, ...tags.map(tagTerm)];
}

/**
 * A tag as it is stored among the words. No word and no tag contains a `#`, so only the whole tag
 * begins with it.
 */
function tagTerm(tag: string): string {
  return `#${tag}#`;
}

/**
 * The difference between the words that find a preset before and after a change. Writing only the
 * difference keeps a rename from rewriting every row of the index.
 */
export function changedWords(current: PresetState | undefined, next: PresetState): WordChange {
  if (current === undefined) return { removed: [], added: wordsOf(next) };
  const isSame = (['slug', 'name', 'description', 'tags'] as const).every(
    (key) => current[key] === next[key],
  );
  return isSame ? { removed: [], added: [] } : differenceOf(wordsOf(current), wordsOf(next));
}

export interface WordChange {
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export function differenceOf(before: readonly string[], after: readonly string[]): WordChange {
  const [known, wanted] = [new Set(before), new Set(after)];
  return {
    removed: before.filter((word) => !wanted.has(word)),
    added: after.filter((word) => !known.has(word)),
  };
}

function wordsOf({ slug, name, description, tags }: PresetState): readonly string[] {
  return [...splitWords(slug, name, description), ...tags.map(tagTerm)];
}
