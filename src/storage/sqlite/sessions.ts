import type { DatabaseSync } from 'node:sqlite';
import type { SessionStore } from '../../core/storage.ts';
import { prepareFindSession } from './change-organization.ts';
import { read } from './errors.ts';
import type { WriteQueue } from './write-queue.ts';

export function sqliteSessions(database: DatabaseSync, queue: WriteQueue): SessionStore {
  const find = prepareFindSession(database);
  const noteUse = database.prepare(
    'UPDATE sessions SET last_used_at = ?2 WHERE id = ?1 AND last_used_at <= ?3',
  );
  return {
    async find(tokenHash) {
      return read(() => find(tokenHash));
    },
    recordLastUses: (uses, intervalMs) =>
      queue.write(() => {
        for (const [id, at] of uses) noteUse.run(id, at, new Date(Date.parse(at) - intervalMs).toISOString());
      }),
  };
}
