import type {
  AccountState,
  AttemptLimits,
  AttemptVerdict,
  PersonAddress,
  SignInAttempt,
} from '../../core/accounts/account.ts';
import type { AccountStore } from '../../core/accounts/account-storage.ts';
import { normalizeEmail } from '../../core/organization/organization.ts';
import {
  type AccountPersonRow,
  type AccountRow,
  accountColumns,
  type DefaultWorkspaceRow,
  type FailureRow,
  isActiveRow,
  judgeAttempt,
  type ListedSessionRow,
  prunedMax,
  sessionColumns,
  toAccount,
  toAccountPerson,
  toSessions,
  toUser,
  type UserRow,
  windowStart,
} from '../account-rows.ts';
import { memberColumns, type PersonRow, toPerson } from '../organization-rows.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import { type PostgresConnection, type Query, queryOf } from './connection.ts';
import { findPeopleStatement, storeMembers } from './members.ts';
import { type Statement, statement } from './statement.ts';
import { findWorkspace } from './workspaces.ts';

const userOf = (id: string) => `CROSS JOIN LATERAL (SELECT * FROM users WHERE id = ${id} LIMIT 1) u`;

const passwordOf = (id: string) =>
  `LEFT JOIN LATERAL (SELECT user_id, hash FROM passwords WHERE user_id = ${id} LIMIT 1) p ON true`;

const membershipOf = (organizationId: string, userId: string) => `CROSS JOIN LATERAL (
    SELECT * FROM memberships WHERE organization_id = ${organizationId} AND user_id = ${userId} LIMIT 1
  ) m`;

/** Someone with several memberships signs in to the active one that they joined first. */
const firstMembership = `CROSS JOIN LATERAL (
    SELECT * FROM memberships WHERE user_id = u.id
    ORDER BY deactivated_at IS NOT NULL, joined_at, organization_id LIMIT 1
  ) m`;

const accountByEmail = statement(
  'account-by-email',
  `SELECT ${accountColumns} FROM (SELECT * FROM users WHERE email_key = $1 LIMIT 1) u
   ${firstMembership} ${passwordOf('u.id')}`,
);

const accountByLink = statement(
  'account-by-link',
  `SELECT ${accountColumns}
   FROM (SELECT * FROM sign_in_links WHERE token_hash = $1 AND expires_at > $2 LIMIT 1) l
   ${userOf('l.user_id')} ${membershipOf('l.organization_id', 'l.user_id')} ${passwordOf('l.user_id')}`,
);

const getAccountStatement = statement(
  'get-account',
  `SELECT ${accountColumns}
   FROM (SELECT * FROM memberships WHERE organization_id = $1 AND user_id = $2 LIMIT 1) m
   ${userOf('m.user_id')} ${passwordOf('m.user_id')}`,
);

const findUserAccount = statement(
  'find-user-account',
  `SELECT u.id, u.email, u.first_name, u.last_name, p.user_id IS NOT NULL AS has_password
   FROM (SELECT * FROM users WHERE id = $1 LIMIT 1) u ${passwordOf('u.id')}`,
);

const peopleStatement = statement(
  'people',
  `SELECT ${memberColumns}, m.last_active_at, p.user_id IS NOT NULL AS has_password,
     s.user_id IS NOT NULL AS is_provisioned,
     (SELECT json_agg(i.provider) FROM identities i WHERE i.user_id = u.id) AS providers,
     (
       SELECT json_agg(json_build_object('id', w.id, 'slug', w.slug, 'name', w.name, 'role', wm.role))
       FROM workspace_members wm
       CROSS JOIN LATERAL (
         SELECT * FROM workspaces WHERE id = wm.workspace_id AND organization_id = $1 LIMIT 1
       ) w
       WHERE wm.user_id = u.id AND w.deleted_at IS NULL
     ) AS workspaces
   FROM unnest($2::text[]) WITH ORDINALITY AS page (id, place)
   ${membershipOf('$1', 'page.id')} ${userOf('page.id')} ${passwordOf('page.id')}
   LEFT JOIN LATERAL (
     SELECT user_id FROM scim_users WHERE organization_id = $1 AND user_id = page.id LIMIT 1
   ) s ON true
   ORDER BY page.place`,
);

const defaultWorkspaceStatement = statement(
  'default-workspace',
  `SELECT w.id, w.slug, w.name
   FROM (SELECT default_workspace_id FROM organizations WHERE id = $1 LIMIT 1) o
   CROSS JOIN LATERAL (SELECT * FROM workspaces WHERE id = o.default_workspace_id LIMIT 1) w`,
);

export function postgresAccounts(connection: PostgresConnection): AccountStore {
  const find = async (statement: Statement, values: readonly unknown[]) =>
    (await connection.query<AccountRow>(statement, values)).map(toAccount)[0];
  return {
    find: ({ organizationId, userId }) => find(getAccountStatement, [organizationId, userId]),
    findByEmail: (email) => find(accountByEmail, [normalizeEmail(email)]),
    findByLink: (tokenHash, at) => find(accountByLink, [tokenHash, at]),
    async findUser(id) {
      return (await connection.query<UserRow>(findUserAccount, [id])).map(toUser)[0];
    },
    async people(organizationId, userIds) {
      const [home] = await connection.query<DefaultWorkspaceRow>(defaultWorkspaceStatement, [organizationId]);
      if (home === undefined) return [];
      const rows = await connection.query<AccountPersonRow>(peopleStatement, [organizationId, userIds]);
      return rows.map((row) => toAccountPerson(row, home));
    },
    setPassword: ({ organizationId, userId }, actor, { hash, at, keptSessionId }, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const account = await getAccount(query, organizationId, userId);
        if (account === undefined) return false;
        const ended = await query<ListedSessionRow>(endOthers, [userId, keptSessionId]);
        const events = decide(account, toSessions(ended));
        await query(storePassword, [userId, hash, at]);
        await query(deleteLinks, [userId]);
        await query(forgetFailures, [normalizeEmail(account.member.email)]);
        await writeEvents(query, organizationId, actor, at, events);
        return true;
      }),
    createLink: (link, actor, decide) =>
      changeOrganization(connection, link.organizationId, actor, async (query) => {
        const account = await getAccount(query, link.organizationId, link.userId);
        if (account === undefined) return undefined;
        const events = decide(account);
        await storeLink(query, link, link);
        await writeEvents(query, link.organizationId, actor, link.createdAt, events);
        return account;
      }),
    invite: (organizationId, actor, { person, workspaces: invited, link }, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const known = await query<PersonRow>(findPeopleStatement, [
          organizationId,
          [normalizeEmail(person.email)],
        ]);
        const [user] = known.map(toPerson);
        const workspaces = [];
        for (const { idOrSlug } of invited)
          workspaces.push(await findWorkspace(query, organizationId, idOrSlug));
        const isKnown = user !== undefined && (await hasBeenActive(query, organizationId, user.id));
        const change = decide({ user, hasBeenActive: isKnown, workspaces });
        const { member, isNew, workspaceRoles, events } = change;
        const at = link.createdAt;
        if (isNew) await storeMembers(query, organizationId, [{ at, current: user, next: member }]);
        for (const { workspaceId, role } of workspaceRoles)
          await query(joinWorkspace, [workspaceId, member.id, role, at]);
        await storeLink(query, { organizationId, userId: member.id }, link);
        await writeEvents(query, organizationId, actor, at, events);
        return member;
      }),
    async beginAttempt(attempt, limits) {
      // Guesses that are refused cost a read only.
      const before = await judge(connection.query.bind(connection), attempt, limits);
      if (before.blockedUntil !== undefined) return before;
      // Attempts count one after the other, so that parallel ones cannot exceed a limit. They wait
      // for those of this process first: the lock of the database would hold a connection each.
      return connection.runExclusive('sign-in attempts', () =>
        connection.transaction(async (client) => {
          const query = queryOf(client);
          await query(lockAttempts, []);
          const verdict = await judge(query, attempt, limits);
          if (verdict.blockedUntil !== undefined) return verdict;
          await query(pruneFailures, [windowStart(attempt, limits)]);
          await query(insertFailure, [attempt.emailKey, attempt.network, attempt.at]);
          return verdict;
        }),
      );
    },
    async withdrawAttempt({ emailKey, network, at }) {
      await connection.query(withdrawAttempt, [emailKey, at, network]);
    },
    recordEvents: (organizationId, author, at, events) =>
      writeEvents(connection.query.bind(connection), organizationId, author, at, events),
  };
}

/** Reads an account inside an open transaction. Undefined when absent. */
export async function getAccount(
  query: Query,
  organizationId: string,
  userId: string,
): Promise<AccountState | undefined> {
  return (await query<AccountRow>(getAccountStatement, [organizationId, userId])).map(toAccount)[0];
}

/** Reads in an open transaction whether a member has signed in or used a key before. */
export async function hasBeenActive(query: Query, organizationId: string, userId: string): Promise<boolean> {
  const rows = await query<{ has_been_active: boolean }>(hasBeenActiveStatement, [organizationId, userId]);
  return isActiveRow(rows[0]);
}

async function judge(query: Query, attempt: SignInAttempt, limits: AttemptLimits): Promise<AttemptVerdict> {
  const since = windowStart(attempt, limits);
  return judgeAttempt(
    await query<FailureRow>(accountFailures, [attempt.emailKey, since, limits.accountMax]),
    await query<FailureRow>(networkFailures, [attempt.network, since, limits.networkMax]),
    limits,
  );
}

async function storeLink(
  query: Query,
  { organizationId, userId }: PersonAddress,
  link: { readonly tokenHash: string; readonly createdAt: string; readonly expiresAt: string },
): Promise<void> {
  await query(deleteLinks, [userId]);
  await query(insertLink, [link.tokenHash, userId, organizationId, link.createdAt, link.expiresAt]);
}

const storePassword = statement(
  'store-password',
  `INSERT INTO passwords (user_id, hash, changed_at) VALUES ($1, $2, $3)
   ON CONFLICT (user_id) DO UPDATE SET hash = $2, changed_at = $3`,
);

const endOthers = statement(
  'end-other-sessions',
  `DELETE FROM sessions WHERE user_id = $1 AND id <> $2 RETURNING ${sessionColumns}`,
);

export const deleteLinks = statement('delete-links', 'DELETE FROM sign_in_links WHERE user_id = $1');

const insertLink = statement(
  'insert-link',
  `INSERT INTO sign_in_links (token_hash, user_id, organization_id, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5)`,
);

const hasBeenActiveStatement = statement(
  'has-been-active',
  `SELECT m.last_active_at IS NOT NULL OR EXISTS (SELECT 1 FROM passwords WHERE user_id = m.user_id)
     OR EXISTS (SELECT 1 FROM identities WHERE user_id = m.user_id) AS has_been_active
   FROM memberships m WHERE m.organization_id = $1 AND m.user_id = $2`,
);

const joinWorkspace = statement(
  'join-workspace-as',
  'INSERT INTO workspace_members (workspace_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)',
);

const lockAttempts = statement(
  'lock-sign-in-attempts',
  `SELECT pg_advisory_xact_lock(hashtext('presetd sign-in attempts'))`,
);

/** The latest failures: as many as block, at most. */
const recentFailures = (column: string) =>
  `SELECT failed_at FROM failed_sign_ins WHERE ${column} = $1 AND failed_at > $2
   ORDER BY failed_at DESC LIMIT $3`;

const accountFailures = statement('account-failures', recentFailures('email_key'));
const networkFailures = statement('network-failures', recentFailures('address'));

const pruneFailures = statement(
  'prune-failures',
  `DELETE FROM failed_sign_ins WHERE ctid = ANY (ARRAY(
     SELECT ctid FROM failed_sign_ins WHERE failed_at <= $1 ORDER BY failed_at LIMIT ${prunedMax}
   ))`,
);

const insertFailure = statement(
  'insert-failure',
  'INSERT INTO failed_sign_ins (email_key, address, failed_at) VALUES ($1, $2, $3)',
);

const withdrawAttempt = statement(
  'withdraw-attempt',
  'DELETE FROM failed_sign_ins WHERE email_key = $1 AND failed_at = $2 AND address = $3',
);

const forgetFailures = statement('forget-failures', 'DELETE FROM failed_sign_ins WHERE email_key = $1');
