import type { OrganizationEventKind } from './audit-kinds.ts';
import { PresetdError } from './errors.ts';
import { newUserId } from './identifiers.ts';
import { alreadyMember, lastAdmin } from './member-errors.ts';
import type { Member, Role } from './organization.ts';
import {
  changeEvents,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from './organization-event.ts';
import type { EventValues } from './preset-event.ts';

/** What is given of a person; what is undefined leaves what is there. */
export interface MemberDetails {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly role?: Role | undefined;
}

export interface MemberInput extends MemberDetails {
  readonly email: string;
}

/** Somebody whom the database knows by this address, perhaps from before: then without a role. */
export interface ExistingUser extends Omit<Member, 'role'> {
  readonly role: Role | null;
}

export type MemberChange = OrganizationChange<Member>;

/** A rule may not leave an organization without an admin, and so is told who is the last one. */
export type MemberRule = (current: Member, isLastAdmin: boolean, at: string) => MemberChange | undefined;

/** One for all who are to be added, in their order. */
export type MemberUpsertRule = (
  person: MemberInput,
  known: ExistingUser | undefined,
  isLastAdmin: boolean,
) => MemberChange | undefined;

export function editMember(wanted: MemberDetails): MemberRule {
  return (current, isLastAdmin, at) => {
    const { firstName = current.firstName, lastName = current.lastName, role = current.role } = wanted;
    const next = { ...current, firstName, lastName, role };
    if (isLastAdmin && role !== 'org:admin') throw lastAdmin(current.email);
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
  if (isLastAdmin) throw lastAdmin(current.email);
  return { at, next: null, events: [memberEvent('member.removed', current, factsOf(current), null)] };
};

/** A known address joins as the user it already is. */
export function joinOrganization(
  person: MemberInput,
  known: ExistingUser | undefined,
  at: string,
): MemberChange {
  const next: Member = {
    id: known?.id ?? newUserId(),
    email: known?.email ?? person.email,
    firstName: person.firstName ?? known?.firstName ?? '',
    lastName: person.lastName ?? known?.lastName ?? '',
    role: person.role ?? 'org:member',
  };
  return { at, next, events: [memberEvent('member.added', next, null, factsOf(next))] };
}

export function addMember(at: string): MemberUpsertRule {
  return (person, known) => {
    if (known?.role) throw alreadyMember(known.email);
    return joinOrganization(person, known, at);
  };
}

export type MemberImportOutcome = 'added' | 'unchanged' | 'updated' | 'differs' | 'refused';

export interface MemberImportResult {
  readonly email: string;
  readonly outcome: MemberImportOutcome;
  readonly message?: string;
}

/** Adds those who are missing, tells of the others, and changes them only where that is asked for. */
export function importMembers(
  updateExisting: boolean,
  at: string,
  tell: (result: MemberImportResult) => void,
): MemberUpsertRule {
  return (person, known, isLastAdmin) => {
    const { email } = person;
    const told = (outcome: MemberImportOutcome, change?: MemberChange) => {
      tell({ email, outcome });
      return change;
    };
    if (!isMember(known)) return told('added', joinOrganization(person, known, at));
    try {
      const change = editMember(person)(known, updateExisting && isLastAdmin, at);
      if (change === undefined) return told('unchanged');
      return updateExisting ? told('updated', change) : told('differs');
    } catch (error) {
      if (!(error instanceof PresetdError)) throw error;
      tell({ email, outcome: 'refused', message: error.message });
      return undefined;
    }
  };
}

function isMember(known: ExistingUser | undefined): known is Member {
  return known !== undefined && known.role !== null;
}

function memberEvent(
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

function factsOf(member: Member): EventValues {
  return { email: member.email, ...namesOf(member), role: member.role };
}
