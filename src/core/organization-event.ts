import { newId } from './identifiers.ts';
import { type EventKind, type EventValues, eventKinds } from './preset-event.ts';

export const organizationEventKinds = [
  'key.created',
  'key.renamed',
  'key.disabled',
  'key.enabled',
  'key.expiry_changed',
  'key.rotated',
  'key.deleted',
  'workspace.created',
  'workspace.renamed',
  'workspace.slug_changed',
  'workspace.described',
  'workspace.deleted',
  'workspace.member_added',
  'workspace.member_removed',
  'member.added',
  'member.renamed',
  'member.role_changed',
  'member.removed',
] as const;

export type OrganizationEventKind = (typeof organizationEventKinds)[number];

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
export function differences(
  candidates: readonly Difference[],
  event: (...difference: Difference) => OrganizationEvent,
): readonly OrganizationEvent[] {
  return candidates
    .filter(([, before, after]) => JSON.stringify(before) !== JSON.stringify(after))
    .map((difference) => event(...difference));
}

export type AuditKind = EventKind | OrganizationEventKind;

export const auditKinds: readonly AuditKind[] = [...eventKinds, ...organizationEventKinds];

/** The words before the dot. */
export const auditGroups: readonly string[] = [...new Set(auditKinds.map(groupOf))];

/** The kinds that are meant by one of them or by their group; undefined where there is none. */
export function auditKindsOf(kindOrGroup: string): readonly AuditKind[] | undefined {
  const found = auditKinds.filter((kind) => kind === kindOrGroup || groupOf(kind) === kindOrGroup);
  return found.length > 0 ? found : undefined;
}

function groupOf(kind: AuditKind): string {
  return kind.slice(0, kind.indexOf('.'));
}

/** Any event of an organization, presets included. */
export interface AuditEvent {
  readonly id: string;
  readonly kind: AuditKind;
  readonly workspaceId: string | null;
  readonly subject: EventSubject;
  readonly actorId: string;
  readonly actorEmail: string | null;
  /** Null for what was done without a key. */
  readonly keyLabel: string | null;
  readonly before: EventValues | null;
  readonly after: EventValues | null;
  readonly createdAt: string;
}
