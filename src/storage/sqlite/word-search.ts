import type { DatabaseSync } from 'node:sqlite';
import { countedHitsMax, type WordHits, type WordIndex } from '../word-index.ts';
import { statement } from './statement.ts';

/**
 * A range condition for words that start with this one: no word contains the last code point of
 * Unicode.
 */
export const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || char(1114111)`;

/** Counts the hits of a word, up to one more than `countedHitsMax`. */
const countWordSql = ({ table, scopeColumn }: WordIndex) =>
  statement(
    `count-${table}`,
    `SELECT count(*) AS hits FROM (
    SELECT 1 FROM ${table} WHERE ${scopeColumn} = ?1 AND ${beginsWith('?2')} LIMIT ${countedHitsMax + 1}
  )`,
  );

/** Whether the listed row has a word that starts with this one. */
export const hasWord = ({ table, rowCondition }: WordIndex, word: string) =>
  `EXISTS (SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)})`;

/** Whether the listed row has a match for every word of a JSON array. */
export const hasWords = (index: WordIndex, words: string) =>
  `NOT EXISTS (SELECT 1 FROM json_each(${words}) wanted WHERE NOT ${hasWord(index, 'wanted.value')})`;

/** The items with a word that starts with this one, without duplicates. */
export const selectHits = ({ table, scopeColumn, itemColumn }: WordIndex, word: string) =>
  `SELECT DISTINCT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = ?1 AND ${beginsWith(word)}`;

/** Prepares a count of the hits of each word, rarest first. */
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
