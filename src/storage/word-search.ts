import { type Sql, type Statement, statement } from './statement.ts';
import { countedHitsMax, type WordHits, type WordIndex } from './word-index.ts';

/**
 * A range condition for words that start with this one: no word contains the last code point of
 * Unicode.
 */
const beginsWith = (word: string) => `word >= ${word} AND word < ${word} || '\u{10FFFF}'`;

/** Limits `content_words` and `common_words` to the workspace of a search. */
const inScope = 'workspace = (SELECT number FROM content_workspaces WHERE workspace_id = $1)';

/**
 * Counts the hits of each word of the list $2 in the scope $1, rarest first, up to one more than
 * `countedHitsMax`. Common words have that many.
 */
export function countWords({ table, scopeColumn, hasContents }: WordIndex): Statement<WordHits> {
  const rows = [
    `SELECT 1 FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith('wanted.value')}`,
    ...(hasContents
      ? [`SELECT 1 FROM content_words WHERE ${inScope} AND ${beginsWith('wanted.value')}`]
      : []),
  ].join(' UNION ALL ');
  const count = `(SELECT count(*) FROM (${rows} LIMIT ${countedHitsMax + 1}) counted)`;
  const isAmong = (words: string) =>
    `EXISTS (SELECT 1 FROM ${words} WHERE ${inScope} AND ${beginsWith('wanted.value')})`;
  const columns = hasContents
    ? `CASE WHEN ${isAmong('common_words')} THEN ${countedHitsMax + 1} ELSE ${count} END AS hits,
      ${isAmong('common_words')} OR ${isAmong('content_words')} AS "inContents"`
    : `${count} AS hits, false AS "inContents"`;
  return statement<WordHits>(
    `count-${table}`,
    ({ values }) =>
      `SELECT wanted.value AS word, ${columns} FROM ${values('$2', 'text')} wanted ORDER BY hits`,
  );
}

/**
 * Whether the listed row has a match for every word of a list. The first words are looked for
 * first, so the rarest should be first.
 */
export const hasWords = (sql: Sql, index: WordIndex, words: string) => `NOT EXISTS (
      SELECT 1 FROM ${sql.values(words, 'text')} wanted WHERE NOT ${hasWord(sql, index, 'wanted.value')}
    )`;

/**
 * Whether the listed row has a word that starts with this one. If the row is identified by its
 * scope as well, PostgreSQL may prefer all such words in the scope to the words of the row. OFFSET
 * 0 makes it read the words of the row first, because it merges no such subquery with the outer
 * one.
 */
export const hasWord = (
  { contains, engine }: Sql,
  { table, rowCondition, hasFewWords, hasContents }: WordIndex,
  word: string,
) => {
  const inTable =
    hasFewWords && engine === 'postgres'
      ? `SELECT 1 FROM (SELECT word FROM ${table} w WHERE ${rowCondition} OFFSET 0) own WHERE ${beginsWith(word)}`
      : `SELECT 1 FROM ${table} w WHERE ${rowCondition} AND ${beginsWith(word)}`;
  const inContents = `SELECT 1 FROM preset_contents c
    WHERE c.preset_id = p.id AND ${contains('c.words', `' ' || ${word}`)}`;
  return `EXISTS (${hasContents ? `${inTable} UNION ALL ${inContents}` : inTable})`;
};

/** The items with a word that starts with this one, without duplicates, in the scope $1. */
export const selectHits = (
  { joinOne }: Sql,
  { table, scopeColumn, itemColumn, hasContents }: WordIndex,
  word: string,
) => {
  const inTable = `SELECT ${itemColumn} FROM ${table} WHERE ${scopeColumn} = $1 AND ${beginsWith(word)}`;
  const inContents = `SELECT c.preset_id FROM content_words w ${joinOne('preset_contents c', 'c.number = w.preset')}
    WHERE ${inScope} AND ${beginsWith(word)}`;
  return `SELECT DISTINCT ${itemColumn} FROM (${inTable}${hasContents ? ` UNION ALL ${inContents}` : ''}) hits`;
};
