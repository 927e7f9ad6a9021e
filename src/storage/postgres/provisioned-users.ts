import { nameKey } from '../../core/name.ts';
import { normalizeEmail } from '../../core/organization/organization.ts';
import { type ProvisionedUser, userTaken } from '../../core/provisioning/provisioned-user.ts';
import type { ProvisioningStore, UserLookup } from '../../core/provisioning/provisioning-storage.ts';
import { membershipColumns } from '../organization-rows.ts';
import { toUser, type UserRow, userColumns } from '../provisioning-rows.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { isUniqueViolation } from './errors.ts';
import { applyMemberChange, findPeople, isLastAdmin, storeMembers } from './members.ts';
import { type Statement, statement } from './statement.ts';

/** Selects the users of `found`, a subquery of user ids in order. */
const selectUsers = (found: string) => `SELECT ${userColumns}, (
      SELECT coalesce(
        json_agg(json_build_object('id', g.id, 'displayName', g.display_name) ORDER BY g.display_name_key), '[]'
      )::text
      FROM (
        SELECT group_id FROM scim_group_members WHERE organization_id = $1 AND user_id = found.user_id
      ) gm
      CROSS JOIN LATERAL (SELECT * FROM scim_groups WHERE id = gm.group_id LIMIT 1) g
    ) AS groups
    FROM (${found}) found
    CROSS JOIN LATERAL (
      SELECT * FROM scim_users WHERE organization_id = $1 AND user_id = found.user_id LIMIT 1
    ) s
    CROSS JOIN LATERAL (
      SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = found.user_id LIMIT 1
    ) m
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = found.user_id LIMIT 1) u
    ORDER BY s.created_at, s.user_id`;

const listUsersStatement = statement(
  'list-scim-users',
  selectUsers(`SELECT user_id FROM scim_users
      WHERE organization_id = $1 ORDER BY created_at, user_id LIMIT $2 OFFSET $3`),
);

const idsFrom = (table: string, column: string) =>
  selectUsers(`SELECT user_id FROM ${table} WHERE organization_id = $1 AND ${column} = $2`);

const findUserStatements: Readonly<Record<UserLookup['by'], Statement>> = {
  id: statement('find-scim-user-by-id', idsFrom('scim_users', 'user_id')),
  userName: statement('find-scim-user-by-name', idsFrom('scim_users', 'user_name_key')),
  externalId: statement('find-scim-user-by-external-id', idsFrom('scim_users', 'external_id')),
  email: statement('find-scim-user-by-email', idsFrom('scim_emails', 'email_key')),
};

const countUsers = statement(
  'count-scim-users',
  'SELECT count(*) AS users FROM scim_users WHERE organization_id = $1',
);

type UserStore = Pick<ProvisioningStore, 'listUsers' | 'findUsers' | 'createUser' | 'changeUser'>;

export function postgresProvisionedUsers(connection: PostgresConnection): UserStore {
  const query = connection.query.bind(connection);
  return {
    async listUsers(organizationId, { offset, limit }) {
      const rows = await query<UserRow>(listUsersStatement, [organizationId, limit, offset]);
      const [counted] = await query<{ users: number }>(countUsers, [organizationId]);
      return { users: rows.map(toUser), totalCount: counted?.users ?? 0 };
    },
    findUsers: (organizationId, lookup) => findUsers(query, organizationId, lookup),
    createUser: (organizationId, email, actor, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const [existing] = await findPeople(query, organizationId, [email]);
        const found =
          existing === undefined
            ? []
            : await findUsers(query, organizationId, { by: 'id', value: existing.id });
        const { at, next, events } = decide(
          existing,
          found.length > 0,
          await isLastAdmin(query, organizationId, existing),
        );
        if (next === null) throw new Error('a user who is created cannot be removed');
        await storeMembers(query, organizationId, [{ at, current: existing, next: next.member }]);
        await storeUser(query, organizationId, next);
        await writeEvents(query, organizationId, actor, at, events);
        return next;
      }),
    changeUser: (organizationId, id, actor, decide) =>
      changeOrganization(connection, organizationId, actor, async (query) => {
        const [current] = await findUsers(query, organizationId, { by: 'id', value: id });
        if (current === undefined) return undefined;
        const change = decide(current, await isLastAdmin(query, organizationId, current.member));
        if (change === undefined) return current;
        const member = change.next === null ? null : change.next.member;
        await applyMemberChange(query, organizationId, actor, current.member, { ...change, next: member });
        if (change.next !== null) await storeUser(query, organizationId, change.next);
        return change.next ?? current;
      }),
  };
}

async function findUsers(
  query: Query,
  organizationId: string,
  { by, value }: UserLookup,
): Promise<readonly ProvisionedUser[]> {
  const rows = await query<UserRow>(findUserStatements[by], [organizationId, lookupKey(by, value)]);
  return rows.map(toUser);
}

/** The value under which an attribute is indexed. */
function lookupKey(by: UserLookup['by'], value: string): string {
  if (by === 'userName') return nameKey(value);
  return by === 'email' ? normalizeEmail(value) : value;
}

async function storeUser(
  query: Query,
  organizationId: string,
  { member, userName, externalId, attributes, createdAt, updatedAt }: ProvisionedUser,
): Promise<void> {
  const values = [userName, nameKey(userName), externalId, JSON.stringify(attributes), createdAt, updatedAt];
  try {
    await query(upsertUser, [organizationId, member.id, ...values]);
  } catch (error) {
    throw isUniqueViolation(error) ? userTaken() : error;
  }
  const emails = attributes.emails.map(({ value }) => normalizeEmail(value));
  await query(forgetEmails, [organizationId, member.id]);
  await query(addEmails, [organizationId, member.id, [...new Set(emails)]]);
}

const upsertUser = statement(
  'upsert-scim-user',
  `INSERT INTO scim_users (
     organization_id, user_id, user_name, user_name_key, external_id, attributes, created_at, updated_at
   ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (organization_id, user_id) DO UPDATE SET user_name = excluded.user_name,
     user_name_key = excluded.user_name_key, external_id = excluded.external_id,
     attributes = excluded.attributes, updated_at = excluded.updated_at`,
);

const forgetEmails = statement(
  'forget-scim-emails',
  'DELETE FROM scim_emails WHERE organization_id = $1 AND user_id = $2',
);

const addEmails = statement(
  'add-scim-emails',
  `INSERT INTO scim_emails (organization_id, user_id, email_key) SELECT $1, $2, unnest($3::text[])`,
);
