import { PresetdError } from '../errors.ts';
import type { EventValues } from '../event.ts';
import type { GroupMapping } from '../organization/group-roles.ts';
import type { Member } from '../organization/organization.ts';
import {
  changeEvents,
  type OrganizationChange,
  type OrganizationEvent,
  organizationEvent,
} from '../organization/organization-event.ts';
import type { OrganizationEventKind } from '../organization/organization-event-kinds.ts';
import type { GroupReference } from './provisioned-user.ts';

/** A group of an identity provider. */
export interface ProvisionedGroup extends GroupReference {
  readonly externalId: string | null;
  /** By user id; empty if the group was read without its members. */
  readonly members: readonly GroupMember[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type GroupMember = Pick<Member, 'id' | 'email'>;

/** A group as the provider describes it. */
export interface GroupInput {
  readonly displayName: string;
  readonly externalId: string | null;
  readonly memberIds: readonly string[];
}

type ProvisionedGroupChange = OrganizationChange<ProvisionedGroup>;

/**
 * Creates, changes or, with null, deletes a group. `users` has the provisioned users among the new
 * members; throws `invalid_request` if one is missing.
 */
export function changeGroup(
  current: ProvisionedGroup | undefined,
  input: GroupInput | null,
  users: ReadonlyMap<string, GroupMember>,
  newId: string,
  at: string,
): ProvisionedGroupChange | undefined {
  if (input === null) return current && { at, next: null, events: [deleted(current)] };
  const { displayName, externalId } = input;
  const members = membersOf(input, current, users);
  const changed: ProvisionedGroup = {
    id: current?.id ?? newId,
    displayName,
    externalId,
    members,
    createdAt: current?.createdAt ?? at,
    updatedAt: current?.updatedAt ?? at,
  };
  if (JSON.stringify(changed) === JSON.stringify(current)) return undefined;
  const next = { ...changed, updatedAt: at };
  return { at, next, events: groupEvents(current, next) };
}

/**
 * The ids of users whose roles can change: those who join or leave a group that the settings name,
 * and everyone if it is renamed. Other groups mean nothing to presetd.
 */
export function affectedUsers(
  current: ProvisionedGroup | undefined,
  next: ProvisionedGroup | null,
  mappings: readonly GroupMapping[],
): readonly string[] {
  const isMapped = mappings.some(({ name }) => name === current?.displayName || name === next?.displayName);
  if (!isMapped) return [];
  const before = current?.members ?? [];
  const after = next?.members ?? [];
  const isRenamed = current?.displayName !== next?.displayName;
  const { joined, left } = difference(before, after);
  const affected = isRenamed ? [...before, ...after] : [...joined, ...left];
  return [...new Set(affected.map(({ id }) => id))];
}

/** For stores, which learn from a unique index that a name or an id is in use. */
export function groupTaken(): PresetdError {
  return new PresetdError('conflict', 'Another group has this displayName or externalId.');
}

function membersOf(
  { memberIds }: GroupInput,
  current: ProvisionedGroup | undefined,
  users: ReadonlyMap<string, GroupMember>,
): readonly GroupMember[] {
  const known = new Map([
    ...(current?.members ?? []).map((member) => [member.id, member] as const),
    ...users,
  ]);
  return [...new Set(memberIds)].toSorted().map((id) => {
    const member = known.get(id);
    if (member === undefined)
      throw new PresetdError('invalid_request', `members: ${id} is not the id of a provisioned user.`);
    return member;
  });
}

function groupEvents(
  current: ProvisionedGroup | undefined,
  next: ProvisionedGroup,
): readonly OrganizationEvent[] {
  const { joined, left } = difference(current?.members ?? [], next.members);
  return [
    ...headEvents(current, next),
    ...joined.map((member) => groupEvent('group.member_added', next, null, memberValues(member))),
    ...left.map((member) => groupEvent('group.member_removed', next, memberValues(member), null)),
  ];
}

function headEvents(
  current: ProvisionedGroup | undefined,
  next: ProvisionedGroup,
): readonly OrganizationEvent[] {
  if (current === undefined) return [groupEvent('group.created', next, null, groupValues(next))];
  return changeEvents([['group.renamed', groupValues(current), groupValues(next)]], (kind, before, after) =>
    groupEvent(kind, current, before, after),
  );
}

function deleted(group: ProvisionedGroup): OrganizationEvent {
  return groupEvent('group.deleted', group, groupValues(group), null);
}

function difference(before: readonly GroupMember[], after: readonly GroupMember[]) {
  const without = (members: readonly GroupMember[], others: readonly GroupMember[]) => {
    const ids = new Set(others.map(({ id }) => id));
    return members.filter(({ id }) => !ids.has(id));
  };
  return { joined: without(after, before), left: without(before, after) };
}

function groupEvent(
  kind: OrganizationEventKind,
  { id, displayName }: GroupReference,
  before: EventValues | null,
  after: EventValues | null,
): OrganizationEvent {
  return organizationEvent(kind, null, { id, name: displayName }, before, after);
}

function groupValues({ displayName, externalId }: ProvisionedGroup): EventValues {
  return { name: displayName, external_id: externalId };
}

function memberValues({ id, email }: GroupMember): EventValues {
  return { user_id: id, email };
}
