import { countedHitsMax, type WordIndex } from '../word-index.ts';
import { type Statement, statement } from './statement.ts';

/**
 * A range condition for words that start with this one: no word contains the last code point of
 * Unicode.
 */
export const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || U&'\\+10FFFF' COLLATE "C"`;

/** Limits `content_words` and `common_words` to the workspace of a search. */
const inScope = 'workspace = (SELECT number FROM content_workspaces WHERE workspace_id = $1)';

/**
 * Counts the hits of each word, rarest first, up to one more than `countedHitsMax`. Common words
 * have that many.
 */
export function countWordsStatement({ table, scopeColumn, hasContents }: WordIndex): Statement {
  const rows = [
    `SELECT 1 FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith('wanted.word')}`,
    ...(hasContents ? [`SELECT 1 FROM content_words WHERE ${inScope} AND ${beginsWith('wanted.word')}`] : []),
  ].join(' UNION ALL ');
  const count = `(SELECT count(*) FROM (${rows} LIMIT ${countedHitsMax + 1}) counted)`;
  const isIn = (words: string) => `EXISTS (
        SELECT 1 FROM ${words} WHERE ${inScope} AND ${beginsWith('wanted.word')} OFFSET 0
      )`;
  const columns = hasContents
    ? `CASE WHEN ${isIn('common_words')} THEN ${countedHitsMax + 1} ELSE ${count} END AS hits,
      ${isIn('common_words')} OR ${isIn('content_words')} AS in_contents`
    : `${count} AS hits, false AS in_contents`;
  return statement(
    `count-${table}`,
    `SELECT wanted.word, ${columns} FROM unnest($2::text[]) AS wanted (word) ORDER BY hits`,
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
const selectMatch = ({ table, rowCondition, hasFewWords, hasContents }: WordIndex, word: string) => {
  const inTable = hasFewWords
    ? `SELECT 1 FROM (SELECT word FROM ${table} w WHERE ${rowCondition} OFFSET 0) own WHERE ${beginsWith(word)}`
    : `SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)}`;
  const inContents = `SELECT 1 FROM preset_contents c WHERE c.preset_id = p.id AND strpos(c.words, ' ' || ${word}) > 0`;
  return hasContents ? `${inTable} UNION ALL ${inContents}` : inTable;
};

/** The items with a word that starts with this one, without duplicates. */
export const selectHits = ({ table, scopeColumn, itemColumn, hasContents }: WordIndex, word: string) => {
  const inTable = `SELECT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith(word)}`;
  const inContents = `SELECT c.preset_id FROM content_words w
    CROSS JOIN LATERAL (SELECT preset_id FROM preset_contents WHERE number = w.preset LIMIT 1) c
    WHERE ${inScope} AND ${beginsWith(word)}`;
  return `SELECT DISTINCT ${itemColumn} FROM (${inTable}${hasContents ? ` UNION ALL ${inContents}` : ''}) hits`;
};
