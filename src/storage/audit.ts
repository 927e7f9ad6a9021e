import type { AuditEvent, AuditStore } from '../core/audit/audit-storage.ts';
import type { Author } from '../core/event.ts';
import { normalizeEmail } from '../core/organization/organization.ts';
import type { OrganizationEvent } from '../core/organization/organization-event.ts';
import { isUuid } from '../core/organization/workspace.ts';
import { auditShapeOf, auditValues, listAudit } from './audit-list.ts';
import type { Database, Query } from './database.ts';
import { presetByNameStatement } from './read-presets.ts';
import { type Statement, statement, type Value } from './statement.ts';
import { insertInto, typed } from './write-rows.ts';

interface FoundRow {
  readonly id: string;
}

/** Former members keep their row in `users`, so their events can still be found. */
const findUser = statement<FoundRow>(
  'find-user',
  'SELECT id FROM users WHERE id = $1 UNION SELECT id FROM users WHERE email_key = $2 LIMIT 1',
);

/**
 * Finds a deleted workspace by id, but not by slug: its slug may belong to another one by now.
 * Excludes tombstone slugs instead of testing `deleted_at`, for which PostgreSQL would read all
 * workspaces in order.
 */
const findAnyWorkspace = statement<FoundRow>(
  'find-any-workspace',
  `SELECT id FROM workspaces WHERE organization_id = $1 AND id = $2
   UNION ALL SELECT id FROM workspaces WHERE organization_id = $1 AND slug = $3 AND slug NOT LIKE '~%'`,
);

export function auditStore({ query }: Database): AuditStore {
  const find = async (statement: Statement<FoundRow>, values: readonly Value[]) =>
    (await query(statement, values))[0]?.id;
  return {
    list: (organizationId, filter, limit) =>
      query(listAudit[auditShapeOf(filter)], auditValues(organizationId, filter, limit)),
    findActor: (idOrEmail) => find(findUser, [idOrEmail, normalizeEmail(idOrEmail)]),
    findWorkspace(organizationId, idOrSlug) {
      const id = isUuid(idOrSlug) ? idOrSlug.toLowerCase() : null;
      return find(findAnyWorkspace, [organizationId, id, idOrSlug]);
    },
    findPreset: (workspaceId, slug) => find(presetByNameStatement, [workspaceId, slug]),
  };
}

/** Writes audit events that do not belong to a preset, inside an open transaction. */
export async function writeEvents(
  query: Query,
  organizationId: string,
  { userId, keyLabel }: Author,
  at: string,
  events: readonly OrganizationEvent[],
): Promise<void> {
  const common = { organizationId, actorId: userId, keyLabel, createdAt: at, presetId: null, number: null };
  const rows = events.map(({ subject, ...event }) => {
    return { ...event, ...common, subjectId: subject.id, subjectName: subject.name };
  });
  await insertEvents(query, rows);
}

/** An event of a preset has its id and a number; any other has a subject. */
export interface StoredEvent
  extends Omit<AuditEvent, 'workspaceName' | 'workspaceSlug' | 'subject' | 'actorEmail'> {
  readonly organizationId: string;
  readonly presetId: string | null;
  readonly number: number | null;
  readonly subjectId: string | null;
  readonly subjectName: string | null;
}

export const insertEvents = insertInto<StoredEvent>('insert-events', 'audit_events', {
  ...typed('uuid', 'id', 'organizationId', 'workspaceId', 'presetId'),
  ...typed('text', 'kind', 'actorId', 'keyLabel', 'subjectId', 'subjectName'),
  ...typed('json', 'before', 'after'),
  number: 'integer',
  createdAt: 'timestamptz',
});
