import type { AuditKind, OrganizationEventKind } from './audit-kinds.ts';
import { newId } from './identifiers.ts';
import type { EventValues } from './preset-event.ts';

/** One change of an organization as the rules see it; who made it, and when, is known to those who write it down. */
export interface OrganizationEvent {
  readonly id: string;
  readonly kind: OrganizationEventKind;
  /** Null for what concerns the organization as a whole. */
  readonly workspaceId: string | null;
  readonly subject: EventSubject;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
}

/** What an event is about, by a name that people know it by. */
export interface EventSubject {
  readonly id: string;
  readonly name: string;
}

/** What a rule makes of a part of an organization: how it is then, null when it is gone, and what is to be told of it. */
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

/** An event for each of these that is not the same before and after. */
export function changeEvents(
  candidates: readonly Difference[],
  event: (...difference: Difference) => OrganizationEvent,
): readonly OrganizationEvent[] {
  return candidates
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after))
    .map((difference) => event(...difference));
}

/** Any event of an organization, presets included. */
export interface AuditEvent {
  readonly id: string;
  readonly kind: AuditKind;
  readonly workspaceId: string | null;
  /** The present name; for a deleted workspace, the last one. */
  readonly workspaceName: string | null;
  /** The present slug; null when the workspace was deleted. */
  readonly workspaceSlug: string | null;
  readonly subject: EventSubject;
  readonly actorId: string;
  readonly actorEmail: string | null;
  /** Null for what was done without a key. */
  readonly keyLabel: string | null;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
  readonly createdAt: string;
}
