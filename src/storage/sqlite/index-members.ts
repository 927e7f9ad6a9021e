import type { DatabaseSync } from 'node:sqlite';
import { indexedWordsOf, type MemberTexts } from '../search-members.ts';

/** Small enough that a batch holds up requests for a few milliseconds only. */
const batchLength = 100;

export interface MemberIndexing {
  /** Writes the words of a member as they are now. */
  index(organizationId: string, userId: string): void;
  /** Does so for some of the members that need it. Returns how many, undefined when nothing is left to do. */
  indexBatch(): number | undefined;
}

/** For use inside a transaction that is already open. */
export function prepareMemberIndexing(database: DatabaseSync): MemberIndexing {
  const readTexts = database.prepare(
    `SELECT u.email, u.first_name, u.last_name FROM memberships m JOIN users u ON u.id = m.user_id
     WHERE m.organization_id = ? AND m.user_id = ?`,
  );
  const forget = database.prepare('DELETE FROM member_words WHERE user_id = ? AND organization_id = ?');
  const insert = database.prepare(
    'INSERT INTO member_words (user_id, organization_id, word) VALUES (?, ?, ?)',
  );
  const unlist = database.prepare('DELETE FROM unindexed_members WHERE organization_id = ? AND user_id = ?');
  const listed = database.prepare('SELECT organization_id, user_id FROM unindexed_members LIMIT ?');

  const list = database.prepare(
    'INSERT INTO unindexed_members (organization_id, user_id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const organization = database.prepare(
    'SELECT organization_id, after_user_id FROM unindexed_organizations LIMIT 1',
  );
  const membersAfter = database.prepare(
    'SELECT user_id FROM memberships WHERE organization_id = ? AND user_id > ? ORDER BY user_id LIMIT ?',
  );
  const advance = database.prepare(
    'UPDATE unindexed_organizations SET after_user_id = ? WHERE organization_id = ?',
  );
  const finish = database.prepare('DELETE FROM unindexed_organizations WHERE organization_id = ?');

  /** Lists the next members of an organization from before the index. False when there is none. */
  const listMore = () => {
    const row = organization.get();
    if (row === undefined) return false;
    const organizationId = String(row.organization_id);
    const userIds = membersAfter
      .all(organizationId, String(row.after_user_id), batchLength)
      .map(({ user_id }) => String(user_id));
    for (const userId of userIds) list.run(organizationId, userId);
    const last = userIds.at(-1);
    if (last === undefined) finish.run(organizationId);
    else advance.run(last, organizationId);
    return true;
  };
  const index = (organizationId: string, userId: string) => {
    forget.run(userId, organizationId);
    const texts = readTexts.get(organizationId, userId) as unknown as MemberTexts | undefined;
    // Undefined for somebody who has left.
    for (const word of texts ? indexedWordsOf(texts) : []) insert.run(userId, organizationId, word);
    unlist.run(organizationId, userId);
  };
  return {
    index,
    indexBatch() {
      const members = listed.all(batchLength);
      if (members.length === 0 && !listMore()) return undefined;
      for (const { organization_id, user_id } of members) index(String(organization_id), String(user_id));
      return members.length;
    },
  };
}
