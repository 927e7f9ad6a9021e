import type { OrganizationEvent } from '../../core/organization/organization-event.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import { type Query, statement } from './query.ts';

/** Writes audit events that do not belong to a preset, inside an open transaction. */
export async function writeEvents(
  query: Query,
  organizationId: string,
  { userId, keyLabel }: Author,
  at: string,
  events: readonly OrganizationEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const column = <T>(select: (event: OrganizationEvent) => T) => events.map(select);
  await query(insertEvents, [
    ...[organizationId, userId, keyLabel, at],
    column((event) => event.id),
    column((event) => event.workspaceId),
    column((event) => event.kind),
    column((event) => event.subject.id),
    column((event) => event.subject.name),
    column((event) => event.before && JSON.stringify(event.before)),
    column((event) => event.after && JSON.stringify(event.after)),
  ]);
}

const insertEvents = statement(
  'insert-organization-events',
  `INSERT INTO audit_events (
     id, organization_id, workspace_id, kind, actor_id, key_label, subject_id, subject_name, before, after, created_at
   )
   SELECT e.id, $1, e.workspace_id, e.kind, $2, $3, e.subject_id, e.subject_name, e.before::json, e.after::json, $4
   FROM unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
     AS e (id, workspace_id, kind, subject_id, subject_name, before, after)`,
);
