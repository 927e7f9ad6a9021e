/** A table of words that a list is searched by. Both engines use the same tables. */
export interface WordIndex {
  readonly table: string;
  /** The column of the workspace or organization that a search is limited to. */
  readonly scopeColumn: string;
  /** The column of what a word belongs to. */
  readonly itemColumn: string;
  /** Ties the words `w` to the listed row. */
  readonly rowCondition: string;
  /** Whether an item has so few words that reading all of them is as cheap as looking for one. */
  readonly hasFewWords: boolean;
}

/** To a listed preset `p`. */
export const presetWords: WordIndex = {
  table: 'preset_words',
  scopeColumn: 'workspace_id',
  itemColumn: 'preset_id',
  rowCondition: 'w.preset_id = p.id',
  hasFewWords: false,
};

/** To a listed membership `m`. */
export const memberWords: WordIndex = {
  table: 'member_words',
  scopeColumn: 'organization_id',
  itemColumn: 'user_id',
  rowCondition: 'w.user_id = m.user_id AND w.organization_id = m.organization_id',
  hasFewWords: true,
};

/** Hits are counted up to this number. Words that all have more are common enough to be met soon on a walk. */
export const countedHitsMax = 1_000;

/** How many rows of the index begin with a word, up to one more than are counted. */
export interface WordHits {
  readonly word: string;
  readonly hits: number;
}
