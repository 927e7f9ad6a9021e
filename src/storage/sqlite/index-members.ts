import type { DatabaseSync } from 'node:sqlite';
import { indexedWordsOf, type SearchableFields } from '../search-members.ts';

/** SQLite is synchronous: a batch of this size blocks other requests for a few milliseconds. */
const batchMembersMax = 100;

interface MemberIndexing {
  /** Replaces the indexed words of a member with their current ones. */
  index(organizationId: string, userId: string): void;
  /** Indexes a batch of listed members. Returns how many; undefined when nothing is left. */
  indexBatch(): number | undefined;
}

/**
 * Prepares the statements that maintain `member_words`, for use inside an open transaction. Members
 * to index are listed in `unindexed_members`; organizations older than the index are listed in
 * `unindexed_organizations` with the last user id processed.
 */
export function prepareMemberIndexing(database: DatabaseSync): MemberIndexing {
  const readFields = database.prepare(
    `SELECT u.email, u.first_name, u.last_name FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.organization_id = ? AND m.user_id = ?`,
  );
  const deleteWords = database.prepare('DELETE FROM member_words WHERE user_id = ? AND organization_id = ?');
  const insertWord = database.prepare(
    'INSERT INTO member_words (user_id, organization_id, word) VALUES (?, ?, ?)',
  );
  const unlistMember = database.prepare(
    'DELETE FROM unindexed_members WHERE organization_id = ? AND user_id = ?',
  );
  const listedMembers = database.prepare('SELECT organization_id, user_id FROM unindexed_members LIMIT ?');

  const listMember = database.prepare(
    'INSERT INTO unindexed_members (organization_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const nextOrganization = database.prepare(
    'SELECT organization_id, after_user_id FROM unindexed_organizations LIMIT 1',
  );
  const membersAfter = database.prepare(
    'SELECT user_id FROM memberships WHERE organization_id = ? AND user_id > ? ORDER BY user_id LIMIT ?',
  );
  const advanceOrganization = database.prepare(
    'UPDATE unindexed_organizations SET after_user_id = ? WHERE organization_id = ?',
  );
  const finishOrganization = database.prepare(
    'DELETE FROM unindexed_organizations WHERE organization_id = ?',
  );

  /**
   * Lists the next members of an organization that is older than the index. False when none is
   * left.
   */
  const listNextMembers = () => {
    const row = nextOrganization.get();
    if (row === undefined) return false;
    const organizationId = String(row.organization_id);
    const userIds = membersAfter
      .all(organizationId, String(row.after_user_id), batchMembersMax)
      .map(({ user_id }) => String(user_id));
    for (const userId of userIds) listMember.run(organizationId, userId);
    const last = userIds.at(-1);
    if (last === undefined) finishOrganization.run(organizationId);
    else advanceOrganization.run(last, organizationId);
    return true;
  };
  const index = (organizationId: string, userId: string) => {
    deleteWords.run(userId, organizationId);
    const fields = readFields.get(organizationId, userId) as unknown as SearchableFields | undefined;
    // Undefined for someone who has left the organization.
    for (const word of fields ? indexedWordsOf(fields) : []) insertWord.run(userId, organizationId, word);
    unlistMember.run(organizationId, userId);
  };
  return {
    index,
    indexBatch() {
      const members = listedMembers.all(batchMembersMax);
      if (members.length === 0 && !listNextMembers()) return undefined;
      for (const { organization_id, user_id } of members) index(String(organization_id), String(user_id));
      return members.length;
    },
  };
}
