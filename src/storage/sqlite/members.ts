import type { DatabaseSync } from 'node:sqlite';
import { disableKey } from '../../core/organization/key-change.ts';
import {
  type ExistingUser,
  emailTaken,
  type MemberChange,
  sharedEmail,
} from '../../core/organization/member-change.ts';
import { type Member, normalizeEmail } from '../../core/organization/organization.ts';
import type { MemberStore } from '../../core/organization/organization-storage.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import type { BackgroundIndexer } from '../background-indexer.ts';
import {
  decideJoins,
  isActiveAdmin,
  type MemberRow,
  memberAfter,
  memberColumns,
  type PersonRow,
  toMember,
  toPerson,
} from '../organization-rows.ts';
import { searchMembers } from '../search-members.ts';
import { skipAhead } from '../walk-list.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization } from './change-organization.ts';
import { isUniqueViolation, read } from './errors.ts';
import { prepareMemberIndexing } from './index-members.ts';
import { prepareKeyRecords } from './key-records.ts';
import { prepareMemberSearch } from './search-members.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

const joinedAfter = `SELECT joined_at, user_id FROM memberships
  WHERE organization_id = ?1 AND (joined_at, user_id) > (?2, ?3) ORDER BY joined_at, user_id`;

/** Reads more than the index has for the page only, not for the members skipped before it. */
const listMembersSql = statement(
  'list-members',
  `SELECT ${memberColumns}
  FROM (${joinedAfter} LIMIT ?4 OFFSET ?5) page
  CROSS JOIN memberships m ON m.organization_id = ?1 AND m.user_id = page.user_id
  CROSS JOIN users u ON u.id = page.user_id
  ORDER BY page.joined_at, page.user_id`,
);

/** SQLite skips this many members in about a millisecond, during which nothing else runs. */
const chunkMembers = 10_000;

const memberChunkEndSql = statement('member-chunk-end', `${joinedAfter} LIMIT 1 OFFSET ${chunkMembers - 1}`);

/** A position in the list of members, by column names of `memberships`. */
interface JoinPosition {
  readonly joined_at: string;
  readonly user_id: string;
}

/** Sorts before every member. */
const listStart: JoinPosition = { joined_at: '', user_id: '' };

/** Finds a user by email address, whether or not they are a member of the organization. */
export const findPersonSql = statement(
  'find-person',
  `SELECT ${memberColumns}
  FROM users u LEFT JOIN memberships m ON m.user_id = u.id AND m.organization_id = ? WHERE u.email_key = ?`,
);

export function sqliteMembers(
  database: DatabaseSync,
  queue: WriteQueue,
  indexer: BackgroundIndexer,
): Omit<MemberStore, 'index'> {
  const count = database.prepare('SELECT member_count FROM organizations WHERE id = ?');
  const page = database.prepare(listMembersSql);
  const chunkEnd = database.prepare(memberChunkEndSql);
  const reads = prepareMemberReads(database);
  const searchIn = prepareMemberSearch(database);
  const store = prepareMemberStore(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);
  const apply = prepareMemberChange(database);

  return {
    async list(organizationId, { offset, limit }) {
      const counts = read(() => count.get(organizationId));
      if (counts === undefined) return undefined;
      const totalCount = Number(counts.member_count);
      const empty = { members: [], totalCount };
      // An offset past the end would walk over every member for nothing.
      if (offset >= totalCount) return empty;
      const skipped = await skipAhead(offset, chunkMembers, listStart, ({ joined_at, user_id }) =>
        read(() => chunkEnd.get(organizationId, joined_at, user_id) as unknown as JoinPosition | undefined),
      );
      if (skipped === undefined) return empty;
      const { joined_at, user_id } = skipped.after;
      const rows = read(() => page.all(organizationId, joined_at, user_id, limit, skipped.rest));
      return { members: (rows as unknown as MemberRow[]).map(toMember), totalCount };
    },
    search: (organizationId, words, page) =>
      searchMembers(searchIn(organizationId), words, page, () => indexer.start()),
    async find(organizationId, idOrEmail) {
      return read(() => reads.find(organizationId, idOrEmail));
    },
    upsert: (organizationId, actor, people, decide) =>
      changeOrganization(actor, () => {
        const known = people.flatMap(({ email }) => reads.findPerson(organizationId, email) ?? []);
        const admins = reads.countAdmins(organizationId, people.length + 1);
        const decided = decideJoins(people, known, admins, decide);
        for (const { known: current, change } of decided) {
          if (change === undefined || change.next === null) continue;
          store(organizationId, current, change.next, change.at);
          writeEvents(organizationId, actor, change.at, change.events);
        }
        return decided.map(memberAfter);
      }),
    change: (organizationId, idOrEmail, actor, decide) =>
      changeOrganization(actor, () => {
        const current = reads.find(organizationId, idOrEmail);
        if (current === undefined) return undefined;
        const change = decide(current, reads.isLastAdmin(organizationId, current));
        if (change === undefined) return current;
        apply(organizationId, actor, current, change);
        return change.next ?? current;
      }),
  };
}

type ApplyMemberChange = (
  organizationId: string,
  actor: Author,
  current: Member,
  change: MemberChange,
) => void;

/**
 * Prepares the statements that apply a change of a member inside an open transaction. Someone who
 * is removed loses their keys and workspaces. A trigger ends their sessions and, with the last
 * membership, deletes their password and identities.
 */
export function prepareMemberChange(database: DatabaseSync): ApplyMemberChange {
  const deleteWorkspaceMemberships = database.prepare(
    `DELETE FROM workspace_members WHERE user_id = ?1 AND workspace_id IN (
       SELECT wm.workspace_id FROM workspace_members wm JOIN workspaces w ON w.id = wm.workspace_id
       WHERE wm.user_id = ?1 AND w.organization_id = ?2
     )`,
  );
  const deleteMembership = database.prepare(
    'DELETE FROM memberships WHERE organization_id = ? AND user_id = ?',
  );
  const keys = prepareKeyRecords(database);
  const store = prepareMemberStore(database);
  const writeEvents = prepareWriteEvents(database);
  return (organizationId, actor, current, { at, next, events }) => {
    writeEvents(organizationId, actor, at, events);
    if (next !== null) {
      store(organizationId, current, next, at);
      return;
    }
    for (const key of keys.enabledOf(organizationId, current.id)) {
      const disabled = disableKey(key, at);
      if (disabled === undefined) continue;
      keys.store(key, disabled);
      writeEvents(organizationId, actor, at, disabled.events);
    }
    deleteWorkspaceMemberships.run(current.id, organizationId);
    deleteMembership.run(organizationId, current.id);
  };
}

const findMemberSql = statement(
  'find-member',
  `SELECT ${memberColumns}
  FROM users u JOIN memberships m ON m.user_id = u.id AND m.organization_id = ?
  WHERE u.id = ? OR u.email_key = ?`,
);

interface MemberReads {
  find(organizationId: string, idOrEmail: string): Member | undefined;
  /** By id only. */
  get(organizationId: string, id: string): Member | undefined;
  /** Finds a user by email address, whether or not they are a member. */
  findPerson(organizationId: string, email: string): ExistingUser | undefined;
  /** Counts active admins, up to the limit. */
  countAdmins(organizationId: string, limit: number): number;
  isLastAdmin(organizationId: string, user: ExistingUser | undefined): boolean;
}

export function prepareMemberReads(database: DatabaseSync): MemberReads {
  const find = database.prepare(findMemberSql);
  const person = database.prepare(findPersonSql);
  const admins = database.prepare(
    `SELECT count(*) AS admins FROM (
       SELECT 1 FROM memberships
       WHERE organization_id = ? AND role = 'org:admin' AND deactivated_at IS NULL LIMIT ?
     )`,
  );
  const countAdmins = (organizationId: string, limit: number) =>
    Number(admins.get(organizationId, limit)?.admins);
  const findBy = (organizationId: string, id: string, key: string | null) => {
    const row = find.get(organizationId, id, key) as unknown as MemberRow | undefined;
    return row && toMember(row);
  };
  return {
    find: (organizationId, idOrEmail) => findBy(organizationId, idOrEmail, normalizeEmail(idOrEmail)),
    get: (organizationId, id) => findBy(organizationId, id, null),
    findPerson(organizationId, email) {
      const row = person.get(organizationId, normalizeEmail(email)) as unknown as PersonRow | undefined;
      return row && toPerson(row);
    },
    countAdmins,
    isLastAdmin: (organizationId, user) => isActiveAdmin(user) && countAdmins(organizationId, 2) === 1,
  };
}

type StoreMember = (
  organizationId: string,
  current: ExistingUser | undefined,
  next: Member,
  at: string,
) => void;

/**
 * Prepares the statements that store a member inside an open transaction. `current` is undefined
 * for a new user, and has no role for a user who is not a member. The search index is updated only
 * when it has to be.
 */
export function prepareMemberStore(database: DatabaseSync): StoreMember {
  const insertUser = database.prepare(
    'INSERT INTO users (id, email, email_key, first_name, last_name, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const rename = database.prepare('UPDATE users SET first_name = ?, last_name = ? WHERE id = ?');
  const changeEmail = database.prepare(
    `UPDATE users SET email = ?2, email_key = ?3 WHERE id = ?1 AND (email_key = ?3 OR NOT EXISTS (
       SELECT 1 FROM memberships WHERE user_id = ?1 AND organization_id <> ?4
     ))`,
  );
  const join = database.prepare(
    `INSERT INTO memberships (organization_id, user_id, role, workspace_role, deactivated_at, joined_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    `UPDATE memberships SET role = ?, workspace_role = ?, deactivated_at = ?
     WHERE organization_id = ? AND user_id = ?`,
  );
  const deleteLinks = database.prepare('DELETE FROM sign_in_links WHERE user_id = ?');
  const { index } = prepareMemberIndexing(database);
  const endSessions = prepareEndSessions(database);
  const storeEmail = (organizationId: string, current: ExistingUser, email: string) => {
    try {
      const { changes } = changeEmail.run(current.id, email, normalizeEmail(email), organizationId);
      if (changes === 0) throw sharedEmail(current.email);
    } catch (error) {
      throw isUniqueViolation(error) ? emailTaken(email) : error;
    }
    // They were sent to an address that may be somebody else's.
    if (normalizeEmail(email) !== normalizeEmail(current.email)) deleteLinks.run(current.id);
  };
  return (organizationId, current, next, at) => {
    const { id, email, firstName, lastName, role, workspaceRole, deactivatedAt } = next;
    const isRenamed = current?.firstName !== firstName || current.lastName !== lastName;
    const isNew = current === undefined || current.role === null;
    if (current === undefined) insertUser.run(id, email, normalizeEmail(email), firstName, lastName, at);
    else if (isRenamed) rename.run(firstName, lastName, id);
    if (current !== undefined && current.email !== email) storeEmail(organizationId, current, email);
    if (isNew) join.run(organizationId, id, role, workspaceRole, deactivatedAt, at);
    else update.run(role, workspaceRole, deactivatedAt, organizationId, id);
    if (deactivatedAt !== null && current?.deactivatedAt === null) endSessions(organizationId, id);
    if (isNew || isRenamed || current.email !== email) index(organizationId, id);
  };
}

/** Prepares the deletion of everything that someone can be signed in with, besides keys. */
function prepareEndSessions(database: DatabaseSync): (organizationId: string, userId: string) => void {
  const statements = ['sessions', 'sign_in_links'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE user_id = ? AND organization_id = ?`),
  );
  return (organizationId, userId) => {
    for (const deletion of statements) deletion.run(userId, organizationId);
  };
}
