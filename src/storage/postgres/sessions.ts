import type { AccountState, NewSession, SignInProof } from '../../core/accounts/account.ts';
import type { SessionStore } from '../../core/accounts/account-storage.ts';
import {
  type ListedSessionRow,
  sessionColumns,
  sessionsMax,
  toSession,
  toSessions,
} from '../account-rows.ts';
import { type SessionRow, toResolvedSession } from '../organization-rows.ts';
import { deleteLinks, getAccount } from './accounts.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization, findSessionStatement } from './change-organization.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { statement } from './statement.ts';

const listSessions = statement(
  'list-sessions',
  `SELECT ${sessionColumns} FROM sessions
   WHERE user_id = $1 AND organization_id = $2 AND expires_at > $3 ORDER BY last_used_at DESC LIMIT ${sessionsMax}`,
);

const endSessions = statement(
  'end-selected-sessions',
  `DELETE FROM sessions WHERE user_id = $1 AND organization_id = $2
     AND ($3::uuid IS NULL OR id = $3)
   RETURNING ${sessionColumns}`,
);

/** Makes room for one more session of a person. */
const evictSessions = statement(
  'evict-sessions',
  `DELETE FROM sessions WHERE id = ANY (ARRAY(
     SELECT id FROM sessions WHERE user_id = $1 AND organization_id = $2
     ORDER BY last_used_at DESC OFFSET ${sessionsMax - 1}
   ))`,
);

const deleteExpired = statement(
  'delete-expired-sessions',
  `DELETE FROM sessions WHERE id = ANY (ARRAY(
     SELECT id FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
   )) RETURNING id`,
);

export function postgresSessions(connection: PostgresConnection): SessionStore {
  return {
    async find(tokenHash) {
      return (await connection.query<SessionRow>(findSessionStatement, [tokenHash])).map(
        toResolvedSession,
      )[0];
    },
    start: ({ session, author, proof, replacedTokenHash }, decide) =>
      changeOrganization(connection, session.organizationId, author, async (query) => {
        const { organizationId, userId, createdAt } = session;
        const account = await getAccount(query, organizationId, userId);
        if (account === undefined || !(await proves(query, proof, session, account))) return undefined;
        const events = decide(account);
        await storeSession(query, session, replacedTokenHash);
        await writeEvents(query, organizationId, author, createdAt, events);
        return account;
      }),
    async list({ userId, organizationId }, at) {
      const rows = await connection.query<ListedSessionRow>(listSessions, [userId, organizationId, at]);
      return rows.map(toSession);
    },
    async idToken(id) {
      const [row] = await connection.query<{ id_token: string | null }>(findIdToken, [id]);
      return row?.id_token ?? null;
    },
    end: ({ organizationId, userId }, actor, at, { id = null }, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const account = await getAccount(query, organizationId, userId);
        if (account === undefined) return [];
        const rows = await query<ListedSessionRow>(endSessions, [userId, organizationId, id]);
        const ended = toSessions(rows);
        await writeEvents(query, organizationId, actor, at, decide(ended, account.member));
        return ended;
      }),
    async recordLastUses(uses, intervalMs) {
      await connection.query(noteUses, [[...uses.keys()], [...uses.values()], intervalMs]);
    },
    async deleteExpired(at, limit) {
      return (await connection.query(deleteExpired, [at, limit])).length;
    },
  };
}

/**
 * Starts a session inside a transaction that holds the organization's lock. It ends the session that
 * it replaces, makes room if the person has too many, and deletes their links: an invitation must
 * not work any more once the person has signed in another way.
 */
export async function storeSession(
  query: Query,
  session: NewSession,
  replacedTokenHash: string | undefined,
): Promise<void> {
  const { id, userId, organizationId, method, address, userAgent, createdAt, lastUsedAt } = session;
  if (replacedTokenHash !== undefined) await query(endReplaced, [replacedTokenHash]);
  await query(evictSessions, [userId, organizationId]);
  await query(deleteLinks, [userId]);
  const columns = [id, userId, organizationId, method, address, userAgent, createdAt, lastUsedAt];
  await query(insertSession, [...columns, session.expiresAt, session.tokenHash, session.idToken]);
  await query(noteActivity, [organizationId, userId, createdAt]);
}

/** Whether the proof holds now. A link is deleted, because it works only once. */
async function proves(
  query: Query,
  proof: SignInProof,
  { userId, organizationId, createdAt }: NewSession,
  account: AccountState,
): Promise<boolean> {
  switch (proof.kind) {
    case 'password':
      return account.passwordHash === proof.passwordHash;
    case 'link':
      return (await query(useLink, [proof.tokenHash, userId, organizationId, createdAt])).length === 1;
  }
}

const useLink = statement(
  'use-link',
  `DELETE FROM sign_in_links WHERE token_hash = $1 AND user_id = $2 AND organization_id = $3 AND expires_at > $4
   RETURNING user_id`,
);

const endReplaced = statement('end-replaced-session', 'DELETE FROM sessions WHERE token_hash = $1');

const insertSession = statement(
  'insert-session',
  `INSERT INTO sessions (${sessionColumns}, token_hash, id_token)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);

const findIdToken = statement('find-id-token', 'SELECT id_token FROM sessions WHERE id = $1');

export const noteActivity = statement(
  'note-activity',
  `UPDATE memberships SET last_active_at = $3
   WHERE organization_id = $1 AND user_id = $2 AND (last_active_at IS NULL OR last_active_at < $3)`,
);

/**
 * Updates `table`, whose rows of `used` (with owner, organization and time) were just noted, and the
 * memberships of their people. Skips rows that are being changed at the moment: waiting for them is
 * not worth it, and their next use is noted.
 */
export function noteUsesSql(table: 'sessions' | 'api_keys', owner: 'user_id' | 'owner_id'): string {
  return `WITH used AS (
     UPDATE ${table} t SET last_used_at = u.used_at
     FROM (
       SELECT locked.id, u.used_at FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, used_at)
       CROSS JOIN LATERAL (
         SELECT id FROM ${table}
         WHERE id = u.id AND (last_used_at IS NULL OR last_used_at <= u.used_at - $3 * interval '1 millisecond')
         LIMIT 1 FOR UPDATE SKIP LOCKED
       ) locked
     ) u
     WHERE t.id = u.id RETURNING t.organization_id, t.${owner} AS user_id, t.last_used_at
   )
   UPDATE memberships m SET last_active_at = active.at
   FROM (
     SELECT locked.organization_id, locked.user_id, people.at
     FROM (
       SELECT organization_id, user_id, max(last_used_at) AS at FROM used GROUP BY organization_id, user_id
     ) people
     CROSS JOIN LATERAL (
       SELECT organization_id, user_id FROM memberships
       WHERE organization_id = people.organization_id AND user_id = people.user_id
         AND (last_active_at IS NULL OR last_active_at < people.at)
       LIMIT 1 FOR UPDATE SKIP LOCKED
     ) locked
   ) active
   WHERE m.organization_id = active.organization_id AND m.user_id = active.user_id`;
}

const noteUses = statement('note-session-uses', noteUsesSql('sessions', 'user_id'));
