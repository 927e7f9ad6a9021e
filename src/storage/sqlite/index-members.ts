import type { DatabaseSync } from 'node:sqlite';
import { indexedWordsOf, type MemberTexts } from '../search-members.ts';

/** Small enough that a batch holds up requests for a few milliseconds only. */
const batchLength = 100;

export interface MemberIndexing {
  /** Writes the words of a member as they are now. */
  index(organizationId: string, userId: string): void;
  /** Does so for some of the members that need it. Returns how many, 0 when none is left. */
  indexBatch(): number;
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
      for (const { organization_id, user_id } of members) index(String(organization_id), String(user_id));
      return members.length;
    },
  };
}
