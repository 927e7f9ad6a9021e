import type { Author } from '../core/event.ts';
import { disableKey } from '../core/organization/key-change.ts';
import {
  decideJoins,
  type ExistingUser,
  emailTaken,
  isActiveAdmin,
  isMember,
  type MemberChange,
  memberAfter,
  sharedEmail,
} from '../core/organization/member-change.ts';
import { type Member, normalizeEmail } from '../core/organization/organization.ts';
import type { MemberStore } from '../core/organization/organization-storage.ts';
import { writeEvents } from './audit.ts';
import type { BackgroundIndexer } from './background-indexer.ts';
import { changeOrganization } from './change-organization.ts';
import { type Database, LostRace, type Query, unlessTaken } from './database.ts';
import { indexMembers } from './index-members.ts';
import { disableKeys, enabledKeys } from './key-records.ts';
import { type Membership, memberColumns, membershipTypes, type Name, nameTypes } from './member-columns.ts';
import { joinedAfter, listStart, memberChunkEnd, searchMembers } from './search-members.ts';
import { select } from './select.ts';
import { statement } from './statement.ts';
import { skipAhead } from './walk-list.ts';
import { deleteFrom, insertInto, typed, updateIn } from './write-rows.ts';

const countMembers = statement<{ readonly count: number }>(
  'count-members',
  'SELECT member_count AS count FROM organizations WHERE id = $1',
);

/** Reads more than the index has for the page only, not for the members skipped before it. */
const listMembers = select<Member & { readonly totalCount: number }>(
  'list-members',
  { ...memberColumns, totalCount: '(SELECT member_count FROM organizations WHERE id = $1)' },
  ({ joinOne }) => `FROM (${joinedAfter} LIMIT $4 OFFSET $5) page
    ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = page.user_id')}
    ${joinOne('users u', 'u.id = page.user_id')}
    ORDER BY page.joined_at, page.user_id`,
);

/** SQLite skips this many members in about a millisecond, during which nothing else runs. */
const skippedMembersMax = 10_000;

/** A UNION of two index lookups; with OR, PostgreSQL would read all users. */
const findMemberStatement = select(
  'find-member',
  memberColumns,
  ({
    joinOne,
  }) => `FROM (SELECT id FROM users WHERE id = $2 UNION SELECT id FROM users WHERE email_key = $3) found
    ${joinOne('users u', 'u.id = found.id')}
    ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = found.id')}`,
);

/** Finds users by email address, whether or not they are members of the organization. */
const findPeopleStatement = select<ExistingUser>(
  'find-people',
  memberColumns,
  ({ isIn, leftJoinOne }) => `FROM users u
    ${leftJoinOne('memberships m', 'm.organization_id = $1 AND m.user_id = u.id')}
    WHERE ${isIn('u.email_key', '$2', 'text')}`,
);

export function memberStore(database: Database, indexer: BackgroundIndexer): Omit<MemberStore, 'index'> {
  const { query } = database;
  return {
    async list(organizationId, { offset, limit }) {
      const count = async () => (await query(countMembers, [organizationId]))[0]?.count;
      const list = async () => {
        // An offset past the end would walk over every member for nothing.
        if (offset >= skippedMembersMax && offset >= ((await count()) ?? 0)) return [];
        const skipped = await skipAhead(offset, skippedMembersMax, listStart, (after) =>
          memberChunkEnd(query, organizationId, after, skippedMembersMax),
        );
        if (skipped === undefined) return [];
        const { joinedAt, id } = skipped.after;
        return query(listMembers, [organizationId, joinedAt, id, limit, skipped.rest]);
      };
      const rows = await list();
      const totalCount = rows[0]?.totalCount ?? (await count());
      return totalCount === undefined
        ? undefined
        : { members: rows.map(({ totalCount: _, ...member }) => member), totalCount };
    },
    search: (organizationId, words, page) =>
      searchMembers(database, organizationId, words, page, () => indexer.start()),
    find: (organizationId, idOrEmail) => findMember(query, organizationId, idOrEmail),
    upsert: (organizationId, actor, people, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const emails = people.map(({ email }) => email);
        const known = await findPeople(query, organizationId, emails);
        const admins = await countAdmins(query, organizationId, people.length + 1);
        const decided = decideJoins(people, known, admins, decide);
        const changes = decided.flatMap(({ existing, change }) =>
          change === undefined || change.next === null
            ? []
            : [{ at: change.at, current: existing, next: change.next, events: change.events }],
        );
        await storeMembers(query, organizationId, changes);
        const events = changes.flatMap((change) => change.events);
        await writeEvents(query, organizationId, actor, changes[0]?.at ?? '', events);
        return decided.map(memberAfter);
      }),
    change: (organizationId, idOrEmail, actor, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const current = await findMember(query, organizationId, idOrEmail);
        if (current === undefined) return undefined;
        const change = decide(current, await isLastAdmin(query, organizationId, current));
        if (change === undefined) return current;
        await applyMemberChange(query, organizationId, actor, current, change);
        return change.next ?? current;
      }),
  };
}

/**
 * Applies a change of a member inside a transaction that holds the organization's lock. Someone who
 * is removed loses their keys and workspaces. A trigger ends their sessions and, with the last
 * membership, deletes their password and identities.
 */
export async function applyMemberChange(
  query: Query,
  organizationId: string,
  actor: Author,
  current: Member,
  { at, next, events }: MemberChange,
): Promise<void> {
  await writeEvents(query, organizationId, actor, at, events);
  if (next !== null) return storeMembers(query, organizationId, [{ at, current, next }]);
  const owned = await query(enabledKeys, [current.id, organizationId]);
  await query(disableKeys, [owned.map(({ id }) => id), at]);
  const disabled = owned.flatMap((key) => disableKey(key, at)?.events ?? []);
  await writeEvents(query, organizationId, actor, at, disabled);
  await query(leaveWorkspaces, [current.id, organizationId]);
  await query(leave, [organizationId, current.id]);
}

export async function isLastAdmin(
  query: Query,
  organizationId: string,
  user: ExistingUser | undefined,
): Promise<boolean> {
  return isActiveAdmin(user) && (await countAdmins(query, organizationId, 2)) === 1;
}

/** Finds users by email address, whether or not they are members. */
export async function findPeople(
  query: Query,
  organizationId: string,
  emails: readonly string[],
): Promise<readonly ExistingUser[]> {
  return query(findPeopleStatement, [organizationId, emails.map(normalizeEmail)]);
}

/** By id or email address. Undefined when absent. */
async function findMember(
  query: Query,
  organizationId: string,
  idOrEmail: string,
): Promise<Member | undefined> {
  const values = [organizationId, idOrEmail, normalizeEmail(idOrEmail)];
  return (await query(findMemberStatement, values))[0];
}

/** By id only. Undefined when absent. */
export async function getMember(
  query: Query,
  organizationId: string,
  id: string,
): Promise<Member | undefined> {
  return (await query(findMemberStatement, [organizationId, id, null]))[0];
}

/** Counts active admins, up to the limit. */
export async function countAdmins(query: Query, organizationId: string, limit: number): Promise<number> {
  const [row] = await query(countAdminsStatement, [organizationId, limit]);
  return row?.admins ?? 0;
}

/** A member before and after a change; `current` is undefined for a new user. */
interface StoredChange {
  readonly at: string;
  readonly current: ExistingUser | undefined;
  readonly next: Member;
}

/**
 * Stores members inside a transaction that holds the organization's lock, in a constant number of
 * statements, however many members there are. The search index is updated only for those whose
 * words changed.
 */
export async function storeMembers(
  query: Query,
  organizationId: string,
  changes: readonly StoredChange[],
): Promise<void> {
  /** The rows of the changes for which this is true; each statement uses the fields it needs. */
  const rowsOf = (isAffected: (current: ExistingUser | undefined, next: Member) => boolean) =>
    changes
      .filter(({ current, next }) => isAffected(current, next))
      .map((change) => toRow(organizationId, change));

  const newUsers = rowsOf((current) => current === undefined);
  const inserted = await insertUsers(query, newUsers);
  // Another organization has just created one of these users.
  if (inserted.length < newUsers.length) throw new LostRace();
  const renamed = rowsOf((current, next) => current !== undefined && !isSame(current, next, ...nameFields));
  await renameUsers(query, renamed);
  for (const { current, next } of changes)
    if (current !== undefined && current.email !== next.email)
      await storeEmail(query, organizationId, current, next.email);
  const joining = rowsOf((current) => !isMember(current));
  await insertMemberships(query, joining);
  const changed = rowsOf((current, next) => isMember(current) && !isSame(current, next, ...membershipFields));
  await updateMemberships(query, changed);
  const deactivated = changed.filter(({ deactivatedAt }) => deactivatedAt !== null);
  await deleteSessions(query, deactivated);
  await deleteLinks(query, deactivated);
  const indexed = rowsOf((current, next) => !isMember(current) || !isSame(current, next, ...searched));
  await indexMembers(query, organizationId, [...new Set(indexed.map(({ id }) => id))]);
}

/** The fields of a user and their membership. */
function toRow(organizationId: string, { at, next }: StoredChange) {
  const emailKey = normalizeEmail(next.email);
  return { ...next, emailKey, createdAt: at, organizationId, userId: next.id, joinedAt: at };
}

const nameFields = Object.keys(nameTypes) as (keyof Name)[];
const membershipFields = Object.keys(membershipTypes) as (keyof Membership)[];

/** The fields that members are found by. */
const searched = [...nameFields, 'email'] as const;

function isSame(current: ExistingUser, next: Member, ...fields: readonly (keyof Member)[]): boolean {
  return fields.every((field) => current[field] === next[field]);
}

async function storeEmail(
  query: Query,
  organizationId: string,
  current: ExistingUser,
  email: string,
): Promise<void> {
  const values = [current.id, email, normalizeEmail(email), organizationId];
  const changed = await unlessTaken(query(changeEmail, values), () => emailTaken(email));
  if (changed.length === 0) throw sharedEmail(current.email);
  // They were sent to an address that may be somebody else's.
  if (normalizeEmail(email) !== normalizeEmail(current.email))
    await deleteLinks(query, [{ organizationId, userId: current.id }]);
}

/** In the order of the index of admins: SQLite would rather look for them among all members. */
const countAdminsStatement = statement<{ readonly admins: number }>(
  'count-admins',
  `SELECT count(*) AS admins FROM (
     SELECT 1 FROM memberships
     WHERE organization_id = $1 AND role = 'org:admin' AND deactivated_at IS NULL
     ORDER BY joined_at LIMIT $2
   ) some_admins`,
);

/**
 * Users belong to all organizations, so the lock on one does not prevent a conflict on the email
 * address.
 */
const insertUsers = insertInto(
  'insert-users',
  'users',
  {
    ...nameTypes,
    ...typed('text', 'id', 'email', 'emailKey'),
    createdAt: 'timestamptz',
  },
  'ON CONFLICT (email_key) DO NOTHING RETURNING id',
);

const renameUsers = updateIn<Name & Pick<Member, 'id'>>('rename-users', 'users', ['id'], {
  ...nameTypes,
  id: 'text',
});

const memberTypes = { organizationId: 'uuid', userId: 'text' } as const;
const rowTypes = { ...membershipTypes, ...memberTypes } as const;

const insertMemberships = insertInto('insert-memberships', 'memberships', {
  ...rowTypes,
  joinedAt: 'timestamptz',
});

/**
 * Each row names the organization: with the organization as a parameter, PostgreSQL might read all
 * of its members.
 */
const updateMemberships = updateIn<Membership & { readonly organizationId: string; readonly userId: string }>(
  'update-memberships',
  'memberships',
  ['organizationId', 'userId'],
  rowTypes,
);

const changeEmail = statement(
  'change-email',
  `UPDATE users SET email = $2, email_key = $3 WHERE id = $1 AND (email_key = $3 OR NOT EXISTS (
     SELECT 1 FROM memberships WHERE user_id = $1 AND organization_id <> $4
   )) RETURNING id`,
);

const deleteSessions = deleteFrom('end-sessions', 'sessions', memberTypes);
const deleteLinks = deleteFrom('delete-sign-in-links', 'sign_in_links', memberTypes);

const leaveWorkspaces = statement(
  'leave-workspaces',
  `DELETE FROM workspace_members
   WHERE user_id = $1 AND (SELECT w.organization_id FROM workspaces w WHERE w.id = workspace_id) = $2`,
);

const leave = statement('leave', 'DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2');
