import type { EventValues } from '../event.ts';
import { newId } from '../identifiers.ts';
import type { OrganizationEventKind } from './organization-event-kinds.ts';

/** An event as a rule creates it. The store adds the actor and the time. */
export interface OrganizationEvent {
  readonly id: string;
  readonly kind: OrganizationEventKind;
  /** Null for an event of the organization as a whole. */
  readonly workspaceId: string | null;
  readonly subject: EventSubject;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
}

/**
 * The thing that changed, with a name that people recognize: a label, a slug or an email address.
 */
export interface EventSubject {
  readonly id: string;
  readonly name: string;
}

/** The result of a rule: the next state (null to delete) and the events to record. */
export interface OrganizationChange<T> {
  readonly at: string;
  readonly next: T | null;
  readonly events: readonly OrganizationEvent[];
}

export function organizationEvent(
  kind: OrganizationEventKind,
  workspaceId: string | null,
  subject: EventSubject,
  before: EventValues | null,
  after: EventValues | null,
): OrganizationEvent {
  return { id: newId(), kind, workspaceId, subject, before, after };
}

type Difference = readonly [kind: OrganizationEventKind, before: EventValues, after: EventValues];

/** Creates an event for each candidate whose value differs before and after. */
export function changeEvents(
  candidates: readonly Difference[],
  event: (...difference: Difference) => OrganizationEvent,
): readonly OrganizationEvent[] {
  return candidates
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after))
    .map((difference) => event(...difference));
}
