import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { type MemberRow, memberColumns, toMember } from '../organization-rows.ts';
import type { JoinPosition, MemberSearchReads, SearchableMember } from '../search-members.ts';
import { memberWords } from '../word-index.ts';
import { read } from './errors.ts';
import { statement } from './statement.ts';
import { hasWord, hasWords, prepareWordCounts, selectHits } from './word-search.ts';

/** No row when the organization does not exist. */
const isIndexedSql = statement(
  'are-members-indexed',
  `SELECT NOT EXISTS (
    SELECT 1 FROM unindexed_members WHERE organization_id = o.id
  ) AND NOT EXISTS (
    SELECT 1 FROM unindexed_organizations WHERE organization_id = o.id
  ) AS is_indexed FROM organizations o WHERE o.id = ?`,
);

/** SQLite checks this many members in about a millisecond, during which nothing else runs. */
const chunkMembers = 500;

const joinedAfter = `SELECT organization_id, user_id, joined_at FROM memberships
  WHERE organization_id = ?1 AND (joined_at, user_id) > (?2, ?3) ORDER BY joined_at, user_id`;

/** Looks up the rarest word in the index, and checks the others on the members that it leads to. */
const lookUpMembersSql = statement(
  'look-up-members',
  `SELECT m.user_id AS id, m.joined_at
  FROM (${selectHits(memberWords, '?2')}) hit
  CROSS JOIN memberships m ON m.organization_id = ?1 AND m.user_id = hit.user_id
  WHERE ${hasWords(memberWords, '?3')} ORDER BY m.joined_at, m.user_id`,
);

/** CASE checks the rarest word first; SQLite may reorder the terms of an AND. */
const walkMembersSql = statement(
  'walk-members',
  `SELECT m.user_id AS id, m.joined_at FROM (${joinedAfter} LIMIT ${chunkMembers}) m
  WHERE CASE WHEN ${hasWord(memberWords, '?4')} THEN ${hasWords(memberWords, '?5')} END
  ORDER BY m.joined_at, m.user_id LIMIT ?6`,
);

const readChunkSql = statement(
  'member-chunk',
  `SELECT m.user_id AS id, m.joined_at, u.email, u.first_name, u.last_name
  FROM (${joinedAfter} LIMIT ${chunkMembers}) m CROSS JOIN users u ON u.id = m.user_id
  ORDER BY m.joined_at, m.user_id`,
);

const memberSearchChunkEndSql = statement(
  'member-search-chunk-end',
  `SELECT user_id AS id, joined_at FROM (${joinedAfter} LIMIT 1 OFFSET ${chunkMembers - 1})`,
);

/** Members by id, in the order of the ids. */
const getMembersSql = statement(
  'get-members',
  `SELECT ${memberColumns} FROM json_each(?2) page
  CROSS JOIN memberships m ON m.organization_id = ?1 AND m.user_id = page.value
  CROSS JOIN users u ON u.id = m.user_id ORDER BY page.key`,
);

/** Prepares the reads that `searchMembers` needs, for any organization. */
export function prepareMemberSearch(database: DatabaseSync): (organizationId: string) => MemberSearchReads {
  const isIndexed = database.prepare(isIndexedSql);
  const countWords = prepareWordCounts(database, memberWords);
  const lookUp = prepare<JoinPosition>(database, lookUpMembersSql);
  const walk = prepare<JoinPosition>(database, walkMembersSql);
  const readPart = prepare<SearchableMember>(database, readChunkSql);
  const partEnd = prepare<JoinPosition>(database, memberSearchChunkEndSql);
  const get = prepare<MemberRow>(database, getMembersSql);

  return (organizationId) => ({
    isIndexed() {
      const row = read(() => isIndexed.get(organizationId));
      return row && Boolean(row.is_indexed);
    },
    countWords: (words) => read(() => countWords(organizationId, words)),
    lookUp: (rarest, others) => lookUp(organizationId, rarest, JSON.stringify(others)),
    walk: ({ joined_at, id }, rarest, others, limit) =>
      walk(organizationId, joined_at, id, rarest, JSON.stringify(others), limit),
    readChunk: ({ joined_at, id }) => readPart(organizationId, joined_at, id),
    chunkEnd: ({ joined_at, id }) => partEnd(organizationId, joined_at, id)[0],
    get: (ids) => get(organizationId, JSON.stringify(ids)).map(toMember),
  });
}

/** The caller vouches that `Row` matches the columns. */
function prepare<Row>(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => readonly Row[] {
  const statement = database.prepare(sql);
  return (...values) => read(() => statement.all(...values)) as unknown as Row[];
}
