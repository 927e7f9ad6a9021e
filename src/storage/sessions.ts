import type { AccountState, NewSession, SignInProof } from '../core/accounts/account.ts';
import type { SessionStore } from '../core/accounts/account-storage.ts';
import { deleteLinks, getAccount, lastUsedFirst, sessionColumns } from './accounts.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization, findSession } from './change-organization.ts';
import type { Database, Query } from './database.ts';
import { noteActivity, recordLastUses, usesOf } from './last-uses.ts';
import { returning, select } from './select.ts';
import { statement } from './statement.ts';
import { insertInto, typed } from './write-rows.ts';

/** A person can be signed in in this many places. */
const sessionsMax = 100;

const listSessions = select(
  'list-sessions',
  sessionColumns,
  `FROM sessions
    WHERE user_id = $1 AND organization_id = $2 AND expires_at > $3 ORDER BY last_used_at DESC LIMIT ${sessionsMax}`,
);

const endSessions = returning(
  'end-selected-sessions',
  sessionColumns,
  'DELETE FROM sessions WHERE user_id = $1 AND organization_id = $2 AND (id = $3 OR $3 IS NULL)',
);

/** Makes room for one more session of a person. */
const evictSessions = statement('evict-sessions', ({ isAmong }) => {
  const surplus = `SELECT id FROM sessions WHERE user_id = $1 AND organization_id = $2
      ORDER BY last_used_at DESC LIMIT 1000000 OFFSET ${sessionsMax - 1}`;
  return `DELETE FROM sessions WHERE ${isAmong('id', surplus)}`;
});

const deleteExpired = statement('delete-expired-sessions', ({ isAmong }) => {
  const expired = 'SELECT id FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2';
  return `DELETE FROM sessions WHERE ${isAmong('id', expired)} RETURNING id`;
});

export function sessionStore(database: Database): SessionStore {
  const { query } = database;
  return {
    find: (tokenHash) => findSession(query, tokenHash),
    start: ({ session, author, proof, replacedTokenHash }, decide) =>
      changeOrganization(database, session.organizationId, author, async (query) => {
        const { organizationId, userId, createdAt } = session;
        const account = await getAccount(query, organizationId, userId);
        if (account === undefined || !(await proves(query, proof, session, account))) return undefined;
        const events = decide(account);
        await storeSession(query, session, replacedTokenHash);
        await writeEvents(query, organizationId, author, createdAt, events);
        return account;
      }),
    list: ({ userId, organizationId }, at) => query(listSessions, [userId, organizationId, at]),
    async idToken(id) {
      const [row] = await query(findIdToken, [id]);
      return row?.idToken ?? null;
    },
    end: ({ organizationId, userId }, actor, at, { id = null }, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const account = await getAccount(query, organizationId, userId);
        if (account === undefined) return [];
        const ended = lastUsedFirst(await query(endSessions, [userId, organizationId, id]));
        await writeEvents(query, organizationId, actor, at, decide(ended, account.member));
        return ended;
      }),
    recordLastUses: (uses, intervalMs) => recordLastUses(database, sessionUses, uses, intervalMs),
    async deleteExpired(at, limit) {
      return (await database.write(deleteExpired, [at, limit])).length;
    },
  };
}

/**
 * Starts a session inside a transaction that holds the organization's lock. It ends the session
 * that it replaces, makes room if the person has too many, and deletes their links: an invitation
 * must not work any more once the person has signed in another way.
 */
export async function storeSession(
  query: Query,
  session: NewSession,
  replacedTokenHash: string | undefined,
): Promise<void> {
  const { userId, organizationId, createdAt } = session;
  if (replacedTokenHash !== undefined) await query(endReplaced, [replacedTokenHash]);
  await query(evictSessions, [userId, organizationId]);
  await query(deleteLinks, [userId]);
  await insertSessions(query, [session]);
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

const insertSessions = insertInto<NewSession>('insert-session', 'sessions', {
  ...typed('uuid', 'id', 'organizationId'),
  ...typed('text', 'userId', 'method', 'address', 'userAgent', 'tokenHash', 'idToken'),
  ...typed('timestamptz', 'createdAt', 'lastUsedAt', 'expiresAt'),
});

const findIdToken = statement<Pick<NewSession, 'idToken'>>(
  'find-id-token',
  'SELECT id_token AS "idToken" FROM sessions WHERE id = $1',
);

const sessionUses = usesOf('sessions', 'user_id');
