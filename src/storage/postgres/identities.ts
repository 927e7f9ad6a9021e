import type { IdentityStore } from '../../core/accounts/account-storage.ts';
import { sessionLabel } from '../../core/organization/caller.ts';
import type { NamedWorkspace } from '../../core/organization/group-access.ts';
import type { ExistingUser } from '../../core/organization/member-change.ts';
import { identityColumns } from '../account-rows.ts';
import { memberColumns, membershipColumns, type PersonRow, toPerson } from '../organization-rows.ts';
import { type NamedWorkspaceRow, toNamedWorkspaces, type WorkspaceRoleRow } from '../provisioning-rows.ts';
import { hasBeenActive } from './accounts.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { findPeople, isLastAdmin, storeMembers } from './members.ts';
import {
  namedWorkspacesStatement,
  storeWorkspaceRoles,
  workspaceRolesStatement,
} from './provisioned-groups.ts';
import { storeSession } from './sessions.ts';
import { statement } from './statement.ts';

/** The user of an identity, whether or not they are a member of the organization. */
const identityOwnerStatement = statement(
  'identity-owner',
  `SELECT ${memberColumns}
    FROM (SELECT user_id FROM identities WHERE issuer = $2 AND subject = $3) i
    CROSS JOIN LATERAL (SELECT * FROM users WHERE id = i.user_id LIMIT 1) u
    LEFT JOIN LATERAL (
      SELECT ${membershipColumns} FROM memberships WHERE organization_id = $1 AND user_id = i.user_id LIMIT 1
    ) m ON true`,
);

const issuersStatement = statement('identity-issuers', 'SELECT issuer FROM identities WHERE user_id = $1');

const isProvisionedStatement = statement(
  'is-provisioned',
  'SELECT 1 FROM scim_users WHERE organization_id = $1 AND user_id = $2',
);

const linkIdentity = statement(
  'link-identity',
  `INSERT INTO identities (${identityColumns}) VALUES ($1, $2, $3, $4, $5)`,
);

export function postgresIdentities(connection: PostgresConnection): IdentityStore {
  return {
    signIn({ session, identity, verifiedEmail, workspaceSlugs, replacedTokenHash }, decide) {
      const { organizationId, createdAt: at } = session;
      const { issuer, subject, provider } = identity;
      const label = sessionLabel(session.id);
      // Nobody is authorized yet: the provider's word is checked by `decide`.
      const actor = { userId: '', keyLabel: label };
      return changeOrganization(connection, organizationId, actor, async (query) => {
        const rows = await query<PersonRow>(identityOwnerStatement, [organizationId, issuer, subject]);
        const [owner] = rows.map(toPerson);
        const [addressee] =
          verifiedEmail === undefined ? [] : await findPeople(query, organizationId, [verifiedEmail]);
        const person = owner ?? addressee;
        const { current, member, isLinked, workspaces, events } = decide({
          owner,
          addressee,
          addresseeIssuers: addressee ? await issuersOf(query, addressee.id) : [],
          hasAddresseeBeenActive:
            addressee !== undefined && (await hasBeenActive(query, organizationId, addressee.id)),
          isLastAdmin: await isLastAdmin(query, organizationId, person),
          isProvisioned:
            person !== undefined &&
            (await query(isProvisionedStatement, [organizationId, person.id])).length > 0,
          workspaces: await workspacesOf(query, organizationId, workspaceSlugs, person),
        });
        await storeMembers(query, organizationId, [{ at, current, next: member }]);
        const roles = workspaces.map(({ id, role }) => ({ id, userId: member.id, role }));
        await storeWorkspaceRoles(query, roles, at);
        if (isLinked) await query(linkIdentity, [issuer, subject, member.id, provider, at]);
        await storeSession(query, { ...session, userId: member.id }, replacedTokenHash);
        await writeEvents(query, organizationId, { userId: member.id, keyLabel: label }, at, events);
        return member;
      });
    },
  };
}

async function issuersOf(query: Query, userId: string): Promise<readonly string[]> {
  return (await query<{ issuer: string }>(issuersStatement, [userId])).map(({ issuer }) => issuer);
}

async function workspacesOf(
  query: Query,
  organizationId: string,
  slugs: readonly string[],
  person: ExistingUser | undefined,
): Promise<readonly NamedWorkspace[]> {
  const rows = await query<NamedWorkspaceRow>(namedWorkspacesStatement, [organizationId, slugs]);
  const ids = rows.map(({ id }) => id);
  const roles = person && (await query<WorkspaceRoleRow>(workspaceRolesStatement, [ids, [person.id]]));
  return toNamedWorkspaces(rows, roles ?? [], person);
}
