import type { Identity } from '../core/accounts/account.ts';
import type { IdentityStore } from '../core/accounts/account-storage.ts';
import { sessionLabel } from '../core/organization/caller.ts';
import type { ExistingUser } from '../core/organization/member-change.ts';
import { hasBeenActive } from './accounts.ts';
import { writeEvents } from './audit.ts';
import { changeOrganization } from './change-organization.ts';
import type { Database } from './database.ts';
import { namedWorkspaces, storeWorkspaceRoles } from './group-access.ts';
import { memberColumns } from './member-columns.ts';
import { findPeople, isLastAdmin, storeMembers } from './members.ts';
import { select } from './select.ts';
import { storeSession } from './sessions.ts';
import { statement } from './statement.ts';
import { insertInto, typed } from './write-rows.ts';

/** The user of an identity, whether or not they are a member of the organization. */
const identityOwner = select<ExistingUser>(
  'identity-owner',
  memberColumns,
  ({ leftJoinOne }) => `FROM identities i JOIN users u ON u.id = i.user_id
    ${leftJoinOne('memberships m', 'm.organization_id = $1 AND m.user_id = i.user_id')}
    WHERE i.issuer = $2 AND i.subject = $3`,
);

const issuers = statement<{ readonly issuer: string }>(
  'identity-issuers',
  'SELECT issuer FROM identities WHERE user_id = $1',
);

const provisioning = statement(
  'is-provisioned',
  'SELECT 1 FROM scim_users WHERE organization_id = $1 AND user_id = $2',
);

const linkIdentities = insertInto<Identity>('link-identity', 'identities', {
  ...typed('text', 'issuer', 'subject', 'userId', 'provider'),
  createdAt: 'timestamptz',
});

export function identityStore(database: Database): IdentityStore {
  return {
    signIn({ session, identity, verifiedEmail, workspaceSlugs, replacedTokenHash }, decide) {
      const { organizationId, createdAt: at } = session;
      const { issuer, subject } = identity;
      const label = sessionLabel(session.id);
      // The person is not signed in yet; `decide` checks what the provider asserts.
      const actor = { userId: '', keyLabel: label };
      return changeOrganization(database, organizationId, actor, async (query) => {
        const [owner] = await query(identityOwner, [organizationId, issuer, subject]);
        const [addressee] =
          verifiedEmail === undefined ? [] : await findPeople(query, organizationId, [verifiedEmail]);
        const person = owner ?? addressee;
        const named = await namedWorkspaces(query, organizationId, workspaceSlugs, person ? [person.id] : []);
        const { current, member, isLinked, workspaces, events } = decide({
          owner,
          addressee,
          addresseeIssuers: addressee
            ? (await query(issuers, [addressee.id])).map(({ issuer }) => issuer)
            : [],
          hasAddresseeBeenActive:
            addressee !== undefined && (await hasBeenActive(query, organizationId, addressee.id)),
          isLastAdmin: await isLastAdmin(query, organizationId, person),
          isProvisioned:
            person !== undefined && (await query(provisioning, [organizationId, person.id])).length > 0,
          workspaces: named(person),
        });
        await storeMembers(query, organizationId, [{ at, current, next: member }]);
        await storeWorkspaceRoles(query, [{ member, workspaces }], at);
        if (isLinked) await linkIdentities(query, [{ ...identity, userId: member.id, createdAt: at }]);
        await storeSession(query, { ...session, userId: member.id }, replacedTokenHash);
        await writeEvents(query, organizationId, { userId: member.id, keyLabel: label }, at, events);
        return member;
      });
    },
  };
}
