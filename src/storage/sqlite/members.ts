import type { DatabaseSync } from 'node:sqlite';
import { alreadyMember, lastAdmin } from '../../core/member-errors.ts';
import { emailKey, type Member, type Role } from '../../core/organization.ts';
import type { MemberStore, NewMember } from '../../core/storage.ts';
import { read } from './errors.ts';
import type { WriteQueue } from './write-queue.ts';

export const listMembersSql = `SELECT u.id, u.email, u.first_name, u.last_name, m.role
  FROM memberships m JOIN users u ON u.id = m.user_id
  WHERE m.organization_id = ? ORDER BY m.joined_at, m.user_id LIMIT ? OFFSET ?`;

export function sqliteMembers(database: DatabaseSync, queue: WriteQueue): MemberStore {
  const count = database.prepare('SELECT member_count FROM organizations WHERE id = ?');
  const page = database.prepare(listMembersSql);
  const find = database.prepare(
    `SELECT u.id, u.email, u.first_name, u.last_name, m.role
     FROM users u JOIN memberships m ON m.user_id = u.id AND m.organization_id = ?
     WHERE u.id = ? OR u.email_key = ?`,
  );
  const otherAdmin = database.prepare(
    `SELECT 1 FROM memberships WHERE organization_id = ? AND role = 'org:admin' AND user_id <> ? LIMIT 1`,
  );
  const insert = prepareMemberInsert(database);
  const remove = database.prepare('DELETE FROM memberships WHERE organization_id = ? AND user_id = ?');

  const findMember = (organizationId: string, idOrEmail: string): Member | undefined => {
    const row = find.get(organizationId, idOrEmail, emailKey(idOrEmail)) as unknown as MemberRow | undefined;
    return row && toMember(row);
  };

  return {
    async list(organizationId, { offset, limit }) {
      return read(() => {
        const total = count.get(organizationId);
        if (total === undefined) return undefined;
        const totalCount = Number(total.member_count);
        // Going past the end would count every member again.
        if (offset >= totalCount) return { members: [], totalCount };
        const rows = page.all(organizationId, limit, offset) as unknown as MemberRow[];
        return { members: rows.map(toMember), totalCount };
      });
    },
    add: (member) => queue.write(() => insert(member)),
    remove: (organizationId, idOrEmail) =>
      queue.write(() => {
        const member = findMember(organizationId, idOrEmail);
        if (member === undefined) return undefined;
        const isLastAdmin =
          member.role === 'org:admin' && otherAdmin.get(organizationId, member.id) === undefined;
        if (isLastAdmin) throw lastAdmin(member.email);
        remove.run(organizationId, member.id);
        return member;
      }),
    async find(organizationId, idOrEmail) {
      return read(() => findMember(organizationId, idOrEmail));
    },
  };
}

/** Adds a member inside a transaction that is already open. */
export function prepareMemberInsert(database: DatabaseSync): (member: NewMember) => Member {
  const upsertUser = database.prepare(
    `INSERT INTO users (id, email, email_key, first_name, last_name, created_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (email_key) DO UPDATE SET email_key = email_key
     RETURNING id, email, first_name, last_name`,
  );
  const join = database.prepare(
    `INSERT INTO memberships (organization_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (organization_id, user_id) DO NOTHING`,
  );
  return (member) => {
    const { id, email, firstName, lastName, joinedAt, organizationId, role } = member;
    const user = upsertUser.get(
      id,
      email,
      emailKey(email),
      firstName,
      lastName,
      joinedAt,
    ) as unknown as UserRow;
    if (join.run(organizationId, user.id, role, joinedAt).changes === 0) throw alreadyMember(user.email);
    return toMember({ ...user, role });
  };
}

interface UserRow {
  readonly id: string;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
}

interface MemberRow extends UserRow {
  readonly role: Role;
}

function toMember(row: MemberRow): Member {
  return { id: row.id, email: row.email, firstName: row.first_name, lastName: row.last_name, role: row.role };
}
