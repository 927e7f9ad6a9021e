import type { DatabaseSync } from 'node:sqlite';
import type {
  AccountState,
  AttemptLimits,
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
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization } from './change-organization.ts';
import { read } from './errors.ts';
import { findPersonSql, prepareMemberStore } from './members.ts';
import { statement } from './statement.ts';
import { prepareWorkspaceReads } from './workspaces.ts';
import type { WriteQueue } from './write-queue.ts';

const ofUser = `CROSS JOIN memberships m ON m.user_id = u.id LEFT JOIN passwords p ON p.user_id = u.id`;

/** Someone with several memberships signs in to the active one that they joined first. */
const firstMembership = 'ORDER BY m.deactivated_at IS NOT NULL, m.joined_at, m.organization_id LIMIT 1';

const accountByEmailSql = statement(
  'account-by-email',
  `SELECT ${accountColumns} FROM users u ${ofUser} WHERE u.email_key = ? ${firstMembership}`,
);

const accountByLinkSql = statement(
  'account-by-link',
  `SELECT ${accountColumns} FROM sign_in_links l CROSS JOIN users u ON u.id = l.user_id
  CROSS JOIN memberships m ON m.organization_id = l.organization_id AND m.user_id = l.user_id
  LEFT JOIN passwords p ON p.user_id = u.id
  WHERE l.token_hash = ? AND l.expires_at > ?`,
);

const getAccountSql = statement(
  'get-account',
  `SELECT ${accountColumns} FROM memberships m CROSS JOIN users u ON u.id = m.user_id
  LEFT JOIN passwords p ON p.user_id = u.id
  WHERE m.organization_id = ? AND m.user_id = ?`,
);

const findUserAccountSql = statement(
  'find-user-account',
  `SELECT u.id, u.email, u.first_name, u.last_name, p.user_id IS NOT NULL AS has_password
  FROM users u LEFT JOIN passwords p ON p.user_id = u.id WHERE u.id = ?`,
);

const peopleSql = statement(
  'people',
  `SELECT ${memberColumns}, m.last_active_at, p.user_id IS NOT NULL AS has_password,
    EXISTS (
      SELECT 1 FROM scim_users s WHERE s.organization_id = ?1 AND s.user_id = u.id
    ) AS is_provisioned,
    (SELECT json_group_array(i.provider) FROM identities i WHERE i.user_id = u.id) AS providers,
    (
      SELECT json_group_array(json_object('id', w.id, 'slug', w.slug, 'name', w.name, 'role', wm.role))
      FROM workspace_members wm CROSS JOIN workspaces w ON w.id = wm.workspace_id
      WHERE wm.user_id = u.id AND w.organization_id = ?1 AND w.deleted_at IS NULL
    ) AS workspaces
  FROM json_each(?2) page
  CROSS JOIN memberships m ON m.organization_id = ?1 AND m.user_id = page.value
  CROSS JOIN users u ON u.id = page.value
  LEFT JOIN passwords p ON p.user_id = u.id
  ORDER BY page.key`,
);

const defaultWorkspaceSql = statement(
  'default-workspace',
  `SELECT w.id, w.slug, w.name FROM organizations o
  CROSS JOIN workspaces w ON w.id = o.default_workspace_id WHERE o.id = ?`,
);

/** The latest failures: as many as block, at most. */
const recentFailures = (column: string) =>
  `SELECT failed_at FROM failed_sign_ins WHERE ${column} = ?1 AND failed_at > ?2
  ORDER BY failed_at DESC LIMIT ?3`;

const accountFailuresSql = statement('account-failures', recentFailures('email_key'));
const networkFailuresSql = statement('network-failures', recentFailures('address'));

const pruneFailuresSql = statement(
  'prune-failures',
  `DELETE FROM failed_sign_ins WHERE rowid IN (
    SELECT rowid FROM failed_sign_ins WHERE failed_at <= ? ORDER BY failed_at LIMIT ${prunedMax}
  )`,
);

const withdrawAttemptSql = statement(
  'withdraw-attempt',
  'DELETE FROM failed_sign_ins WHERE email_key = ? AND failed_at = ? AND address = ?',
);

const forgetFailuresSql = statement('forget-failures', 'DELETE FROM failed_sign_ins WHERE email_key = ?');

export function sqliteAccounts(database: DatabaseSync, queue: WriteQueue): AccountStore {
  const byEmail = database.prepare(accountByEmailSql);
  const byLink = database.prepare(accountByLinkSql);
  const findUser = database.prepare(findUserAccountSql);
  const people = database.prepare(peopleSql);
  const defaultWorkspace = database.prepare(defaultWorkspaceSql);
  const storePassword = database.prepare(
    `INSERT INTO passwords (user_id, hash, changed_at) VALUES (?1, ?2, ?3)
     ON CONFLICT (user_id) DO UPDATE SET hash = ?2, changed_at = ?3`,
  );
  const endOthers = database.prepare(
    `DELETE FROM sessions WHERE user_id = ? AND id <> ? RETURNING ${sessionColumns}`,
  );
  const deleteLinks = database.prepare('DELETE FROM sign_in_links WHERE user_id = ?');
  const insertLink = database.prepare(
    `INSERT INTO sign_in_links (token_hash, user_id, organization_id, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?)`,
  );
  const findPerson = database.prepare(findPersonSql);
  const hasBeenActive = prepareHasBeenActive(database);
  const joinWorkspace = database.prepare(
    'INSERT INTO workspace_members (workspace_id, user_id, role, created_at) VALUES (?, ?, ?, ?)',
  );
  const accountFailures = database.prepare(accountFailuresSql);
  const networkFailures = database.prepare(networkFailuresSql);
  const pruneFailures = database.prepare(pruneFailuresSql);
  const insertFailure = database.prepare(
    'INSERT INTO failed_sign_ins (email_key, address, failed_at) VALUES (?, ?, ?)',
  );
  const withdraw = database.prepare(withdrawAttemptSql);
  const forgetFailures = database.prepare(forgetFailuresSql);
  const getAccount = prepareGetAccount(database);
  const storeMember = prepareMemberStore(database);
  const workspaces = prepareWorkspaceReads(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);

  const find = (row: unknown) => (row === undefined ? undefined : toAccount(row as AccountRow));
  const storeLink = (tokenHash: string, person: PersonAddress, createdAt: string, expiresAt: string) => {
    deleteLinks.run(person.userId);
    insertLink.run(tokenHash, person.userId, person.organizationId, createdAt, expiresAt);
  };
  const judge = (attempt: SignInAttempt, limits: AttemptLimits) => {
    const since = windowStart(attempt, limits);
    const account = accountFailures.all(attempt.emailKey, since, limits.accountMax);
    const network = networkFailures.all(attempt.network, since, limits.networkMax);
    return judgeAttempt(account as unknown as FailureRow[], network as unknown as FailureRow[], limits);
  };

  return {
    find: async ({ organizationId, userId }) => read(() => getAccount(organizationId, userId)),
    findByEmail: async (email) => read(() => find(byEmail.get(normalizeEmail(email)))),
    findByLink: async (tokenHash, at) => read(() => find(byLink.get(tokenHash, at))),
    async findUser(id) {
      const row = read(() => findUser.get(id)) as unknown as UserRow | undefined;
      return row && toUser(row);
    },
    async people(organizationId, userIds) {
      return read(() => {
        const home = defaultWorkspace.get(organizationId) as unknown as DefaultWorkspaceRow | undefined;
        if (home === undefined) return [];
        const rows = people.all(organizationId, JSON.stringify(userIds)) as unknown as AccountPersonRow[];
        return rows.map((row) => toAccountPerson(row, home));
      });
    },
    setPassword: ({ organizationId, userId }, actor, { hash, at, keptSessionId }, decide) =>
      changeOrganization(actor, () => {
        const account = getAccount(organizationId, userId);
        if (account === undefined) return false;
        const ended = endOthers.all(userId, keptSessionId) as unknown as ListedSessionRow[];
        const events = decide(account, toSessions(ended));
        storePassword.run(userId, hash, at);
        deleteLinks.run(userId);
        forgetFailures.run(normalizeEmail(account.member.email));
        writeEvents(organizationId, actor, at, events);
        return true;
      }),
    createLink: (link, actor, decide) =>
      changeOrganization(actor, () => {
        const account = getAccount(link.organizationId, link.userId);
        if (account === undefined) return undefined;
        const events = decide(account);
        storeLink(link.tokenHash, link, link.createdAt, link.expiresAt);
        writeEvents(link.organizationId, actor, link.createdAt, events);
        return account;
      }),
    invite: (organizationId, actor, { person, workspaces: invited, link }, decide) =>
      changeOrganization(actor, () => {
        const row = findPerson.get(organizationId, normalizeEmail(person.email));
        const user = row && toPerson(row as unknown as PersonRow);
        const { member, isNew, workspaceRoles, events } = decide({
          user,
          hasBeenActive: user !== undefined && hasBeenActive(organizationId, user.id),
          workspaces: invited.map(({ idOrSlug }) => workspaces.find(organizationId, idOrSlug)),
        });
        const { tokenHash, createdAt, expiresAt } = link;
        if (isNew) storeMember(organizationId, user, member, createdAt);
        for (const { workspaceId, role } of workspaceRoles)
          joinWorkspace.run(workspaceId, member.id, role, createdAt);
        storeLink(tokenHash, { organizationId, userId: member.id }, createdAt, expiresAt);
        writeEvents(organizationId, actor, createdAt, events);
        return member;
      }),
    async beginAttempt(attempt, limits) {
      // Guesses that are refused cost a read only, and do not hold up other writes.
      const before = read(() => judge(attempt, limits));
      if (before.blockedUntil !== undefined) return before;
      return queue.write(() => {
        const verdict = judge(attempt, limits);
        if (verdict.blockedUntil !== undefined) return verdict;
        pruneFailures.run(windowStart(attempt, limits));
        insertFailure.run(attempt.emailKey, attempt.network, attempt.at);
        return verdict;
      });
    },
    withdrawAttempt: ({ emailKey, network, at }) =>
      queue.write(() => void withdraw.run(emailKey, at, network)),
    recordEvents: (organizationId, author, at, events) =>
      queue.write(() => writeEvents(organizationId, author, at, events)),
  };
}

/** Reads an account inside an open transaction. Undefined when absent. */
export function prepareGetAccount(
  database: DatabaseSync,
): (organizationId: string, userId: string) => AccountState | undefined {
  const get = database.prepare(getAccountSql);
  return (organizationId, userId) => {
    const row = get.get(organizationId, userId) as unknown as AccountRow | undefined;
    return row && toAccount(row);
  };
}

/** Prepares to read in an open transaction whether a member has signed in or used a key before. */
export function prepareHasBeenActive(
  database: DatabaseSync,
): (organizationId: string, userId: string) => boolean {
  const find = database.prepare(
    `SELECT m.last_active_at IS NOT NULL OR EXISTS (SELECT 1 FROM passwords WHERE user_id = m.user_id)
       OR EXISTS (SELECT 1 FROM identities WHERE user_id = m.user_id) AS has_been_active
     FROM memberships m WHERE m.organization_id = ? AND m.user_id = ?`,
  );
  return (organizationId, userId) =>
    isActiveRow(find.get(organizationId, userId) as unknown as Parameters<typeof isActiveRow>[0]);
}
