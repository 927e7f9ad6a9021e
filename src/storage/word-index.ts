/** A table of words that a list is searched by. Both engines use the same tables. */
export interface WordIndex {
  readonly table: string;
  /** The column of the workspace or organization that a search is limited to. */
  readonly scope: string;
  /** The column of what a word belongs to. */
  readonly item: string;
  /** Ties the words `w` to the listed row. */
  readonly ofRow: string;
}

/** To a listed preset `p`. */
export const presetWords: WordIndex = {
  table: 'preset_words',
  scope: 'workspace_id',
  item: 'preset_id',
  ofRow: 'w.preset_id = p.id',
};

/** Hits are counted up to this number. Words that all have more are common enough to be met soon on a walk. */
export const countedHitsMax = 1_000;

/** How many rows of the index begin with a word, up to one more than are counted. */
export interface WordHits {
  readonly word: string;
  readonly hits: number;
}
