import { countedHitsMax, type WordIndex } from '../word-index.ts';
import type { Statement } from './connection.ts';

/** No word has a character after the last one of Unicode. */
export const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || U&'\\+10FFFF' COLLATE "C"`;

/** Counts the hits of words, the rarest first; one more than are counted is many. */
export function countWordsStatement({ table, scopeColumn }: WordIndex): Statement {
  return {
    name: `count-${table}`,
    text: `SELECT wanted.word, (
        SELECT count(*) FROM (
          SELECT 1 FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith('wanted.word')} LIMIT ${countedHitsMax + 1}
        ) counted
      ) AS hits
      FROM unnest($2::text[]) AS wanted (word) ORDER BY hits`,
  };
}

/** Whether the listed row has a word that begins with each of those of a list. */
export const hasWords = (index: WordIndex, words: string) => `NOT EXISTS (
      SELECT 1 FROM unnest(${words}::text[]) AS wanted (word) WHERE NOT EXISTS (
        ${selectMatch(index, 'wanted.word')}
      )
    )`;

/**
 * Joins the listed row only if it has a word that begins like this one. A subquery that cannot become a join: for a join,
 * all rows with the word would be collected.
 */
export const joinWord = (index: WordIndex, word: string) =>
  `CROSS JOIN LATERAL (${selectMatch(index, word)} LIMIT 1) first`;

/**
 * The words of the listed row that begin like this one. Where the row is identified by the scope as well, the planner may
 * go through everything in the scope with such a word instead of the words of the row, so these are read first: it does
 * not look into a subquery with an OFFSET.
 */
const selectMatch = ({ table, rowCondition, hasFewWords }: WordIndex, word: string) =>
  hasFewWords
    ? `SELECT 1 FROM (SELECT word FROM ${table} w WHERE ${rowCondition} OFFSET 0) own WHERE ${beginsWith(word)}`
    : `SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)}`;

/** The items that have a word that begins like this one, each once. */
export const selectHits = ({ table, scopeColumn, itemColumn }: WordIndex, word: string) =>
  `SELECT DISTINCT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith(word)}`;
