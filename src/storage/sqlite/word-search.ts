import type { DatabaseSync } from 'node:sqlite';
import { countedHitsMax, type WordHits, type WordIndex } from '../word-index.ts';

/** No word has a character after the last one of Unicode. */
export const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || char(1114111)`;

/** The number of hits of a word; one more than are counted is many. */
export const countWordSql = ({ table, scopeColumn }: WordIndex) => `SELECT count(*) AS hits FROM (
    SELECT 1 FROM ${table} WHERE ${scopeColumn} = ?1 AND ${beginsWith('?2')} LIMIT ${countedHitsMax + 1}
  )`;

/** Whether the listed row has a word that begins like this one. */
export const hasWord = ({ table, rowCondition }: WordIndex, word: string) =>
  `EXISTS (SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)})`;

/** Whether it has one for each word of a JSON list. */
export const hasWords = (index: WordIndex, words: string) =>
  `NOT EXISTS (SELECT 1 FROM json_each(${words}) wanted WHERE NOT ${hasWord(index, 'wanted.value')})`;

/** The items that have a word that begins like this one, each once. */
export const selectHits = ({ table, scopeColumn, itemColumn }: WordIndex, word: string) =>
  `SELECT DISTINCT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = ?1 AND ${beginsWith(word)}`;

/** Counts the hits of words, the rarest first. */
export function prepareWordCounts(
  database: DatabaseSync,
  index: WordIndex,
): (scopeId: string, words: readonly string[]) => readonly WordHits[] {
  const count = database.prepare(countWordSql(index));
  return (scopeId, words) =>
    words
      .map((word) => ({ word, hits: Number(count.get(scopeId, word)?.hits) }))
      .toSorted((one, other) => one.hits - other.hits);
}
