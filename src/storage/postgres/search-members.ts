import type { QueryResultRow } from 'pg';
import { type MemberRow, memberColumns, membershipColumns, toMember } from '../organization-rows.ts';
import type { JoinPosition, MemberSearchReads, SearchableMember } from '../search-members.ts';
import { memberWords, type WordHits } from '../word-index.ts';
import type { PostgresConnection } from './connection.ts';
import { type Statement, statement } from './statement.ts';
import { countWordsStatement, hasWords, joinWord, selectHits } from './word-search.ts';

/** No row when the organization does not exist. */
const isIndexedStatement = statement(
  'are-members-indexed',
  `SELECT NOT EXISTS (
      SELECT 1 FROM unindexed_members WHERE organization_id = o.id
    ) AND NOT EXISTS (
      SELECT 1 FROM unindexed_organizations WHERE organization_id = o.id
    ) AS is_indexed FROM organizations o WHERE o.id = $1`,
);

const countMemberWords = countWordsStatement(memberWords);

/** A statement over this many members takes a few milliseconds, far below its timeout. */
const chunkMembers = 2_000;

const joinedAfter = `SELECT organization_id, user_id, joined_at FROM memberships
  WHERE organization_id = $1 AND (joined_at, user_id) > ($2, $3) ORDER BY joined_at, user_id`;

/** Looks up the rarest word in the index, and checks the others on the members that it leads to. */
const lookUpMembersStatement = statement(
  'look-up-members',
  `SELECT m.user_id AS id, m.joined_at FROM (${selectHits(memberWords, '$2')}) hit
    CROSS JOIN LATERAL (
      SELECT organization_id, user_id, joined_at FROM memberships
      WHERE organization_id = $1 AND user_id = hit.user_id LIMIT 1
    ) m
    WHERE ${hasWords(memberWords, '$3')} ORDER BY m.joined_at, m.user_id`,
);

const walkMembersStatement = statement(
  'walk-members',
  `SELECT m.user_id AS id, m.joined_at FROM (${joinedAfter} LIMIT ${chunkMembers}) m
    ${joinWord(memberWords, '$4')}
    WHERE ${hasWords(memberWords, '$5')}
    ORDER BY m.joined_at, m.user_id LIMIT $6`,
);

const readChunkStatement = statement(
  'member-chunk',
  `SELECT m.user_id AS id, m.joined_at, u.email, u.first_name, u.last_name
    FROM (${joinedAfter} LIMIT ${chunkMembers}) m
    CROSS JOIN LATERAL (SELECT email, first_name, last_name FROM users WHERE id = m.user_id LIMIT 1) u
    ORDER BY m.joined_at, m.user_id`,
);

const memberChunkEndStatement = statement(
  'member-search-chunk-end',
  `SELECT user_id AS id, joined_at FROM (${joinedAfter} LIMIT 1 OFFSET ${chunkMembers - 1}) m`,
);

/** Members by id, in the order of the ids. */
const getMembersStatement = statement(
  'get-members',
  `SELECT ${memberColumns} FROM unnest($2::text[]) WITH ORDINALITY AS page (id, place)
    CROSS JOIN LATERAL (
      SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = page.id LIMIT 1
    ) m
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = page.id LIMIT 1) u
    ORDER BY page.place`,
);

/** The reads that `searchMembers` needs, for one organization. */
export function memberSearchReads(connection: PostgresConnection, organizationId: string): MemberSearchReads {
  const query = <Row>(statement: Statement, ...values: readonly unknown[]) =>
    connection.query<Row & QueryResultRow>(statement, [organizationId, ...values]);
  return {
    isIndexed: async () => (await query<{ is_indexed: boolean }>(isIndexedStatement))[0]?.is_indexed,
    countWords: (words) => query<WordHits>(countMemberWords, words),
    lookUp: (rarest, others) => query<JoinPosition>(lookUpMembersStatement, rarest, others),
    walk: ({ joined_at, id }, rarest, others, limit) =>
      query<JoinPosition>(walkMembersStatement, joined_at, id, rarest, others, limit),
    readChunk: ({ joined_at, id }) => query<SearchableMember>(readChunkStatement, joined_at, id),
    chunkEnd: async ({ joined_at, id }) =>
      (await query<JoinPosition>(memberChunkEndStatement, joined_at, id))[0],
    get: async (ids) => (await query<MemberRow>(getMembersStatement, ids)).map(toMember),
  };
}
