import type { EventValues } from '../event.ts';
import type { Member } from '../organization/organization.ts';
import { type OrganizationEvent, organizationEvent } from '../organization/organization-event.ts';
import type { OrganizationEventKind } from '../organization/organization-event-kinds.ts';
import type { Session } from './account.ts';

/** The events of accounts. Their subject is the person, whoever caused them. */
export function accountEvent(
  kind: OrganizationEventKind,
  { id, email }: Pick<Member, 'id' | 'email'>,
  after: EventValues | null = null,
): OrganizationEvent {
  return organizationEvent(kind, null, { id, name: email }, null, after);
}

/** None if no session ended. */
export function sessionsEnded(
  ended: readonly Session[],
  person: Pick<Member, 'id' | 'email'>,
): readonly OrganizationEvent[] {
  if (ended.length === 0) return [];
  return [accountEvent('account.sessions_ended', person, { sessions: ended.length })];
}
