import { PresetdError } from '../errors.ts';
import type { EventValues } from '../event.ts';
import { newUserId } from '../identifiers.ts';
import { type Member, normalizeEmail, type Role } from './organization.ts';
import {
  changeEvents,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from './organization-event.ts';
import type { OrganizationEventKind } from './organization-event-kinds.ts';
import type { WorkspaceRole } from './workspace-role.ts';

/** Details of a member. An undefined field keeps the current value. */
export interface MemberDetails {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly role?: Role | undefined;
}

/** An undefined field keeps the current value. */
export interface MemberEdit extends MemberDetails {
  readonly email?: string | undefined;
}

export interface MemberInput extends MemberDetails {
  readonly email: string;
  /** The role of a new member in the default workspace. */
  readonly workspaceRole?: WorkspaceRole | undefined;
}

/**
 * A user that the database knows by this address. The role is null if they are not a member of the
 * organization, for example because they left it or belong to another one.
 */
export interface ExistingUser extends Omit<Member, 'role' | 'workspaceRole'> {
  readonly role: Role | null;
  readonly workspaceRole: WorkspaceRole | null;
}

export type MemberChange = OrganizationChange<Member>;

/**
 * Pure rules: each takes a member and returns the change to store, or undefined if nothing changes.
 * They must not leave the organization without an active admin: `isLastAdmin` is true for the last
 * one, and never for a deactivated one.
 */
export type MemberRule = (current: Member, isLastAdmin: boolean, at: string) => MemberChange | undefined;

/**
 * Decides on one person to be added or updated, given what the database knows about their address.
 */
export type MemberUpsertRule = (
  person: MemberInput,
  existing: ExistingUser | undefined,
  isLastAdmin: boolean,
) => MemberChange | undefined;

export function editMember(changes: MemberDetails): MemberRule {
  return (current, isLastAdmin, at) => {
    const { firstName = current.firstName, lastName = current.lastName, role = current.role } = changes;
    const next = { ...current, firstName, lastName, role };
    if (isLastAdmin && role !== 'org:admin') throw new LastAdminError(current.email);
    const events = changeEvents(
      [
        ['member.renamed', namesOf(current), namesOf(next)],
        ['member.role_changed', { role: current.role }, { role }],
      ],
      (kind, before, after) => memberEvent(kind, current, before, after),
    );
    return events.length === 0 ? undefined : { at, next, events };
  };
}

export const removeMember: MemberRule = (current, isLastAdmin, at) => {
  if (isLastAdmin) throw new LastAdminError(current.email);
  return { at, next: null, events: [memberEvent('member.removed', current, auditValues(current), null)] };
};

/** The store deletes the sessions and sign-in links of a member who is deactivated. */
export const deactivateMember: MemberRule = (current, isLastAdmin, at) => {
  if (current.deactivatedAt !== null) return undefined;
  if (isLastAdmin) throw new LastAdminError(current.email);
  const next = { ...current, deactivatedAt: at };
  return {
    at,
    next,
    events: [memberEvent('member.deactivated', current, { active: true }, { active: false })],
  };
};

export const reactivateMember: MemberRule = (current, _isLastAdmin, at) => {
  if (current.deactivatedAt === null) return undefined;
  const next = { ...current, deactivatedAt: null };
  return {
    at,
    next,
    events: [memberEvent('member.reactivated', current, { active: false }, { active: true })],
  };
};

/**
 * The store throws `emailTaken` if another user has the address, and `sharedEmail` if the person
 * also belongs to another organization.
 */
export function changeEmail(email: string): MemberRule {
  return (current, _isLastAdmin, at) => {
    if (email === current.email) return undefined;
    const event = memberEvent('member.email_changed', current, { email: current.email }, { email });
    return { at, next: { ...current, email }, events: [event] };
  };
}

/** Changes details and address as one change. */
export function changeMember({ email, ...details }: MemberEdit): MemberRule {
  return allOf([editMember(details), ...(email === undefined ? [] : [changeEmail(email)])]);
}

/** Applies rules one after the other, as one change. */
export function allOf(rules: readonly MemberRule[]): MemberRule {
  return (current, isLastAdmin, at) => {
    let next = current;
    const events: OrganizationEvent[] = [];
    for (const rule of rules) {
      const change = rule(next, isLastAdmin, at);
      if (change === undefined) continue;
      events.push(...change.events);
      if (change.next === null) return { at, next: null, events };
      next = change.next;
    }
    return events.length === 0 ? undefined : { at, next, events };
  };
}

/**
 * Makes someone a member. A user who is already known by the address keeps their id, so that their
 * earlier versions and events stay theirs.
 */
export function joinOrganization(
  person: MemberInput,
  existing: ExistingUser | undefined,
  at: string,
): MemberChange {
  const next: Member = {
    id: existing?.id ?? newUserId(),
    email: existing?.email ?? person.email,
    firstName: person.firstName ?? existing?.firstName ?? '',
    lastName: person.lastName ?? existing?.lastName ?? '',
    role: person.role ?? 'org:member',
    workspaceRole: person.workspaceRole ?? 'admin',
    deactivatedAt: null,
  };
  return { at, next, events: [memberEvent('member.added', next, null, auditValues(next))] };
}

/** Adds someone; throws `conflict` if they are already a member. */
export function addMember(at: string): MemberUpsertRule {
  return (person, existing) => {
    if (existing?.role) throw alreadyMember(existing.email);
    return joinOrganization(person, existing, at);
  };
}

/** `differs`: an existing member has other details, and the import does not update. */
type MemberImportOutcome = 'added' | 'unchanged' | 'updated' | 'differs' | 'refused';

export interface MemberImportResult {
  readonly email: string;
  readonly outcome: MemberImportOutcome;
  readonly message?: string;
}

/**
 * Adds missing members. Existing members are updated only with `updateExisting`. `report` gets the
 * outcome for every person; a person who cannot be changed is reported instead of failing the
 * import.
 */
export function importMembers(
  updateExisting: boolean,
  at: string,
  report: (result: MemberImportResult) => void,
): MemberUpsertRule {
  return (person, existing, isLastAdmin) => {
    const { email } = person;
    const reported = (outcome: MemberImportOutcome, change?: MemberChange) => {
      report({ email, outcome });
      return change;
    };
    if (!isMember(existing)) return reported('added', joinOrganization(person, existing, at));
    try {
      const change = editMember(person)(existing, updateExisting && isLastAdmin, at);
      if (change === undefined) return reported('unchanged');
      return updateExisting ? reported('updated', change) : reported('differs');
    } catch (error) {
      if (!(error instanceof PresetdError)) throw error;
      report({ email, outcome: 'refused', message: error.message });
      return undefined;
    }
  };
}

/** One person to be added or updated: their state before, and the change decided on, if any. */
interface JoinDecision {
  readonly existing: ExistingUser | undefined;
  readonly change: MemberChange | undefined;
}

/**
 * Applies the rule to each person in order, counting active admins as it goes: an import that
 * demotes several admins must stop at the last one. It is enough to count one admin more than there
 * are people.
 */
export function decideJoins(
  people: readonly MemberInput[],
  existing: readonly ExistingUser[],
  admins: number,
  decide: MemberUpsertRule,
): readonly JoinDecision[] {
  const byEmail = new Map(existing.map((user) => [normalizeEmail(user.email), user]));
  let adminsLeft = admins;
  return people.map((person) => {
    const current = byEmail.get(normalizeEmail(person.email));
    const wasAdmin = isActiveAdmin(current);
    const change = decide(person, current, wasAdmin && adminsLeft === 1);
    if (change !== undefined) adminsLeft += Number(isActiveAdmin(change.next)) - Number(wasAdmin);
    return { existing: current, change };
  });
}

/** The member after the decided change; undefined for someone who is not a member. */
export function memberAfter({ existing, change }: JoinDecision): Member | undefined {
  if (change !== undefined) return change.next ?? undefined;
  return isMember(existing) ? existing : undefined;
}

/** Deactivated admins do not count towards the last one. */
export function isActiveAdmin(user: ExistingUser | null | undefined): boolean {
  return user?.role === 'org:admin' && user.deactivatedAt === null;
}

export function isMember(user: ExistingUser | undefined): user is Member {
  return user !== undefined && user.role !== null && user.workspaceRole !== null;
}

export function memberEvent(
  kind: OrganizationEventKind,
  { id, email }: Member,
  before: EventValues | null,
  after: EventValues | null,
): OrganizationEvent {
  return organizationEvent(kind, null, { id, name: email }, before, after);
}

function namesOf({ firstName, lastName }: Member): EventValues {
  return { first_name: firstName, last_name: lastName };
}

function auditValues(member: Member): EventValues {
  return { email: member.email, ...namesOf(member), role: member.role };
}

/** For stores, which learn from a unique index that the address is in use. */
export function emailTaken(email: string): PresetdError {
  const address = normalizeEmail(email);
  return new EmailConflictError(
    'conflict',
    `Another user, possibly a former member, has the address ${address}. Add ${address} as a member instead, or choose another address.`,
  );
}

/**
 * For stores. An invitation to an address signs in to its account, so the admins of one
 * organization must not change an address for another.
 */
export function sharedEmail(email: string): PresetdError {
  return new EmailConflictError(
    'forbidden',
    `The address of ${email} is managed outside this organization and cannot be changed here. Ask the operator.`,
  );
}

function alreadyMember(email: string): PresetdError {
  return new PresetdError('conflict', `${email} is already a member of the organization.`);
}

/** Its own class, because SCIM deactivates people whose address cannot change. */
export class EmailConflictError extends PresetdError {}

/** Its own class, because SCIM distinguishes it from other conflicts. */
export class LastAdminError extends PresetdError {
  constructor(email: string) {
    super('conflict', `${email} is the last org:admin. Add another one first.`);
  }
}
