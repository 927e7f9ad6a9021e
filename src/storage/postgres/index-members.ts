import type { QueryResultRow } from 'pg';
import { indexedWordsOf, type SearchableFields } from '../search-members.ts';
import { type PostgresConnection, type Query, queryOf } from './connection.ts';
import { statement } from './statement.ts';

/** Larger than on SQLite, because a batch does not block the event loop. */
const batchMembersMax = 500;

/** Identifies a membership, by column names. */
interface MemberReference {
  readonly organization_id: string;
  readonly user_id: string;
}

/** The fields are null for someone who has left the organization. */
type LockedMember = MemberReference & {
  readonly [Text in keyof SearchableFields]: SearchableFields[Text] | null;
};

/**
 * Indexes a batch of listed members in its own transaction. Returns how many; undefined when
 * nothing is left, when another server is indexing, or when the members left are being renamed.
 */
export function indexBatch(connection: PostgresConnection): Promise<number | undefined> {
  return connection.transaction(async (client) => {
    const query = queryOf(client);
    const [lock] = await query<{ is_ours: boolean }>(tryIndexLock, []);
    if (!lock?.is_ours) return undefined;
    const members = await query<MemberReference & QueryResultRow>(listedMembersStatement, [batchMembersMax]);
    if (members.length > 0) return (await indexMembers(query, members)) || undefined;
    return (await listNextMembers(query)) ? 0 : undefined;
  });
}

/**
 * Lists the next members of an organization that is older than the index. False when none is left.
 */
async function listNextMembers(query: Query): Promise<boolean> {
  const [organization] = await query<{ organization_id: string; after_user_id: string }>(
    nextOrganization,
    [],
  );
  if (organization === undefined) return false;
  const { organization_id: organizationId, after_user_id: afterUserId } = organization;
  const values = [organizationId, afterUserId, batchMembersMax];
  const userIds = (await query<{ user_id: string }>(membersAfterStatement, values)).map(
    ({ user_id }) => user_id,
  );
  await query(listMembers, [organizationId, userIds]);
  const last = userIds.at(-1);
  if (last === undefined) await query(finishOrganization, [organizationId]);
  else await query(advanceOrganization, [organizationId, last]);
  return true;
}

/**
 * Replaces the indexed words of these members with their current ones, inside an open transaction.
 * Returns how many were indexed: a user who is being renamed is skipped and stays listed.
 */
export async function indexMembers(query: Query, members: readonly MemberReference[]): Promise<number> {
  if (members.length === 0) return 0;
  const locked = await query<LockedMember & QueryResultRow>(lockMembersStatement, columnsOf(members));
  if (locked.length === 0) return 0;
  await query(deleteMemberWordsStatement, columnsOf(locked));
  const words = locked.flatMap(({ organization_id, user_id, email, first_name, last_name }) =>
    email === null || first_name === null || last_name === null
      ? []
      : indexedWordsOf({ email, first_name, last_name }).map((word) => ({ organization_id, user_id, word })),
  );
  await query(insertWords, [...columnsOf(words), words.map(({ word }) => word)]);
  await query(unlistMembersStatement, columnsOf(locked));
  return locked.length;
}

/** One array per column, for `unnest`. */
function columnsOf(members: readonly MemberReference[]): readonly string[][] {
  return [members.map(({ organization_id }) => organization_id), members.map(({ user_id }) => user_id)];
}

/** Lets one server index at a time. Does not wait: the server that holds the lock does the work. */
const tryIndexLock = statement(
  'take-turn-to-index',
  `SELECT pg_try_advisory_xact_lock(hashtext('presetd member words')) AS is_ours`,
);

const listedMembersStatement = statement(
  'list-unindexed-members',
  'SELECT organization_id, user_id FROM unindexed_members ORDER BY organization_id, user_id LIMIT $1',
);

const nextOrganization = statement(
  'next-unindexed-organization',
  'SELECT organization_id, after_user_id FROM unindexed_organizations ORDER BY organization_id LIMIT 1',
);

const membersAfterStatement = statement(
  'members-after',
  'SELECT user_id FROM memberships WHERE organization_id = $1 AND user_id > $2 ORDER BY user_id LIMIT $3',
);

const listMembers = statement(
  'list-members-to-index',
  `INSERT INTO unindexed_members (organization_id, user_id) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`,
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
 * Keeps members from being renamed or removed between reading their fields and storing their words.
 * A rename locks the user first and lists the member afterwards, so waiting for the user here could
 * deadlock; skipping cannot.
 */
const lockMembersStatement = statement(
  'lock-members-to-index',
  `SELECT wanted.organization_id, wanted.user_id, m.email, m.first_name, m.last_name
   FROM unnest($1::uuid[], $2::text[]) AS wanted (organization_id, user_id)
   CROSS JOIN LATERAL (
     SELECT email, first_name, last_name FROM users WHERE id = wanted.user_id LIMIT 1 FOR SHARE SKIP LOCKED
   ) u
   LEFT JOIN LATERAL (
     SELECT u.email, u.first_name, u.last_name FROM memberships
     WHERE organization_id = wanted.organization_id AND user_id = wanted.user_id LIMIT 1 FOR KEY SHARE OF memberships
   ) m ON true`,
);

const deleteMemberWordsStatement = statement(
  'forget-member-words',
  `DELETE FROM member_words w USING unnest($1::uuid[], $2::text[]) AS gone (organization_id, user_id)
   WHERE w.user_id = gone.user_id AND w.organization_id = gone.organization_id`,
);

const insertWords = statement(
  'insert-member-words',
  `INSERT INTO member_words (organization_id, user_id, word)
   SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])`,
);

const unlistMembersStatement = statement(
  'unlist-unindexed-members',
  `DELETE FROM unindexed_members l USING unnest($1::uuid[], $2::text[]) AS done (organization_id, user_id)
   WHERE l.organization_id = done.organization_id AND l.user_id = done.user_id`,
);
