import { applyGroupRoles, type NamedWorkspace } from '../organization/group-access.ts';
import { type GroupMapping, type GroupRoles, rolesOfGroups } from '../organization/group-roles.ts';
import { type ExistingUser, editMember, isMember, joinOrganization } from '../organization/member-change.ts';
import type { Member } from '../organization/organization.ts';
import type { OrganizationEvent } from '../organization/organization-event.ts';
import type { WorkspaceRole } from '../organization/workspace-role.ts';
import { accountEvent } from './account-event.ts';

/** A person as a provider describes them. Issuer and subject never change; all else can. */
export interface ProvenIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Undefined if the provider sends none, or one that is not valid. */
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
  /** Empty if unknown. */
  readonly firstName: string;
  readonly lastName: string;
  /** Undefined if the provider does not say; empty if the person has none. */
  readonly groups: readonly string[] | undefined;
}

/** The settings for people who sign in with a provider. */
export interface IdentityPolicy {
  /** The id of the provider. */
  readonly provider: string;
  /** People with a verified address in one of these get an account. */
  readonly domains: readonly string[];
  readonly groups: readonly GroupMapping[];
}

/** The stored state of an identity, and of the user who has its address. */
export interface KnownIdentity {
  /** The user to whom the identity is linked; undefined if it is new. */
  readonly owner: ExistingUser | undefined;
  /** The user who has the verified address; undefined if nobody has it or it is not verified. */
  readonly addressee: ExistingUser | undefined;
  /** The issuers of the identities that the addressee has. */
  readonly addresseeIssuers: readonly string[];
  /** Whether the addressee has signed in or used a key in the organization before. */
  readonly hasAddresseeBeenActive: boolean;
  /** Whether the owner or, without one, the addressee is the last active org:admin. */
  readonly isLastAdmin: boolean;
  /** Whether SCIM manages the same person. */
  readonly isProvisioned: boolean;
  /** The workspaces that the groups of the settings name, with the roles of the same person. */
  readonly workspaces: readonly NamedWorkspace[];
}

export interface IdentityChange {
  /** As before; undefined for a new user. */
  readonly current: ExistingUser | undefined;
  /** As afterwards. */
  readonly member: Member;
  /** Whether the identity becomes theirs. */
  readonly isLinked: boolean;
  /** Roles in workspaces other than the default one; undefined removes the person from it. */
  readonly workspaces: readonly { readonly id: string; readonly role: WorkspaceRole | undefined }[];
  readonly events: readonly OrganizationEvent[];
}

type RefusalReason = 'not_invited' | 'not_linked' | 'unverified' | 'deactivated';

/** The provider knows the person, but they may not sign in here. */
export class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/**
 * Decides which account an identity signs in to, and with which roles.
 *
 * An identity that is linked always means the same person, whatever its address is now. A new one
 * is linked to the member who has its verified address, unless they have another identity of the
 * same issuer: then the address has been given to somebody else. A member who has signed in or used
 * a key before is linked only if the address is in the provider's domains, so that a second
 * provider cannot take accounts over. Addresses in these domains also get an account. Throws
 * `SignInRefusal` otherwise.
 */
export function acceptIdentity(
  identity: ProvenIdentity,
  policy: IdentityPolicy,
  known: KnownIdentity,
  at: string,
): IdentityChange {
  const account = findAccount(identity, policy, known, at);
  const { current, member, isLinked } = account;
  if (member.deactivatedAt !== null)
    throw new SignInRefusal('deactivated', `the account of ${member.email} is deactivated`);
  const { provider } = policy;
  const { issuer, subject } = identity;
  const linked = isLinked
    ? [accountEvent('account.identity_linked', member, { provider, issuer, subject })]
    : [];
  const roles = groupRolesOf(identity, policy);
  const workspaces = workspacesOf(account, known);
  const access = roles && applyGroupRoles(member, workspaces, roles, provider, known.isLastAdmin, at);
  return {
    current,
    member: access?.member ?? member,
    isLinked,
    workspaces: access?.workspaces ?? [],
    events: [...account.events, ...linked, ...(access?.events ?? [])],
  };
}

/** The roles that the groups decide; undefined if they decide nothing. */
export function groupRolesOf(
  { groups }: ProvenIdentity,
  { groups: mappings }: IdentityPolicy,
): GroupRoles | undefined {
  return groups === undefined || mappings.length === 0 ? undefined : rolesOfGroups(mappings, groups);
}

type FoundAccount = Omit<IdentityChange, 'workspaces'>;

function findAccount(
  identity: ProvenIdentity,
  { domains }: IdentityPolicy,
  { owner, addressee, addresseeIssuers, hasAddresseeBeenActive, isProvisioned }: KnownIdentity,
  at: string,
): FoundAccount {
  if (isMember(owner))
    return { current: owner, isLinked: false, ...named(owner, identity, isProvisioned, at) };
  const { issuer, email, isEmailVerified } = identity;
  if (email === undefined || !isEmailVerified)
    throw new SignInRefusal('unverified', `the provider has not verified the address ${email ?? '(none)'}`);
  if (owner === undefined && addresseeIssuers.includes(issuer))
    throw new SignInRefusal('not_invited', `another identity of this provider belongs to ${email}`);
  const isInDomain = domains.includes(domainOf(email));
  if (owner === undefined && isMember(addressee)) {
    if (!isInDomain && (hasAddresseeBeenActive || addresseeIssuers.length > 0))
      throw new SignInRefusal(
        'not_linked',
        `${email} signs in another way, and its domain is not listed for the provider`,
      );
    return { current: addressee, isLinked: true, ...named(addressee, identity, isProvisioned, at) };
  }
  if (!isInDomain)
    throw new SignInRefusal(
      'not_invited',
      `${email} is not a member, and its domain is not listed for the provider`,
    );
  const existing = owner ?? addressee;
  const { firstName, lastName } = identity;
  // Somebody who was a member before keeps the name they had.
  const names = existing === undefined ? { firstName, lastName } : {};
  const person = { email, role: 'org:member', workspaceRole: 'viewer', ...names } as const;
  const { next, events } = joinOrganization(person, existing, at);
  if (next === null) throw new Error('joining an organization removed the member');
  return { current: existing, member: next, isLinked: owner === undefined, events };
}

/**
 * Gives a member without a name the one that the provider knows. SCIM decides about the names of
 * its users, and would remove this one again.
 */
function named(
  member: Member,
  { firstName, lastName }: ProvenIdentity,
  isProvisioned: boolean,
  at: string,
): Pick<FoundAccount, 'member' | 'events'> {
  const keepsName = isProvisioned || member.firstName !== '' || member.lastName !== '';
  const change = keepsName ? undefined : editMember({ firstName, lastName })(member, false, at);
  return { member: change?.next ?? member, events: change?.events ?? [] };
}

/** A person who joins has the role that `joinOrganization` gives them, and no others. */
function workspacesOf(
  { current, member }: FoundAccount,
  { workspaces }: KnownIdentity,
): readonly NamedWorkspace[] {
  if (isMember(current)) return workspaces;
  return workspaces.map((workspace) => ({
    ...workspace,
    role: workspace.isDefault ? member.workspaceRole : undefined,
  }));
}

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}
