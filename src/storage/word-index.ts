import type { PresetState } from '../core/presets/preset.ts';
import { splitWords } from '../core/words.ts';

/**
 * A table of words that a list is searched by. Both engines have the same tables: `core/words.ts`
 * splits texts into words, not the database.
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
}

/** The words of a listed preset `p`: its slug, name and description. */
export const presetWords: WordIndex = {
  table: 'preset_words',
  scopeColumn: 'workspace_id',
  itemColumn: 'preset_id',
  rowCondition: 'w.preset_id = p.id',
  hasFewWords: false,
};

/** The words of a listed membership `m`: names and email address. */
export const memberWords: WordIndex = {
  table: 'member_words',
  scopeColumn: 'organization_id',
  itemColumn: 'user_id',
  rowCondition: 'w.user_id = m.user_id AND w.organization_id = m.organization_id',
  hasFewWords: true,
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
}

/** Whether a change touches the texts that a preset is found by. */
export function hasOtherTexts(current: PresetState | undefined, next: PresetState): boolean {
  if (current === undefined) return true;
  const { slug, name, description } = next;
  return current.slug !== slug || current.name !== name || current.description !== description;
}

/**
 * The difference between the words that find a preset before and after a change. Writing only the
 * difference keeps a rename from rewriting every row of the index.
 */
export function changedWords(
  current: PresetState | undefined,
  next: PresetState,
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const before = new Set(current && splitWords(current.slug, current.name, current.description));
  const after = new Set(splitWords(next.slug, next.name, next.description));
  return {
    removed: [...before].filter((word) => !after.has(word)),
    added: [...after].filter((word) => !before.has(word)),
  };
}
