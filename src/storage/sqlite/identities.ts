import type { DatabaseSync } from 'node:sqlite';
import type { IdentityStore } from '../../core/accounts/account-storage.ts';
import { sessionLabel } from '../../core/organization/caller.ts';
import type { ExistingUser } from '../../core/organization/member-change.ts';
import { identityColumns } from '../account-rows.ts';
import { memberColumns, type PersonRow, toPerson } from '../organization-rows.ts';
import { type NamedWorkspaceRow, toNamedWorkspaces, type WorkspaceRoleRow } from '../provisioning-rows.ts';
import { prepareHasBeenActive } from './accounts.ts';
import { prepareWriteEvents } from './audit.ts';
import { prepareMemberReads } from './members.ts';
import { namedWorkspacesSql, prepareAccessStore, workspaceRolesSql } from './provisioned-groups.ts';
import { prepareSessionStore } from './sessions.ts';
import { statement } from './statement.ts';
import type { WriteQueue } from './write-queue.ts';

/** The user of an identity, whether or not they are a member of the organization. */
const identityOwnerSql = statement(
  'identity-owner',
  `SELECT ${memberColumns} FROM identities i CROSS JOIN users u ON u.id = i.user_id
  LEFT JOIN memberships m ON m.user_id = u.id AND m.organization_id = ?1
  WHERE i.issuer = ?2 AND i.subject = ?3`,
);

const issuersSql = statement('identity-issuers', 'SELECT issuer FROM identities WHERE user_id = ?');

const isProvisionedSql = statement(
  'is-provisioned',
  'SELECT 1 FROM scim_users WHERE organization_id = ? AND user_id = ?',
);

export function sqliteIdentities(database: DatabaseSync, queue: WriteQueue): IdentityStore {
  const findOwner = database.prepare(identityOwnerSql);
  const issuers = database.prepare(issuersSql);
  const hasBeenActive = prepareHasBeenActive(database);
  const provisioned = database.prepare(isProvisionedSql);
  const named = database.prepare(namedWorkspacesSql);
  const rolesIn = database.prepare(workspaceRolesSql);
  const insert = database.prepare(`INSERT INTO identities (${identityColumns}) VALUES (?, ?, ?, ?, ?)`);
  const members = prepareMemberReads(database);
  const storeAccess = prepareAccessStore(database);
  const storeSession = prepareSessionStore(database);
  const writeEvents = prepareWriteEvents(database);

  const workspacesOf = (
    organizationId: string,
    slugs: readonly string[],
    person: ExistingUser | undefined,
  ) => {
    const rows = named.all(organizationId, JSON.stringify(slugs)) as unknown as NamedWorkspaceRow[];
    const ids = JSON.stringify(rows.map(({ id }) => id));
    const roles = person && rolesIn.all(ids, JSON.stringify([person.id]));
    return toNamedWorkspaces(rows, (roles ?? []) as unknown as WorkspaceRoleRow[], person);
  };

  return {
    signIn: ({ session, identity, verifiedEmail, workspaceSlugs, replacedTokenHash }, decide) =>
      queue.write(() => {
        const { organizationId, createdAt: at } = session;
        const { issuer, subject, provider } = identity;
        const row = findOwner.get(organizationId, issuer, subject) as unknown as PersonRow | undefined;
        const owner = row && toPerson(row);
        const addressee =
          verifiedEmail === undefined ? undefined : members.findPerson(organizationId, verifiedEmail);
        const person = owner ?? addressee;
        const { current, member, isLinked, workspaces, events } = decide({
          owner,
          addressee,
          addresseeIssuers: addressee ? issuers.all(addressee.id).map((found) => String(found.issuer)) : [],
          hasAddresseeBeenActive: addressee !== undefined && hasBeenActive(organizationId, addressee.id),
          isLastAdmin: members.isLastAdmin(organizationId, person),
          isProvisioned: person !== undefined && provisioned.get(organizationId, person.id) !== undefined,
          workspaces: workspacesOf(organizationId, workspaceSlugs, person),
        });
        storeAccess(organizationId, current, { member, workspaces, at });
        if (isLinked) insert.run(issuer, subject, member.id, provider, at);
        storeSession({ ...session, userId: member.id }, replacedTokenHash);
        const author = { userId: member.id, keyLabel: sessionLabel(session.id) };
        writeEvents(organizationId, author, at, events);
        return member;
      }),
  };
}
