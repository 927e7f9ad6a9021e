import type { PoolClient } from 'pg';
import { alreadyMember, lastAdmin } from '../../core/member-errors.ts';
import { emailKey, type Member } from '../../core/organization.ts';
import type { MemberStore, NewMember } from '../../core/storage.ts';
import type { PostgresConnection, Statement } from './connection.ts';

const columns = `u.id, u.email, u.first_name AS "firstName", u.last_name AS "lastName", m.role`;

/**
 * One row per member with the total beside it; a single row without a member when the page is empty. Each user is
 * fetched by key, in a subquery that cannot be turned into a join: a planner that does not know how long the page is
 * would rather read all users.
 */
export const listMembersStatement: Statement = {
  name: 'list-members',
  text: `SELECT o.member_count AS "totalCount", page.*
    FROM organizations o
    LEFT JOIN LATERAL (
      SELECT u.*, m.role
      FROM (
        SELECT user_id, joined_at, role FROM memberships
        WHERE organization_id = o.id AND o.member_count > $3 ORDER BY joined_at, user_id LIMIT $2 OFFSET $3
      ) m
      CROSS JOIN LATERAL (
        SELECT id, email, first_name AS "firstName", last_name AS "lastName" FROM users WHERE id = m.user_id LIMIT 1
      ) u
      ORDER BY m.joined_at, m.user_id
    ) page ON true
    WHERE o.id = $1`,
};

/** By one index or the other; with OR, it would read all users. */
export const findMemberStatement: Statement = {
  name: 'find-member',
  text: `SELECT ${columns}
    FROM (SELECT id FROM users WHERE id = $2 UNION SELECT id FROM users WHERE email_key = $3) found
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = found.id LIMIT 1) u
    CROSS JOIN LATERAL (
      SELECT role FROM memberships WHERE organization_id = $1 AND user_id = found.id LIMIT 1
    ) m`,
};

export function postgresMembers(connection: PostgresConnection): MemberStore {
  return {
    async list(organizationId, { offset, limit }) {
      const rows = await connection.query<PageRow>(listMembersStatement, [organizationId, limit, offset]);
      const [first] = rows;
      if (first === undefined) return undefined;
      const members = first.id === null ? [] : rows.map(({ totalCount: _, ...member }) => member as Member);
      return { members, totalCount: first.totalCount };
    },
    add: (member) => connection.transaction((client) => insertMember(client, member)),
    remove: (organizationId, idOrEmail) =>
      connection.transaction(async (client) => {
        // Two admins who remove each other must come one after the other.
        await client.query('SELECT 1 FROM organizations WHERE id = $1 FOR UPDATE', [organizationId]);
        const { rows } = await client.query<Member>(findMemberStatement, [
          organizationId,
          idOrEmail,
          emailKey(idOrEmail),
        ]);
        const [member] = rows;
        if (member === undefined) return undefined;
        if (member.role === 'org:admin') await assertOtherAdmin(client, organizationId, member);
        await client.query('DELETE FROM memberships WHERE organization_id = $1 AND user_id = $2', [
          organizationId,
          member.id,
        ]);
        return member;
      }),
    async find(organizationId, idOrEmail) {
      const [row] = await connection.query<Member>(findMemberStatement, [
        organizationId,
        idOrEmail,
        emailKey(idOrEmail),
      ]);
      return row;
    },
  };
}

/** Adds a member inside a transaction that is already open. */
export async function insertMember(client: PoolClient, member: NewMember): Promise<Member> {
  const { id, email, firstName, lastName, joinedAt, organizationId, role } = member;
  const { rows } = await client.query<Omit<Member, 'role'>>(
    `INSERT INTO users AS u (id, email, email_key, first_name, last_name, created_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (email_key) DO UPDATE SET email_key = u.email_key
     RETURNING u.id, u.email, u.first_name AS "firstName", u.last_name AS "lastName"`,
    [id, email, emailKey(email), firstName, lastName, joinedAt],
  );
  const [user] = rows;
  if (user === undefined) throw new Error('an upsert of a user returned no row');
  const joined = await client.query(
    `INSERT INTO memberships (organization_id, user_id, role, joined_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization_id, user_id) DO NOTHING`,
    [organizationId, user.id, role, joinedAt],
  );
  if (joined.rowCount === 0) throw alreadyMember(user.email);
  return { ...user, role };
}

async function assertOtherAdmin(client: PoolClient, organizationId: string, member: Member): Promise<void> {
  const { rowCount } = await client.query(
    `SELECT 1 FROM memberships WHERE organization_id = $1 AND role = 'org:admin' AND user_id <> $2 LIMIT 1`,
    [organizationId, member.id],
  );
  if (rowCount === 0) throw lastAdmin(member.email);
}

interface PageRow extends Omit<Member, 'id'> {
  readonly id: string | null;
  readonly totalCount: number;
}
