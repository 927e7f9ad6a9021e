import type {
  AccountState,
  MemberAccount,
  Session,
  SignInLink,
  User,
  WorkspaceAccess,
} from '../core/accounts/account.ts';
import type { AccountStore } from '../core/accounts/account-storage.ts';
import { parseContentLog } from '../core/content-log/content-log-settings.ts';
import { normalizeEmail } from '../core/organization/organization.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { Database, Query } from './database.ts';
import { memberColumns } from './member-columns.ts';
import { findPeople, storeMembers } from './members.ts';
import { type Columns, fields, flag, json, returning, select } from './select.ts';
import { forgetFailures, signInAttempts } from './sign-in-attempts.ts';
import { statement } from './statement.ts';
import { addWorkspaceMembers, contentLog, findWorkspace } from './workspaces.ts';
import { insertInto, typed } from './write-rows.ts';

/** Expects the user as `u`, the membership as `m` and the password as `p`. */
const accountColumns: Columns<AccountState> = {
  member: memberColumns,
  organizationId: 'm.organization_id',
  passwordHash: 'p.hash',
  isShared: flag(`EXISTS (
    SELECT 1 FROM memberships x WHERE x.user_id = m.user_id AND x.organization_id <> m.organization_id
  )`),
};

/** Expects no alias, so that RETURNING can have them on SQLite. */
export const sessionColumns: Columns<Session> = {
  ...fields('sessions', 'id', 'userId', 'organizationId', 'method', 'address', 'userAgent'),
  ...fields('sessions', 'createdAt', 'lastUsedAt', 'expiresAt'),
};

const withPassword = 'LEFT JOIN passwords p ON p.user_id = u.id';

const hasPassword = flag('p.user_id IS NOT NULL');

/** Someone with several memberships signs in to the active one that they joined first. */
const accountByEmail = select(
  'account-by-email',
  accountColumns,
  `FROM users u CROSS JOIN memberships m ${withPassword}
   WHERE u.email_key = $1 AND m.user_id = u.id
   ORDER BY m.deactivated_at IS NOT NULL, m.joined_at, m.organization_id LIMIT 1`,
);

const accountByLink = select(
  'account-by-link',
  accountColumns,
  ({ joinOne }) => `FROM sign_in_links l
    ${joinOne('memberships m', 'm.organization_id = l.organization_id AND m.user_id = l.user_id')}
    ${joinOne('users u', 'u.id = l.user_id')} ${withPassword}
    WHERE l.token_hash = $1 AND l.expires_at > $2`,
);

const accountOf = select(
  'get-account',
  accountColumns,
  `FROM memberships m CROSS JOIN users u ${withPassword}
   WHERE m.organization_id = $1 AND m.user_id = $2 AND u.id = m.user_id`,
);

const findUser = select<User>(
  'find-user-account',
  { ...fields('u', 'id', 'email', 'firstName', 'lastName'), hasPassword },
  `FROM users u ${withPassword} WHERE u.id = $1`,
);

/** A person with their workspaces besides the default one. */
interface FoundPerson extends Omit<MemberAccount, 'workspaces'> {
  readonly others: readonly Omit<WorkspaceAccess, 'isDefault'>[];
}

type StoredAccess = Omit<WorkspaceAccess, 'isDefault' | 'contentLog'> & {
  readonly contentLog: string | null;
};

const listPeople = select<FoundPerson>(
  'people',
  {
    ...memberColumns,
    hasPassword,
    lastActiveAt: 'm.last_active_at',
    isProvisioned: flag('s.user_id IS NOT NULL'),
    providers: json(
      ({ arrayOf }) => `(
        SELECT ${arrayOf('i.provider', 'i.provider')} FROM identities i WHERE i.user_id = page.value
      )`,
      (providers: readonly string[]) => [...new Set(providers)].sort(),
    ),
    others: json(
      ({ object, arrayOf, joinOne }) => `(
        SELECT ${arrayOf(object({ ...fields('w', 'id', 'slug', 'name', 'contentLog'), role: 'wm.role' }), 'w.id')}
        FROM workspace_members wm ${joinOne('workspaces w', 'w.id = wm.workspace_id')}
        WHERE wm.user_id = page.value AND w.organization_id = $1 AND w.deleted_at IS NULL
      )`,
      (others: readonly StoredAccess[]) =>
        others.map((each) => ({ ...each, contentLog: parseContentLog(each.contentLog) })),
    ),
  },
  ({ values, joinOne, leftJoinOne }) => `FROM ${values('$2', 'text')} page
    ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = page.value')}
    ${joinOne('users u', 'u.id = page.value')}
    ${withPassword}
    ${leftJoinOne('scim_users s', 's.organization_id = $1 AND s.user_id = page.value')}
    ORDER BY page.ordinal`,
);

type DefaultWorkspace = Pick<WorkspaceAccess, 'id' | 'slug' | 'name' | 'contentLog'>;

const defaultWorkspace = select<DefaultWorkspace>(
  'default-workspace',
  { ...fields('w', 'id', 'slug', 'name'), contentLog: contentLog('w.content_log') },
  `FROM organizations o CROSS JOIN workspaces w WHERE o.id = $1 AND w.id = o.default_workspace_id`,
);

export function accountStore(database: Database): AccountStore {
  const { query } = database;
  return {
    ...signInAttempts(database),
    find: ({ organizationId, userId }) => getAccount(query, organizationId, userId),
    findByEmail: async (email) => (await query(accountByEmail, [normalizeEmail(email)]))[0],
    findByLink: async (tokenHash, at) => (await query(accountByLink, [tokenHash, at]))[0],
    findUser: async (id) => (await query(findUser, [id]))[0],
    async people(organizationId, userIds) {
      const [home] = await query(defaultWorkspace, [organizationId]);
      if (home === undefined) return [];
      const people = await query(listPeople, [organizationId, userIds]);
      return people.map((person) => withWorkspaces(person, home));
    },
    setPassword: ({ organizationId, userId }, actor, { hash, at, keptSessionId }, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const account = await getAccount(query, organizationId, userId);
        if (account === undefined) return false;
        const ended = await query(endOthers, [userId, keptSessionId]);
        const events = decide(account, lastUsedFirst(ended));
        await query(storePassword, [userId, hash, at]);
        await query(deleteLinks, [userId]);
        await query(forgetFailures, [normalizeEmail(account.member.email)]);
        await writeEvents(query, organizationId, actor, at, events);
        return true;
      }),
    createLink: (link, actor, decide) =>
      changeOrganization(database, link.organizationId, actor, async (query) => {
        const account = await getAccount(query, link.organizationId, link.userId);
        if (account === undefined) return undefined;
        const events = decide(account);
        await storeLink(query, link);
        await writeEvents(query, link.organizationId, actor, link.createdAt, events);
        return account;
      }),
    invite: (organizationId, actor, { person, workspaces: invited, link }, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const [user] = await findPeople(query, organizationId, [person.email]);
        const workspaces = [];
        for (const { idOrSlug } of invited)
          workspaces.push(await findWorkspace(query, organizationId, idOrSlug));
        const isKnown = user !== undefined && (await hasBeenActive(query, organizationId, user.id));
        const change = decide({ user, hasBeenActive: isKnown, workspaces });
        const { member, isNew, workspaceRoles, events } = change;
        const at = link.createdAt;
        if (isNew) await storeMembers(query, organizationId, [{ at, current: user, next: member }]);
        for (const { workspaceId, role } of workspaceRoles)
          await addWorkspaceMembers(query, [{ workspaceId, userId: member.id, role, createdAt: at }]);
        await storeLink(query, { ...link, organizationId, userId: member.id });
        await writeEvents(query, organizationId, actor, at, events);
        return member;
      }),
    recordEvents: (organizationId, author, at, events) =>
      database.transaction((query) => writeEvents(query, organizationId, author, at, events)),
  };
}

/** Adds the default workspace. An org:admin is an admin of every workspace. */
function withWorkspaces({ others, ...person }: FoundPerson, home: DefaultWorkspace): MemberAccount {
  const workspaces = [
    { ...home, isDefault: true, role: person.workspaceRole },
    ...others
      .map((workspace) => ({ ...workspace, isDefault: false }))
      .sort((one, other) => (one.slug < other.slug ? -1 : 1)),
  ];
  if (person.role !== 'org:admin') return { ...person, workspaces };
  return { ...person, workspaces: workspaces.map((workspace) => ({ ...workspace, role: 'admin' })) };
}

/** Undefined when absent. */
export async function getAccount(
  query: Query,
  organizationId: string,
  userId: string,
): Promise<AccountState | undefined> {
  return (await query(accountOf, [organizationId, userId]))[0];
}

/** Whether someone has signed in or used a key before. False if they are not a member. */
export async function hasBeenActive(query: Query, organizationId: string, userId: string): Promise<boolean> {
  return (await query(activity, [organizationId, userId])).length > 0;
}

export function lastUsedFirst(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted((one, other) => (one.lastUsedAt < other.lastUsedAt ? 1 : -1));
}

async function storeLink(query: Query, link: SignInLink): Promise<void> {
  await query(deleteLinks, [link.userId]);
  await insertLinks(query, [link]);
}

const storePassword = statement(
  'store-password',
  `INSERT INTO passwords (user_id, hash, changed_at) VALUES ($1, $2, $3)
   ON CONFLICT (user_id) DO UPDATE SET hash = $2, changed_at = $3`,
);

const endOthers = returning(
  'end-other-sessions',
  sessionColumns,
  'DELETE FROM sessions WHERE user_id = $1 AND id <> $2',
);

/** Deletes the links of a person. */
export const deleteLinks = statement('delete-links', 'DELETE FROM sign_in_links WHERE user_id = $1');

const insertLinks = insertInto<SignInLink>('insert-link', 'sign_in_links', {
  ...typed('text', 'tokenHash', 'userId'),
  ...typed('timestamptz', 'createdAt', 'expiresAt'),
  organizationId: 'uuid',
});

const activity = statement(
  'has-been-active',
  `SELECT 1 FROM memberships m WHERE m.organization_id = $1 AND m.user_id = $2 AND (
     m.last_active_at IS NOT NULL OR EXISTS (SELECT 1 FROM passwords WHERE user_id = m.user_id)
     OR EXISTS (SELECT 1 FROM identities WHERE user_id = m.user_id)
   )`,
);
