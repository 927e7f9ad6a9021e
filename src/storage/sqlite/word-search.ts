import type { DatabaseSync } from 'node:sqlite';
import { countedHitsMax, type WordHits, type WordIndex } from '../word-index.ts';
import { statement } from './statement.ts';

/**
 * A range condition for words that start with this one: no word contains the last code point of
 * Unicode.
 */
export const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || char(1114111)`;

/** Limits `content_words` and `common_words` to the workspace of a search. */
const inScope = 'workspace = (SELECT number FROM content_workspaces WHERE workspace_id = ?1)';

/** Counts the hits of a word, up to one more than `countedHitsMax`. Common words have that many. */
const countWordSql = ({ table, scopeColumn, hasContents }: WordIndex) => {
  const rows = [
    `SELECT 1 FROM ${table} WHERE ${scopeColumn} = ?1 AND ${beginsWith('?2')}`,
    ...(hasContents ? [`SELECT 1 FROM content_words WHERE ${inScope} AND ${beginsWith('?2')}`] : []),
  ].join(' UNION ALL ');
  const count = `(SELECT count(*) FROM (${rows} LIMIT ${countedHitsMax + 1}))`;
  const isIn = (words: string) => `EXISTS (SELECT 1 FROM ${words} WHERE ${inScope} AND ${beginsWith('?2')})`;
  const columns = hasContents
    ? `iif(${isIn('common_words')}, ${countedHitsMax + 1}, ${count}) AS hits,
      ${isIn('common_words')} OR ${isIn('content_words')} AS in_contents`
    : `${count} AS hits, 0 AS in_contents`;
  return statement(`count-${table}`, `SELECT ${columns}`);
};

/** Whether the listed row has a word that starts with this one. */
export const hasWord = ({ table, rowCondition, hasContents }: WordIndex, word: string) => {
  const inTable = `EXISTS (SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)})`;
  const inContents = `EXISTS (SELECT 1 FROM preset_contents c WHERE c.preset_id = p.id AND instr(c.words, ' ' || ${word}))`;
  return hasContents ? `(${inTable} OR ${inContents})` : inTable;
};

/** Whether the listed row has a match for every word of a JSON array. */
export const hasWords = (index: WordIndex, words: string) =>
  `NOT EXISTS (SELECT 1 FROM json_each(${words}) wanted WHERE NOT ${hasWord(index, 'wanted.value')})`;

/** The items with a word that starts with this one, without duplicates. */
export const selectHits = ({ table, scopeColumn, itemColumn, hasContents }: WordIndex, word: string) => {
  const inTable = `SELECT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = ?1 AND ${beginsWith(word)}`;
  const inContents = `SELECT c.preset_id FROM content_words w CROSS JOIN preset_contents c ON c.number = w.preset
    WHERE ${inScope} AND ${beginsWith(word)}`;
  return `SELECT DISTINCT ${itemColumn} FROM (${inTable}${hasContents ? ` UNION ALL ${inContents}` : ''})`;
};

/** Prepares a count of the hits of each word, rarest first. */
export function prepareWordCounts(
  database: DatabaseSync,
  index: WordIndex,
): (scopeId: string, words: readonly string[]) => readonly WordHits[] {
  const count = database.prepare(countWordSql(index));
  return (scopeId, words) =>
    words
      .map((word) => {
        const row = count.get(scopeId, word);
        return { word, hits: Number(row?.hits), in_contents: row?.in_contents === 1 };
      })
      .toSorted((one, other) => one.hits - other.hits);
}
