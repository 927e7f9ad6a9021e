import type { Member, MemberPage } from '../core/organization/organization.ts';
import type { Page } from '../core/page.ts';
import { splitWords } from '../core/text/words.ts';
import type { Database, Query } from './database.ts';
import { memberColumns } from './member-columns.ts';
import { type Columns, fields, flag, select } from './select.ts';
import { type WalkSteps, walkForPage } from './walk-list.ts';
import { countedHitsMax, memberWords } from './word-index.ts';
import { countWords, hasWord, hasWords, selectHits } from './word-search.ts';

/** A position in the list of members, which is ordered by joining time, then id. */
interface JoinPosition {
  readonly id: string;
  readonly joinedAt: string;
}

/**
 * Before every position on both engines: PostgreSQL's earliest timestamp, and a text that sorts
 * before every digit in SQLite.
 */
export const listStart: JoinPosition = { joinedAt: '-infinity', id: '' };

/** Expects the membership as `m`. */
const positionColumns: Columns<JoinPosition> = { id: 'm.user_id', joinedAt: 'm.joined_at' };

/** The fields that a search matches. */
export type SearchableFields = Pick<Member, 'email' | 'firstName' | 'lastName'>;

/** A search in one organization. */
interface MemberSearch {
  readonly query: Query;
  readonly organizationId: string;
  readonly words: readonly string[];
  readonly page: Page;
  /** A walk reads this many members at a time, so that each statement takes a bounded time. */
  readonly chunkMembers: number;
}

/** SQLite checks 500 members in about a millisecond, during which nothing else runs. */
const chunkMembers = { sqlite: 500, postgres: 2_000 };

/**
 * Returns a page of the members who have, for each search term, a word that starts with it, in
 * order of joining. Undefined when the organization does not exist.
 *
 * If a term is rare, its hits are read from the index and counted exactly. If all are common, a
 * walk over the list meets matches soon; it stops one match past the page, and the total is a lower
 * bound.
 */
export async function searchMembers(
  { query, engine }: Database,
  organizationId: string,
  words: readonly string[],
  page: Page,
  startIndexer: () => void,
): Promise<MemberPage | undefined> {
  const [state] = await query(areMembersIndexed, [organizationId]);
  if (state === undefined) return undefined;
  if (words.length === 0) return { members: [], totalCount: 0 };
  if (!state.isIndexed) startIndexer();
  const search = { query, organizationId, words, page, chunkMembers: chunkMembers[engine] };
  const { ids, totalCount } = await (state.isIndexed ? searchIndex(search) : searchByComparing(search));
  if (ids.length === 0) return { members: [], totalCount };
  return { members: await query(getMembers, [organizationId, ids]), totalCount };
}

async function searchIndex(search: MemberSearch) {
  const { query, organizationId, words, page } = search;
  const [rarest, ...others] = await query(countMemberWords, [organizationId, words]);
  if (rarest === undefined || rarest.hits === 0) return { ids: [], totalCount: 0 };
  const terms = [rarest.word, others.map(({ word }) => word)];
  if (rarest.hits > countedHitsMax) {
    const walk = ({ joinedAt, id }: JoinPosition, limit: number) =>
      query(walkMembers, [organizationId, joinedAt, id, search.chunkMembers, ...terms, limit]);
    return walkForPage(walkSteps(search, walk), page);
  }
  const found = await query(lookUpMembers, [organizationId, ...terms]);
  const shown = found.slice(page.offset, page.offset + page.limit);
  return { ids: shown.map(({ id }) => id), totalCount: found.length };
}

/** Compares names and addresses directly: slower, but correct while the index is incomplete. */
function searchByComparing(search: MemberSearch) {
  const { query, organizationId, words, page } = search;
  const compare = async ({ joinedAt, id }: JoinPosition, limit: number) =>
    (await query(readChunk, [organizationId, joinedAt, id, search.chunkMembers]))
      .filter((member) => hasAllPrefixes(wordsOfMember(member), words))
      .slice(0, limit);
  return walkForPage(walkSteps(search, compare), page);
}

function walkSteps(
  { query, organizationId, chunkMembers }: MemberSearch,
  matches: (after: JoinPosition, limit: number) => Promise<readonly JoinPosition[]>,
): WalkSteps<JoinPosition> {
  const chunkEnd = (after: JoinPosition) => memberChunkEnd(query, organizationId, after, chunkMembers);
  return { start: listStart, matches, chunkEnd };
}

/** Whether each term starts one of the words. */
function hasAllPrefixes(words: readonly string[], terms: readonly string[]): boolean {
  return terms.every((prefix) => words.some((word) => word.startsWith(prefix)));
}

/** The words that a member is found by. */
function wordsOfMember({ email, firstName, lastName }: SearchableFields): readonly string[] {
  return splitWords(firstName, lastName, email);
}

/**
 * The words to store for a member, never none: an address may have no letter or digit, but the
 * trigger for renames expects a row for every indexed member.
 */
export function indexedWordsOf(fields: SearchableFields): readonly string[] {
  const words = wordsOfMember(fields);
  return words.length === 0 ? [''] : words;
}

/** The last position of the chunk after this one; undefined when fewer members remain. */
export async function memberChunkEnd(
  query: Query,
  organizationId: string,
  { joinedAt, id }: JoinPosition,
  chunkLength: number,
): Promise<JoinPosition | undefined> {
  return (await query(chunkEnd, [organizationId, joinedAt, id, chunkLength - 1]))[0];
}

/** The members after a position, which is $2 and $3. */
export const joinedAfter = `SELECT organization_id, user_id, joined_at FROM memberships
  WHERE organization_id = $1 AND (joined_at, user_id) > ($2, $3) ORDER BY joined_at, user_id`;

const chunkEnd = select('member-chunk-end', positionColumns, `FROM (${joinedAfter} LIMIT 1 OFFSET $4) m`);

/** No row when the organization does not exist. */
const areMembersIndexed = select(
  'are-members-indexed',
  {
    isIndexed: flag(`NOT EXISTS (
     SELECT 1 FROM unindexed_members WHERE organization_id = o.id
   ) AND NOT EXISTS (
     SELECT 1 FROM unindexed_organizations WHERE organization_id = o.id
   )`),
  },
  `FROM organizations o WHERE o.id = $1`,
);

const countMemberWords = countWords(memberWords);

/** Looks up the rarest word in the index, and checks the others on the members that it leads to. */
const lookUpMembers = select(
  'look-up-members',
  positionColumns,
  (sql) => `FROM (${selectHits(sql, memberWords, '$2')}) hit
    ${sql.joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = hit.user_id')}
    WHERE ${hasWords(sql, memberWords, '$3')}
    ORDER BY m.joined_at, m.user_id`,
);

/** CASE checks the rarest word first; SQLite may reorder the terms of an AND. */
const walkMembers = select(
  'walk-members',
  positionColumns,
  (sql) => `FROM (${joinedAfter} LIMIT $4) m
    WHERE CASE WHEN ${hasWord(sql, memberWords, '$5')} THEN ${hasWords(sql, memberWords, '$6')} END
    ORDER BY m.joined_at, m.user_id LIMIT $7`,
);

/** A chunk of members, indexed or not. */
const readChunk = select<JoinPosition & SearchableFields>(
  'member-chunk',
  { ...positionColumns, ...fields('u', 'email', 'firstName', 'lastName') },
  ({ joinOne }) => `FROM (${joinedAfter} LIMIT $4) m ${joinOne('users u', 'u.id = m.user_id')}
    ORDER BY m.joined_at, m.user_id`,
);

/** Members by id, in the order of the ids, without those who have left in the meantime. */
const getMembers = select(
  'get-members',
  memberColumns,
  ({ values, joinOne }) => `FROM ${values('$2', 'text')} page
    ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = page.value')}
    ${joinOne('users u', 'u.id = page.value')}
    ORDER BY page.ordinal`,
);
