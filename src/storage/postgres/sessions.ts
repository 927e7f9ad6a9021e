import type { SessionStore } from '../../core/storage.ts';
import { type SessionRow, toResolvedSession } from '../organization-rows.ts';
import { findSessionStatement } from './change-organization.ts';
import type { PostgresConnection } from './connection.ts';
import { statement } from './statement.ts';

const noteUsesStatement = statement(
  'note-session-uses',
  `UPDATE sessions s SET last_used_at = u.used_at
   FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, used_at)
   WHERE s.id = u.id AND s.last_used_at <= u.used_at - $3 * interval '1 millisecond'`,
);

export function postgresSessions(connection: PostgresConnection): SessionStore {
  return {
    async find(tokenHash) {
      return (await connection.query<SessionRow>(findSessionStatement, [tokenHash])).map(
        toResolvedSession,
      )[0];
    },
    async recordLastUses(uses, intervalMs) {
      await connection.query(noteUsesStatement, [[...uses.keys()], [...uses.values()], intervalMs]);
    },
  };
}
