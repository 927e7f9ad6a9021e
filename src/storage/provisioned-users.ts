import { normalizeEmail } from '../core/organization/organization.ts';
import { type ProvisionedUser, userTaken } from '../core/provisioning/provisioned-user.ts';
import type { ProvisioningStore, UserLookup } from '../core/provisioning/provisioning-storage.ts';
import { nameKey } from '../core/text/name.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import { type Database, type Query, unlessTaken } from './database.ts';
import { memberColumns } from './member-columns.ts';
import { applyMemberChange, findPeople, isLastAdmin, storeMembers } from './members.ts';
import { type Columns, fields, json, select } from './select.ts';
import { type Statement, statement } from './statement.ts';
import { insertInto, typed } from './write-rows.ts';

/** Expects the provisioned user as `s`, besides the tables of the member. */
const userColumns: Columns<ProvisionedUser> = {
  member: memberColumns,
  ...fields('s', 'userName', 'externalId', 'createdAt', 'updatedAt'),
  attributes: json('s.attributes'),
  groups: json(
    ({ arrayOf, object }) => `(
      SELECT ${arrayOf(object(fields('g', 'id', 'displayName')), 'g.display_name_key')}
      FROM scim_group_members gm CROSS JOIN scim_groups g
      WHERE gm.organization_id = $1 AND gm.user_id = found.user_id AND g.id = gm.group_id
    )`,
  ),
};

/** Selects the users of `found`, a subquery of user ids. */
const selectUsers = (name: string, found: string) =>
  select(
    name,
    userColumns,
    ({ joinOne }) => `FROM (${found}) found
      ${joinOne('scim_users s', 's.organization_id = $1 AND s.user_id = found.user_id')}
      ${joinOne('memberships m', 'm.organization_id = $1 AND m.user_id = found.user_id')}
      ${joinOne('users u', 'u.id = found.user_id')}
      ORDER BY s.created_at, s.user_id`,
  );

const listUsers = selectUsers(
  'list-scim-users',
  `SELECT user_id FROM scim_users
   WHERE organization_id = $1 ORDER BY created_at, user_id LIMIT $2 OFFSET $3`,
);

const selectBy = (name: string, table: string, column: string) =>
  selectUsers(
    `find-scim-user-by-${name}`,
    `SELECT user_id FROM ${table} WHERE organization_id = $1 AND ${column} = $2`,
  );

const findUser: Readonly<Record<UserLookup['by'], Statement<ProvisionedUser>>> = {
  id: selectBy('id', 'scim_users', 'user_id'),
  userName: selectBy('name', 'scim_users', 'user_name_key'),
  externalId: selectBy('external-id', 'scim_users', 'external_id'),
  email: selectBy('email', 'scim_emails', 'email_key'),
};

const countUsers = statement<{ readonly users: number }>(
  'count-scim-users',
  'SELECT count(*) AS users FROM scim_users WHERE organization_id = $1',
);

type UserStore = Pick<ProvisioningStore, 'listUsers' | 'findUsers' | 'createUser' | 'changeUser'>;

export function provisionedUserStore(database: Database): UserStore {
  const { query } = database;
  return {
    async listUsers(organizationId, { offset, limit }) {
      const users = await query(listUsers, [organizationId, limit, offset]);
      const [counted] = await query(countUsers, [organizationId]);
      return { users, totalCount: counted?.users ?? 0 };
    },
    findUsers: (organizationId, lookup) => findUsers(query, organizationId, lookup),
    createUser: (organizationId, email, actor, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
        const [existing] = await findPeople(query, organizationId, [email]);
        const found = existing && (await query(findUser.id, [organizationId, existing.id]))[0];
        const isLast = await isLastAdmin(query, organizationId, existing);
        const { at, next, events } = decide(existing, found !== undefined, isLast);
        if (next === null) throw new Error('a user who has just been created cannot be removed');
        await storeMembers(query, organizationId, [{ at, current: existing, next: next.member }]);
        await storeUser(query, organizationId, next);
        await writeEvents(query, organizationId, actor, at, events);
        return next;
      }),
    changeUser: (organizationId, id, actor, decide) =>
      changeOrganization(database, organizationId, actor, async (query) => {
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

function findUsers(
  query: Query,
  organizationId: string,
  { by, value }: UserLookup,
): Promise<readonly ProvisionedUser[]> {
  return query(findUser[by], [organizationId, lookupKey(by, value)]);
}

/** The value under which an attribute is indexed. */
function lookupKey(by: UserLookup['by'], value: string): string {
  if (by === 'userName') return nameKey(value);
  return by === 'email' ? normalizeEmail(value) : value;
}

async function storeUser(query: Query, organizationId: string, user: ProvisionedUser): Promise<void> {
  const { member, userName, attributes } = user;
  const ids = { organizationId, userId: member.id };
  const row = { ...user, ...ids, userNameKey: nameKey(userName) };
  await unlessTaken(upsertUsers(query, [row]), userTaken);
  const emailKeys = new Set(attributes.emails.map(({ value }) => normalizeEmail(value)));
  const emails = [...emailKeys].map((emailKey) => ({ ...ids, emailKey }));
  await query(forgetEmails, [organizationId, member.id]);
  await addEmails(query, emails);
}

const upsertUsers = insertInto(
  'upsert-scim-user',
  'scim_users',
  {
    ...typed('text', 'userId', 'userName', 'userNameKey', 'externalId'),
    ...typed('timestamptz', 'createdAt', 'updatedAt'),
    organizationId: 'uuid',
    attributes: 'json',
  },
  `ON CONFLICT (organization_id, user_id) DO UPDATE SET user_name = excluded.user_name,
     user_name_key = excluded.user_name_key, external_id = excluded.external_id,
     attributes = excluded.attributes, updated_at = excluded.updated_at`,
);

const forgetEmails = statement(
  'forget-scim-emails',
  'DELETE FROM scim_emails WHERE organization_id = $1 AND user_id = $2',
);

const addEmails = insertInto('add-scim-emails', 'scim_emails', {
  organizationId: 'uuid',
  userId: 'text',
  emailKey: 'text',
});
