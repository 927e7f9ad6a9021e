import type { DatabaseSync } from 'node:sqlite';
import type { AccountState, NewSession, SignInProof } from '../../core/accounts/account.ts';
import type { SessionStore } from '../../core/accounts/account-storage.ts';
import {
  type ListedSessionRow,
  sessionColumns,
  sessionsMax,
  toSession,
  toSessions,
} from '../account-rows.ts';
import { prepareGetAccount } from './accounts.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization, prepareFindSession } from './change-organization.ts';
import { read } from './errors.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const listSessionsSql = statement(
  'list-sessions',
  `SELECT ${sessionColumns} FROM sessions
  WHERE user_id = ? AND organization_id = ? AND expires_at > ? ORDER BY last_used_at DESC LIMIT ${sessionsMax}`,
);

const endSessionsSql = statement(
  'end-selected-sessions',
  `DELETE FROM sessions WHERE user_id = ?1 AND organization_id = ?2
    AND (?3 IS NULL OR id = ?3)
  RETURNING ${sessionColumns}`,
);

/** Makes room for one more session of a person. */
const evictSessionsSql = statement(
  'evict-sessions',
  `DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions WHERE user_id = ? AND organization_id = ?
    ORDER BY last_used_at DESC LIMIT -1 OFFSET ${sessionsMax - 1}
  )`,
);

const deleteExpiredSql = statement(
  'delete-expired-sessions',
  `DELETE FROM sessions WHERE id IN (
    SELECT id FROM sessions WHERE expires_at <= ? ORDER BY expires_at LIMIT ?
  )`,
);

export function sqliteSessions(database: DatabaseSync, queue: WriteQueue): SessionStore {
  const find = prepareFindSession(database);
  const list = database.prepare(listSessionsSql);
  const idToken = database.prepare('SELECT id_token FROM sessions WHERE id = ?');
  const end = database.prepare(endSessionsSql);
  const noteUse = database.prepare(
    'UPDATE sessions SET last_used_at = ?2 WHERE id = ?1 AND last_used_at <= ?3 RETURNING user_id, organization_id',
  );
  const deleteExpired = database.prepare(deleteExpiredSql);
  const proves = prepareProof(database);
  const getAccount = prepareGetAccount(database);
  const store = prepareSessionStore(database);
  const noteActivity = prepareNoteActivity(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);

  return {
    async find(tokenHash) {
      return read(() => find(tokenHash));
    },
    start: ({ session, author, proof, replacedTokenHash }, decide) =>
      queue.write(() => {
        const { organizationId, userId, createdAt } = session;
        const account = getAccount(organizationId, userId);
        if (account === undefined || !proves(proof, session, account)) return undefined;
        const events = decide(account);
        store(session, replacedTokenHash);
        writeEvents(organizationId, author, createdAt, events);
        return account;
      }),
    async list({ userId, organizationId }, at) {
      const rows = read(() => list.all(userId, organizationId, at)) as unknown as ListedSessionRow[];
      return rows.map(toSession);
    },
    async idToken(id) {
      return (read(() => idToken.get(id))?.id_token as string | null | undefined) ?? null;
    },
    end: ({ organizationId, userId }, actor, at, { id = null }, decide) =>
      changeOrganization(actor, () => {
        const account = getAccount(organizationId, userId);
        if (account === undefined) return [];
        const rows = end.all(userId, organizationId, id) as unknown as ListedSessionRow[];
        const ended = toSessions(rows);
        writeEvents(organizationId, actor, at, decide(ended, account.member));
        return ended;
      }),
    recordLastUses: (uses, intervalMs) =>
      queue.write(() => {
        for (const [id, at] of uses) {
          const used = noteUse.get(id, at, new Date(Date.parse(at) - intervalMs).toISOString());
          if (used !== undefined) noteActivity(String(used.organization_id), String(used.user_id), at);
        }
      }),
    deleteExpired: (at, limit) => queue.write(() => Number(deleteExpired.run(at, limit).changes)),
  };
}

/**
 * Prepares the statements that start a session inside an open transaction. It ends the session that
 * it replaces, makes room if the person has too many, and deletes their links: an invitation must
 * not work any more once the person has signed in another way.
 */
export function prepareSessionStore(
  database: DatabaseSync,
): (session: NewSession, replacedTokenHash: string | undefined) => void {
  const endReplaced = database.prepare('DELETE FROM sessions WHERE token_hash = ?');
  const evict = database.prepare(evictSessionsSql);
  const deleteLinks = database.prepare('DELETE FROM sign_in_links WHERE user_id = ?');
  const insert = database.prepare(
    `INSERT INTO sessions (${sessionColumns}, token_hash, id_token) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const noteActivity = prepareNoteActivity(database);
  return (session, replacedTokenHash) => {
    const { id, userId, organizationId, method, address, userAgent, createdAt, lastUsedAt } = session;
    if (replacedTokenHash !== undefined) endReplaced.run(replacedTokenHash);
    evict.run(userId, organizationId);
    deleteLinks.run(userId);
    const columns = [id, userId, organizationId, method, address, userAgent, createdAt, lastUsedAt];
    insert.run(...columns, session.expiresAt, session.tokenHash, session.idToken);
    noteActivity(organizationId, userId, createdAt);
  };
}

/** Prepares a note in an open transaction that someone is active. */
export function prepareNoteActivity(
  database: DatabaseSync,
): (organizationId: string, userId: string, at: string) => void {
  const note = database.prepare(
    `UPDATE memberships SET last_active_at = ?3
     WHERE organization_id = ?1 AND user_id = ?2 AND (last_active_at IS NULL OR last_active_at < ?3)`,
  );
  return (organizationId, userId, at) => void note.run(organizationId, userId, at);
}

/** Whether the proof holds now. A link is deleted, because it works only once. */
function prepareProof(
  database: DatabaseSync,
): (proof: SignInProof, session: NewSession, account: AccountState) => boolean {
  const useLink = database.prepare(
    'DELETE FROM sign_in_links WHERE token_hash = ? AND user_id = ? AND organization_id = ? AND expires_at > ?',
  );
  return (proof, { userId, organizationId, createdAt }, account) => {
    switch (proof.kind) {
      case 'password':
        return account.passwordHash === proof.passwordHash;
      case 'link':
        return useLink.run(proof.tokenHash, userId, organizationId, createdAt).changes === 1;
    }
  };
}
