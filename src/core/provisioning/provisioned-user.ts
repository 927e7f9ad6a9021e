import { PresetdError } from '../errors.ts';
import type { EventValues } from '../event.ts';
import {
  allOf,
  changeEmail,
  deactivateMember,
  type ExistingUser,
  editMember,
  isMember,
  joinOrganization,
  type MemberChange,
  type MemberRule,
  memberEvent,
  reactivateMember,
  removeMember,
} from '../organization/member-change.ts';
import type { Member } from '../organization/organization.ts';
import { changeEvents, type OrganizationChange } from '../organization/organization-event.ts';

/** A member whom an identity provider manages through SCIM. */
export interface ProvisionedUser {
  readonly member: Member;
  /** Unique in the organization, in any case and normal form. */
  readonly userName: string;
  /** The provider's own id for the user, also unique; null if it sends none. */
  readonly externalId: string | null;
  readonly attributes: UserAttributes;
  /** By name. */
  readonly groups: readonly GroupReference[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Attributes that presetd only stores, because the provider expects to read what it wrote. */
interface UserAttributes {
  /** One of them is the address of the member. */
  readonly emails: readonly UserEmail[];
  readonly displayName?: string | undefined;
  readonly formattedName?: string | undefined;
  readonly title?: string | undefined;
}

export interface UserEmail {
  readonly value: string;
  readonly type?: string | undefined;
  readonly primary?: boolean | undefined;
}

export interface GroupReference {
  readonly id: string;
  readonly displayName: string;
}

/** A user as the provider describes them. */
export interface UserInput {
  readonly userName: string;
  readonly externalId: string | null;
  readonly email: string;
  /** Undefined if the provider sends no name: a new user keeps the one that presetd knows. */
  readonly firstName: string | undefined;
  readonly lastName: string | undefined;
  /** Undefined if the provider does not say: only an explicit true reactivates someone. */
  readonly isActive: boolean | undefined;
  readonly attributes: UserAttributes;
}

export type ProvisionedUserChange = OrganizationChange<ProvisionedUser>;

/**
 * Makes a person a member, or adopts the member who has their address. Throws `conflict` for one
 * who is provisioned already.
 */
export function provisionUser(
  input: UserInput,
  existing: ExistingUser | undefined,
  isProvisioned: boolean,
  isLastAdmin: boolean,
  at: string,
): ProvisionedUserChange {
  if (isProvisioned) throw userTaken();
  const { userName, externalId, attributes } = input;
  const joined = isMember(existing) ? undefined : joinAsViewer(input, existing, at);
  const current = joined?.next ?? existing;
  if (!isMember(current)) throw new Error('a person who joined is not a member');
  const change = matchUser(input, current.firstName, current.lastName)(current, isLastAdmin, at);
  const member = change?.next ?? current;
  return {
    at,
    next: { member, userName, externalId, attributes, groups: [], createdAt: at, updatedAt: at },
    events: [
      ...(joined?.events ?? []),
      ...(change?.events ?? []),
      memberEvent('member.provisioned', member, null, identifiers(input)),
    ],
  };
}

/**
 * Replaces everything that the provider manages. The address changes only if the provider sends
 * a different one: one that an admin has corrected stays.
 */
export function changeUser(
  input: UserInput,
  current: ProvisionedUser,
  isLastAdmin: boolean,
  at: string,
): ProvisionedUserChange | undefined {
  const email = input.email === emailOf(current) ? current.member.email : input.email;
  const change = matchUser({ ...input, email }, '', '')(current.member, isLastAdmin, at);
  const { userName, externalId, attributes } = input;
  const member = change?.next ?? current.member;
  const next = { ...current, member, userName, externalId, attributes };
  if (JSON.stringify(next) === JSON.stringify(current)) return undefined;
  const renamed = changeEvents(
    [['member.provisioned', identifiers(current), identifiers(input)]],
    (kind, before, after) => memberEvent(kind, member, before, after),
  );
  return { at, next: { ...next, updatedAt: at }, events: [...(change?.events ?? []), ...renamed] };
}

/** Deactivates the member and changes nothing else. */
export function deactivateUser(
  current: ProvisionedUser,
  isLastAdmin: boolean,
  at: string,
): ProvisionedUserChange | undefined {
  const { next: member, events = [] } = deactivateMember(current.member, isLastAdmin, at) ?? {};
  return member ? { at, next: { ...current, member, updatedAt: at }, events } : undefined;
}

/** Removes the member from the organization. */
export function removeUser(
  { member }: ProvisionedUser,
  isLastAdmin: boolean,
  at: string,
): ProvisionedUserChange {
  return { at, next: null, events: removeMember(member, isLastAdmin, at)?.events ?? [] };
}

/** For stores, which learn from a unique index that a name or an id is in use. */
export function userTaken(): PresetdError {
  return new PresetdError(
    'conflict',
    'A user with this userName, externalId or email address is already provisioned.',
  );
}

/** The address that the provider gives to a user. */
export function emailOf({ userName, attributes }: Pick<UserInput, 'userName' | 'attributes'>): string {
  const { emails } = attributes;
  const chosen =
    emails.find(({ primary }) => primary === true) ??
    emails.find(({ type }) => type?.toLowerCase() === 'work') ??
    emails[0];
  return chosen?.value ?? userName;
}

function joinAsViewer(
  { email, firstName, lastName }: UserInput,
  existing: ExistingUser | undefined,
  at: string,
): MemberChange {
  return joinOrganization({ email, firstName, lastName, workspaceRole: 'viewer' }, existing, at);
}

/** Updates a member to match the user. The default names are for a user without one. */
function matchUser(
  { email, firstName, lastName, isActive }: UserInput,
  defaultFirstName: string,
  defaultLastName: string,
): MemberRule {
  return allOf([
    editMember({ firstName: firstName ?? defaultFirstName, lastName: lastName ?? defaultLastName }),
    changeEmail(email),
    ...(isActive === undefined ? [] : [isActive ? reactivateMember : deactivateMember]),
  ]);
}

function identifiers({ userName, externalId }: Pick<UserInput, 'userName' | 'externalId'>): EventValues {
  return { user_name: userName, external_id: externalId };
}
