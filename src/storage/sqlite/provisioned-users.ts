import type { DatabaseSync } from 'node:sqlite';
import { nameKey } from '../../core/name.ts';
import { normalizeEmail } from '../../core/organization/organization.ts';
import { type ProvisionedUser, userTaken } from '../../core/provisioning/provisioned-user.ts';
import type { ProvisioningStore, UserLookup } from '../../core/provisioning/provisioning-storage.ts';
import { toUser, type UserRow, userColumns } from '../provisioning-rows.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareChangeOrganization } from './change-organization.ts';
import { isUniqueViolation, read } from './errors.ts';
import { prepareMemberChange, prepareMemberReads, prepareMemberStore } from './members.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

/** Selects the users of `found`, a subquery of user ids in order. */
const selectUsers = (found: string) => `SELECT ${userColumns}, (
    SELECT json_group_array(json_object('id', g.id, 'displayName', g.display_name) ORDER BY g.display_name_key)
    FROM scim_group_members gm CROSS JOIN scim_groups g ON g.id = gm.group_id
    WHERE gm.organization_id = ?1 AND gm.user_id = s.user_id
  ) AS groups
  FROM (${found}) found
  CROSS JOIN scim_users s ON s.organization_id = ?1 AND s.user_id = found.user_id
  CROSS JOIN memberships m ON m.organization_id = ?1 AND m.user_id = found.user_id
  CROSS JOIN users u ON u.id = found.user_id
  ORDER BY s.created_at, s.user_id`;

const listUsersSql = statement(
  'list-scim-users',
  selectUsers(`SELECT user_id FROM scim_users
    WHERE organization_id = ?1 ORDER BY created_at, user_id LIMIT ?2 OFFSET ?3`),
);

const idsFrom = (table: string, column: string) =>
  selectUsers(`SELECT user_id FROM ${table} WHERE organization_id = ?1 AND ${column} = ?2`);

const findUserSql: Readonly<Record<UserLookup['by'], string>> = {
  id: statement('find-scim-user-by-id', idsFrom('scim_users', 'user_id')),
  userName: statement('find-scim-user-by-name', idsFrom('scim_users', 'user_name_key')),
  externalId: statement('find-scim-user-by-external-id', idsFrom('scim_users', 'external_id')),
  email: statement('find-scim-user-by-email', idsFrom('scim_emails', 'email_key')),
};

type UserStore = Pick<ProvisioningStore, 'listUsers' | 'findUsers' | 'createUser' | 'changeUser'>;

export function sqliteProvisionedUsers(database: DatabaseSync, queue: WriteQueue): UserStore {
  const count = database.prepare('SELECT count(*) AS users FROM scim_users WHERE organization_id = ?');
  const list = database.prepare(listUsersSql);
  const find = {
    id: database.prepare(findUserSql.id),
    userName: database.prepare(findUserSql.userName),
    externalId: database.prepare(findUserSql.externalId),
    email: database.prepare(findUserSql.email),
  };
  const members = prepareMemberReads(database);
  const storeMember = prepareMemberStore(database);
  const applyToMember = prepareMemberChange(database);
  const storeUser = prepareUserStore(database);
  const writeEvents = prepareWriteEvents(database);
  const changeOrganization = prepareChangeOrganization(database, queue);

  const findUsers = (organizationId: string, { by, value }: UserLookup) =>
    (find[by].all(organizationId, lookupKey(by, value)) as unknown as UserRow[]).map(toUser);

  return {
    async listUsers(organizationId, { offset, limit }) {
      return read(() => {
        const rows = list.all(organizationId, limit, offset) as unknown as UserRow[];
        return { users: rows.map(toUser), totalCount: Number(count.get(organizationId)?.users) };
      });
    },
    async findUsers(organizationId, lookup) {
      return read(() => findUsers(organizationId, lookup));
    },
    createUser: (organizationId, email, actor, decide) =>
      changeOrganization(actor, () => {
        const existing = members.findPerson(organizationId, email);
        const isProvisioned =
          existing !== undefined && findUsers(organizationId, { by: 'id', value: existing.id }).length > 0;
        const { at, next, events } = decide(
          existing,
          isProvisioned,
          members.isLastAdmin(organizationId, existing),
        );
        if (next === null) throw new Error('a user who is created cannot be removed');
        storeMember(organizationId, existing, next.member, at);
        storeUser(organizationId, next);
        writeEvents(organizationId, actor, at, events);
        return next;
      }),
    changeUser: (organizationId, id, actor, decide) =>
      changeOrganization(actor, () => {
        const [current] = findUsers(organizationId, { by: 'id', value: id });
        if (current === undefined) return undefined;
        const change = decide(current, members.isLastAdmin(organizationId, current.member));
        if (change === undefined) return current;
        const member = change.next === null ? null : change.next.member;
        applyToMember(organizationId, actor, current.member, { ...change, next: member });
        if (change.next !== null) storeUser(organizationId, change.next);
        return change.next ?? current;
      }),
  };
}

/** The value under which an attribute is indexed. */
function lookupKey(by: UserLookup['by'], value: string): string {
  if (by === 'userName') return nameKey(value);
  return by === 'email' ? normalizeEmail(value) : value;
}

/** Prepares the statements that store a user inside an open transaction. */
function prepareUserStore(database: DatabaseSync): (organizationId: string, user: ProvisionedUser) => void {
  const upsert = database.prepare(
    `INSERT INTO scim_users (
       organization_id, user_id, user_name, user_name_key, external_id, attributes, created_at, updated_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (organization_id, user_id) DO UPDATE SET user_name = excluded.user_name,
       user_name_key = excluded.user_name_key, external_id = excluded.external_id,
       attributes = excluded.attributes, updated_at = excluded.updated_at`,
  );
  const forgetEmails = database.prepare('DELETE FROM scim_emails WHERE organization_id = ? AND user_id = ?');
  const addEmail = database.prepare(
    'INSERT OR IGNORE INTO scim_emails (organization_id, email_key, user_id) VALUES (?, ?, ?)',
  );
  return (organizationId, { member, userName, externalId, attributes, createdAt, updatedAt }) => {
    const values = [userName, nameKey(userName), externalId, JSON.stringify(attributes)];
    try {
      upsert.run(organizationId, member.id, ...values, createdAt, updatedAt);
    } catch (error) {
      throw isUniqueViolation(error) ? userTaken() : error;
    }
    forgetEmails.run(organizationId, member.id);
    for (const { value } of attributes.emails) addEmail.run(organizationId, normalizeEmail(value), member.id);
  };
}
