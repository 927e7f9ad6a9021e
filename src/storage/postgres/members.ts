import { disableKey } from '../../core/organization/key-change.ts';
import {
  type ExistingUser,
  emailTaken,
  isMember,
  type MemberChange,
  sharedEmail,
} from '../../core/organization/member-change.ts';
import { type Member, normalizeEmail } from '../../core/organization/organization.ts';
import type { OrganizationEvent } from '../../core/organization/organization-event.ts';
import type { MemberStore } from '../../core/organization/organization-storage.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import type { BackgroundIndexer } from '../background-indexer.ts';
import {
  decideJoins,
  isActiveAdmin,
  type MemberRow,
  memberAfter,
  memberColumns,
  membershipColumns,
  type PersonRow,
  toMember,
  toPerson,
} from '../organization-rows.ts';
import { searchMembers } from '../search-members.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import { LostRace, type PostgresConnection, type Query } from './connection.ts';
import { isUniqueViolation } from './errors.ts';
import { indexMembers } from './index-members.ts';
import { disableKeys, enabledKeysOf } from './key-records.ts';
import { memberSearchReads } from './search-members.ts';
import { statement } from './statement.ts';

/**
 * One row per member with the total in each; a single row without a member for an empty page. Each
 * user is fetched by key in a LATERAL subquery with LIMIT 1, which cannot become a join: a planner
 * that does not know how short the page is would rather read all users.
 */
const listMembersStatement = statement(
  'list-members',
  `SELECT o.member_count, page.*
    FROM organizations o
    LEFT JOIN LATERAL (
      SELECT ${memberColumns}
      FROM (
        SELECT user_id, joined_at FROM memberships
        WHERE organization_id = o.id AND o.member_count > $3 ORDER BY joined_at, user_id LIMIT $2 OFFSET $3
      ) listed
      CROSS JOIN LATERAL (
        SELECT ${membershipColumns} FROM memberships
        WHERE organization_id = o.id AND user_id = listed.user_id LIMIT 1
      ) m
      CROSS JOIN LATERAL (SELECT * FROM users WHERE id = listed.user_id LIMIT 1) u
      ORDER BY listed.joined_at, listed.user_id
    ) page ON true
    WHERE o.id = $1`,
);

/** A UNION of two index lookups; with OR, PostgreSQL would read all users. */
const findMemberStatement = statement(
  'find-member',
  `SELECT ${memberColumns}
    FROM (SELECT id FROM users WHERE id = $2 UNION SELECT id FROM users WHERE email_key = $3) found
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = found.id LIMIT 1) u
    CROSS JOIN LATERAL (
      SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = found.id LIMIT 1
    ) m`,
);

/** Finds users by email address, whether or not they are members of the organization. */
export const findPeopleStatement = statement(
  'find-people',
  `SELECT ${memberColumns}
    FROM unnest($2::text[]) AS wanted (email_key)
    CROSS JOIN LATERAL (SELECT * FROM users WHERE email_key = wanted.email_key LIMIT 1) u
    LEFT JOIN LATERAL (
      SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = u.id LIMIT 1
    ) m ON true`,
);

export function postgresMembers(
  connection: PostgresConnection,
  indexer: BackgroundIndexer,
): Omit<MemberStore, 'index'> {
  return {
    async list(organizationId, { offset, limit }) {
      const rows = await connection.query<PageRow>(listMembersStatement, [organizationId, limit, offset]);
      const [first] = rows;
      if (first === undefined) return undefined;
      return { members: first.id === null ? [] : rows.map(toMember), totalCount: first.member_count };
    },
    search: (organizationId, words, page) =>
      searchMembers(memberSearchReads(connection, organizationId), words, page, () => indexer.start()),
    find: (organizationId, idOrEmail) =>
      findMember(connection.query.bind(connection), organizationId, idOrEmail),
    upsert: (organizationId, actor, people, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const known = await findPeople(
          query,
          organizationId,
          people.map(({ email }) => email),
        );
        const admins = await countAdmins(query, organizationId, people.length + 1);
        const decided = decideJoins(people, known, admins, decide);
        const changes: Change[] = decided.flatMap(({ known: current, change }) =>
          change === undefined || change.next === null
            ? []
            : [{ at: change.at, current, next: change.next, events: change.events }],
        );
        await storeMembers(query, organizationId, changes);
        const events = changes.flatMap((change) => change.events);
        await writeEvents(query, organizationId, actor, changes[0]?.at ?? '', events);
        return decided.map(memberAfter);
      }),
    change: (organizationId, idOrEmail, actor, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
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
  const owned = await enabledKeysOf(query, organizationId, current.id);
  await disableKeys(query, owned, at);
  const disabled = owned.flatMap((key) => disableKey(key, at)?.events ?? []);
  await writeEvents(query, organizationId, actor, at, disabled);
  await query(deleteWorkspaceMembershipsStatement, [current.id, organizationId]);
  await query(deleteMembership, [organizationId, current.id]);
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
  const rows = await query<PersonRow>(findPeopleStatement, [organizationId, emails.map(normalizeEmail)]);
  return rows.map(toPerson);
}

/** By id or email address. Undefined when absent. */
export async function findMember(
  query: Query,
  organizationId: string,
  idOrEmail: string,
): Promise<Member | undefined> {
  const values = [organizationId, idOrEmail, normalizeEmail(idOrEmail)];
  return (await query<MemberRow>(findMemberStatement, values)).map(toMember)[0];
}

/** By id only. Undefined when absent. */
export async function getMember(
  query: Query,
  organizationId: string,
  id: string,
): Promise<Member | undefined> {
  return (await query<MemberRow>(findMemberStatement, [organizationId, id, null])).map(toMember)[0];
}

/** A member before and after a change; `current` is undefined for a new user. */
interface Change {
  readonly at: string;
  readonly current: ExistingUser | undefined;
  readonly next: Member;
  readonly events: readonly OrganizationEvent[];
}

/**
 * Stores members inside a transaction that holds the organization's lock, in a constant number of
 * statements, however many members there are. The search index is updated only for those whose
 * words changed.
 */
export async function storeMembers(
  query: Query,
  organizationId: string,
  changes: readonly Omit<Change, 'events'>[],
): Promise<void> {
  const newUsers = changes.filter(({ current }) => current === undefined);
  if (newUsers.length > 0) {
    const inserted = await query(insertUsers, [
      newUsers.map(({ next }) => next.id),
      newUsers.map(({ next }) => next.email),
      newUsers.map(({ next }) => normalizeEmail(next.email)),
      newUsers.map(({ next }) => next.firstName),
      newUsers.map(({ next }) => next.lastName),
      newUsers.map(({ at }) => at),
    ]);
    // Another organization has just created one of these users.
    if (inserted.length < newUsers.length) throw new LostRace();
  }
  const renamed = changes.filter(
    ({ current, next }) =>
      current !== undefined && (current.firstName !== next.firstName || current.lastName !== next.lastName),
  );
  if (renamed.length > 0) {
    await query(renameUsersStatement, [
      renamed.map(({ next }) => next.id),
      renamed.map(({ next }) => next.firstName),
      renamed.map(({ next }) => next.lastName),
    ]);
  }
  for (const { current, next } of changes)
    if (current !== undefined && current.email !== next.email)
      await storeEmail(query, organizationId, current, next.email);
  const joining = changes.filter(({ current }) => current === undefined || current.role === null);
  if (joining.length > 0) {
    await query(insertMemberships, [
      organizationId,
      joining.map(({ next }) => next.id),
      joining.map(({ next }) => next.role),
      joining.map(({ next }) => next.workspaceRole),
      joining.map(({ next }) => next.deactivatedAt),
      joining.map(({ at }) => at),
    ]);
  }
  await storeMemberships(query, organizationId, changes);
  const indexed = new Set(
    changes
      .filter(({ current, next }) => !isMember(current) || !hasSameWords(current, next))
      .map(({ next }) => next.id),
  );
  await indexMembers(
    query,
    [...indexed].map((user_id) => ({ organization_id: organizationId, user_id })),
  );
}

/** One statement for all members who get the same roles and status: imports have few of them. */
async function storeMemberships(
  query: Query,
  organizationId: string,
  changes: readonly Omit<Change, 'events'>[],
): Promise<void> {
  const byMembership = Map.groupBy(
    changes.filter(({ current, next }) => isMember(current) && !hasSameMembership(current, next)),
    ({ next }) => JSON.stringify(membershipOf(next)),
  );
  for (const group of byMembership.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const ids = group.map(({ next }) => next.id);
    await query(updateMembershipsStatement, [organizationId, ids, ...membershipOf(first.next)]);
    if (first.next.deactivatedAt !== null) await endSessions(query, organizationId, ids);
  }
}

function membershipOf({ role, workspaceRole, deactivatedAt }: Member): readonly (string | null)[] {
  return [role, workspaceRole, deactivatedAt];
}

function hasSameMembership(current: Member, next: Member): boolean {
  return JSON.stringify(membershipOf(current)) === JSON.stringify(membershipOf(next));
}

/** Whether both are found by the same words. */
function hasSameWords(current: Member, next: Member): boolean {
  return (
    current.firstName === next.firstName && current.lastName === next.lastName && current.email === next.email
  );
}

async function storeEmail(
  query: Query,
  organizationId: string,
  current: ExistingUser,
  email: string,
): Promise<void> {
  try {
    const parameters = [current.id, email, normalizeEmail(email), organizationId];
    const changed = await query(changeEmailStatement, parameters);
    if (changed.length === 0) throw sharedEmail(current.email);
  } catch (error) {
    throw isUniqueViolation(error) ? emailTaken(email) : error;
  }
  // They were sent to an address that may be somebody else's.
  if (normalizeEmail(email) !== normalizeEmail(current.email))
    await query(deleteLinksStatement, [[current.id], organizationId]);
}

/** Deletes everything that people can be signed in with, besides keys. */
async function endSessions(query: Query, organizationId: string, userIds: readonly string[]): Promise<void> {
  await query(endSessionsStatement, [userIds, organizationId]);
  await query(deleteLinksStatement, [userIds, organizationId]);
}

export async function countAdmins(query: Query, organizationId: string, limit: number): Promise<number> {
  const [row] = await query<{ admins: number }>(countAdminsStatement, [organizationId, limit]);
  return row?.admins ?? 0;
}

interface PageRow extends MemberRow {
  /** Null when the page is empty. */
  readonly id: string;
  readonly member_count: number;
}

const countAdminsStatement = statement(
  'count-admins',
  `SELECT count(*) AS admins FROM (
     SELECT 1 FROM memberships
     WHERE organization_id = $1 AND role = 'org:admin' AND deactivated_at IS NULL LIMIT $2
   ) some_admins`,
);

/**
 * Users belong to all organizations, so the lock on one does not prevent a conflict on the email
 * address.
 */
const insertUsers = statement(
  'insert-users',
  `INSERT INTO users (id, email, email_key, first_name, last_name, created_at)
   SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
   ON CONFLICT (email_key) DO NOTHING RETURNING id`,
);

const renameUsersStatement = statement(
  'rename-users',
  `UPDATE users u SET first_name = n.first_name, last_name = n.last_name
   FROM unnest($1::text[], $2::text[], $3::text[]) AS n (id, first_name, last_name) WHERE u.id = n.id`,
);

const insertMemberships = statement(
  'insert-memberships',
  `INSERT INTO memberships (organization_id, user_id, role, workspace_role, deactivated_at, joined_at)
   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::timestamptz[])`,
);

/**
 * One set of values at a time: joined to a list of them, PostgreSQL might read all members of the
 * organization.
 */
const updateMembershipsStatement = statement(
  'update-memberships',
  `UPDATE memberships SET role = $3, workspace_role = $4, deactivated_at = $5
   WHERE organization_id = $1 AND user_id = ANY ($2::text[])`,
);

const changeEmailStatement = statement(
  'change-email',
  `UPDATE users SET email = $2, email_key = $3 WHERE id = $1 AND (email_key = $3 OR NOT EXISTS (
     SELECT 1 FROM memberships WHERE user_id = $1 AND organization_id <> $4
   )) RETURNING id`,
);

const endSessionsStatement = statement(
  'end-sessions',
  'DELETE FROM sessions WHERE user_id = ANY ($1::text[]) AND organization_id = $2',
);

const deleteLinksStatement = statement(
  'delete-sign-in-links',
  'DELETE FROM sign_in_links WHERE user_id = ANY ($1::text[]) AND organization_id = $2',
);

const deleteWorkspaceMembershipsStatement = statement(
  'leave-workspaces',
  `DELETE FROM workspace_members wm
   WHERE wm.user_id = $1 AND (SELECT w.organization_id FROM workspaces w WHERE w.id = wm.workspace_id) = $2`,
);

const deleteMembership = statement(
  'leave',
  'DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2',
);
