import { countedHitsMax, type WordIndex } from '../word-index.ts';
import { type Statement, statement } from './statement.ts';

/**
 * A range condition for words that start with this one: no word contains the last code point of
 * Unicode.
 */
export const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || U&'\\+10FFFF' COLLATE "C"`;

/** Counts the hits of each word, rarest first, up to one more than `countedHitsMax`. */
export function countWordsStatement({ table, scopeColumn }: WordIndex): Statement {
  return statement(
    `count-${table}`,
    `SELECT wanted.word, (
        SELECT count(*) FROM (
          SELECT 1 FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith('wanted.word')} LIMIT ${countedHitsMax + 1}
        ) counted
      ) AS hits
      FROM unnest($2::text[]) AS wanted (word) ORDER BY hits`,
  );
}

/** Whether the listed row has a match for every word of an array. */
export const hasWords = (index: WordIndex, words: string) => `NOT EXISTS (
      SELECT 1 FROM unnest(${words}::text[]) AS wanted (word) WHERE NOT EXISTS (
        ${selectMatch(index, 'wanted.word')}
      )
    )`;

/**
 * Keeps the listed row only if it has a word that starts with this one. A subquery that cannot
 * become a join: for a join, all rows with the word would be collected.
 */
export const joinWord = (index: WordIndex, word: string) =>
  `CROSS JOIN LATERAL (${selectMatch(index, word)} LIMIT 1) first`;

/**
 * The words of the listed row that start with this one. If the row is identified by its scope as
 * well, the planner may prefer all such words in the scope to the words of the row. OFFSET 0 reads
 * the row's words first: the planner does not look into a subquery with an OFFSET.
 */
const selectMatch = ({ table, rowCondition, hasFewWords }: WordIndex, word: string) =>
  hasFewWords
    ? `SELECT 1 FROM (SELECT word FROM ${table} w WHERE ${rowCondition} OFFSET 0) own WHERE ${beginsWith(word)}`
    : `SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)}`;

/** The items with a word that starts with this one, without duplicates. */
export const selectHits = ({ table, scopeColumn, itemColumn }: WordIndex, word: string) =>
  `SELECT DISTINCT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith(word)}`;
