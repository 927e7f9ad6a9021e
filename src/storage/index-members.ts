import type { Database, Query } from './database.ts';
import { indexedWordsOf, type SearchableFields } from './search-members.ts';
import { fields, select } from './select.ts';
import { statement } from './statement.ts';
import { deleteFrom, insertInto } from './write-rows.ts';

/** SQLite is synchronous: a batch of 100 blocks other requests for a few milliseconds. */
const batchMembersMax = { sqlite: 100, postgres: 500 };

interface ListedMember {
  readonly organizationId: string;
  readonly userId: string;
}

/**
 * Indexes a batch of listed members in its own transaction. Returns how many; undefined when
 * nothing is left, when another server is indexing, or when the members left are being renamed.
 *
 * Members to index are listed in `unindexed_members`; organizations older than the index are listed
 * in `unindexed_organizations` with the last user id processed.
 */
export function indexBatch(database: Database): Promise<number | undefined> {
  const batchMax = batchMembersMax[database.engine];
  return database.transaction(async (query) => {
    const [turn] = await query(takeTurn);
    if (!turn?.isOurs) return undefined;
    const listed = await query(listedMembers, [batchMax]);
    if (listed.length === 0) return (await listNextMembers(query, batchMax)) ? 0 : undefined;
    let count = 0;
    for (const [organizationId, members] of Map.groupBy(listed, (member) => member.organizationId)) {
      const userIds = members.map(({ userId }) => userId);
      count += await indexMembers(query, organizationId, userIds);
    }
    return count || undefined;
  });
}

/**
 * Lists the next members of an organization that is older than the index. False when none is left.
 */
async function listNextMembers(query: Query, batchMax: number): Promise<boolean> {
  const [organization] = await query(nextOrganization);
  if (organization === undefined) return false;
  const { organizationId, afterUserId } = organization;
  const members = await query(membersAfter, [organizationId, afterUserId, batchMax]);
  await listMembers(query, members);
  const last = members.at(-1);
  if (last === undefined) await query(finishOrganization, [organizationId]);
  else await query(advanceOrganization, [organizationId, last.userId]);
  return true;
}

/**
 * Replaces the indexed words of these members with their current ones, inside an open transaction.
 * Returns how many were indexed: a user who is being renamed is skipped and stays listed.
 */
export async function indexMembers(
  query: Query,
  organizationId: string,
  userIds: readonly string[],
): Promise<number> {
  if (userIds.length === 0) return 0;
  const users = await query(lockUsers, [userIds]);
  if (users.length === 0) return 0;
  const locked = users.map(({ id }) => ({ organizationId, userId: id }));
  const members = await query(lockMemberships, [locked]);
  const memberIds = new Set(members.map(({ userId }) => userId));
  await deleteWords(query, locked);
  // Someone who has left the organization has no words in it.
  const words = users
    .filter(({ id }) => memberIds.has(id))
    .flatMap((user) => indexedWordsOf(user).map((word) => ({ organizationId, userId: user.id, word })));
  await insertWords(query, words);
  await unlistMembers(query, locked);
  return users.length;
}

/** Lets one server index at a time. Does not wait: the server that holds the lock does the work. */
const takeTurn = statement<{ readonly isOurs: boolean | 1 }>('take-turn-to-index', {
  // Its write lock does the same.
  sqlite: 'SELECT 1 AS "isOurs"',
  postgres: `SELECT pg_try_advisory_xact_lock(hashtext('presetd member words')) AS "isOurs"`,
});

const listedMembers = select<ListedMember>(
  'list-unindexed-members',
  fields('unindexed_members', 'organizationId', 'userId'),
  `FROM unindexed_members ORDER BY organization_id, user_id LIMIT $1`,
);

const nextOrganization = select<{ readonly organizationId: string; readonly afterUserId: string }>(
  'next-unindexed-organization',
  fields('unindexed_organizations', 'organizationId', 'afterUserId'),
  `FROM unindexed_organizations ORDER BY organization_id LIMIT 1`,
);

const membersAfter = select<ListedMember>(
  'members-after',
  fields('memberships', 'organizationId', 'userId'),
  `FROM memberships
    WHERE organization_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3`,
);

/**
 * The fields of a list of members. Each names the organization: for one organization and several
 * users, PostgreSQL might read all members and words of the organization.
 */
const memberTypes = { organizationId: 'uuid', userId: 'text' } as const;

const listMembers = insertInto(
  'list-members-to-index',
  'unindexed_members',
  memberTypes,
  'ON CONFLICT DO NOTHING',
);

const advanceOrganization = statement(
  'advance-unindexed-organization',
  'UPDATE unindexed_organizations SET after_user_id = $2 WHERE organization_id = $1',
);

const finishOrganization = statement(
  'finish-unindexed-organization',
  'DELETE FROM unindexed_organizations WHERE organization_id = $1',
);

/**
 * Keeps users from being renamed between reading their fields and storing their words. A rename
 * locks the user first and lists the member afterwards, so waiting for the user here could
 * deadlock; skipping cannot.
 */
const lockUsers = select<SearchableFields & { readonly id: string }>(
  'lock-users-to-index',
  fields('users', 'id', 'email', 'firstName', 'lastName'),
  ({ isIn, lock }) => `FROM users
    WHERE ${isIn('id', '$1', 'text')} ${lock('FOR SHARE SKIP LOCKED')}`,
);

/** Keeps members from being removed before their words are stored. */
const lockMemberships = select<Pick<ListedMember, 'userId'>>(
  'lock-members-to-index',
  fields('m', 'userId'),
  ({ rows, lock }) => `FROM ${rows('$1', memberTypes)} l CROSS JOIN memberships m
    WHERE m.organization_id = l.organization_id AND m.user_id = l.user_id ${lock('FOR KEY SHARE OF m')}`,
);

const deleteWords = deleteFrom('forget-member-words', 'member_words', memberTypes);

const insertWords = insertInto('insert-member-words', 'member_words', { ...memberTypes, word: 'text' });

const unlistMembers = deleteFrom('unlist-unindexed-members', 'unindexed_members', memberTypes);
