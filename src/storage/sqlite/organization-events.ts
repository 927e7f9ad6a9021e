import type { DatabaseSync } from 'node:sqlite';
import type { OrganizationEvent } from '../../core/organization/organization-event.ts';
import type { Author } from '../../core/presets/preset-event.ts';

/** Writes audit events that do not belong to a preset, inside an open transaction. */
type WriteEvents = (
  organizationId: string,
  author: Author,
  at: string,
  events: readonly OrganizationEvent[],
) => void;

export function prepareWriteEvents(database: DatabaseSync): WriteEvents {
  const insert = database.prepare(
    `INSERT INTO audit_events (
       id, organization_id, workspace_id, kind, actor_id, key_label, subject_id, subject_name, before, after, created_at
     ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  return (organizationId, { userId, keyLabel }, at, events) => {
    for (const { id, kind, workspaceId, subject, before, after } of events) {
      const columns = [id, organizationId, workspaceId, kind, userId, keyLabel, subject.id, subject.name];
      insert.run(...columns, before && JSON.stringify(before), after && JSON.stringify(after), at);
    }
  };
}
