import { normalizeEmail } from '../../core/organization/organization.ts';
import type { OrganizationEvent } from '../../core/organization/organization-event.ts';
import type { AuditStore } from '../../core/organization/organization-storage.ts';
import { isUuid } from '../../core/organization/workspace.ts';
import type { Author } from '../../core/presets/preset-event.ts';
import {
  type AuditShape,
  auditListSql,
  auditShapeOf,
  auditShapes,
  auditValues,
  isScoped,
  type ScopedShape,
  scopedIndexes,
} from '../audit-list.ts';
import { type AuditRow, toAuditEvent } from '../organization-rows.ts';
import type { PostgresConnection, Query } from './connection.ts';
import { presetByNameStatement } from './preset-names.ts';
import { type Statement, statement } from './statement.ts';

/** One prepared statement per shape. */
const listAuditStatements: ReadonlyMap<AuditShape, Statement> = new Map(
  auditShapes.map((shape) => [
    shape,
    statement(`list-audit-by-${shape.replaceAll(' ', '-')}`, listAuditText(shape)),
  ]),
);

/**
 * Former members keep their row in `users`, so their events can still be found. A UNION of two
 * index lookups; with OR, PostgreSQL would read all users.
 */
const findUserStatement = statement(
  'find-user',
  'SELECT id FROM users WHERE id = $1 UNION SELECT id FROM users WHERE email_key = $2 LIMIT 1',
);

/**
 * Finds a deleted workspace by id, but not by slug: its slug may belong to another one by now.
 * Excludes tombstone slugs instead of testing `deleted_at`, for which the planner would read all
 * workspaces in order.
 */
const findAnyWorkspaceStatement = statement(
  'find-any-workspace',
  `SELECT id FROM workspaces WHERE organization_id = $1 AND id = $2
   UNION ALL SELECT id FROM workspaces WHERE organization_id = $1 AND slug = $3 AND slug NOT LIKE '~%'`,
);

export function postgresAudit(connection: PostgresConnection): AuditStore {
  const find = async (statement: Statement, values: readonly unknown[]) =>
    (await connection.query<{ id: string }>(statement, values))[0]?.id;
  return {
    async list(organizationId, filter, limit) {
      const list = listAuditStatements.get(auditShapeOf(filter));
      if (list === undefined) throw new Error('no statement for this audit filter');
      const values = auditValues(organizationId, filter, limit, (kinds) => kinds);
      return (await connection.query<AuditRow>(list, values)).map(toAuditEvent);
    },
    findActor: (idOrEmail) => find(findUserStatement, [idOrEmail, normalizeEmail(idOrEmail)]),
    findWorkspace: (organizationId, idOrSlug) =>
      find(findAnyWorkspaceStatement, [organizationId, isUuid(idOrSlug) ? idOrSlug : null, idOrSlug]),
    findPreset: (workspaceId, slug) => find(presetByNameStatement, [workspaceId, slug]),
  };
}

/** The statement text for a shape. */
function listAuditText(shape: AuditShape): string {
  if (isScoped(shape)) return scopedText(shape);
  switch (shape) {
    case 'all':
      return auditListSql(`audit_events WHERE organization_id = $1 AND ${rangeOf([])}`);
    case 'actor':
      return auditListSql(
        `audit_events WHERE organization_id = $1 AND ${rangeOf([['actor_id', '$7']])}`,
        'actor_id',
      );
    case 'actor and kinds':
      // Concatenating '' hides the filter from the planner, which would otherwise pick the index by
      // kind.
      return auditListSql(
        `audit_events WHERE organization_id = $1 AND kind || '' = ANY ($8) AND ${rangeOf([['actor_id', '$7']])}`,
        'actor_id',
      );
    case 'kinds':
      return auditListSql(
        mergedPage(
          'unnest($7::text[]) p (kind)',
          `organization_id = $1 AND ${rangeOf([['kind', 'p.kind']])}`,
        ),
      );
  }
}

/**
 * A range of an index, newest first. Columns with a single value are part of the bounds and the
 * order: without statistics about them, the planner would go by time alone and read every event.
 */
function rangeOf(columns: readonly (readonly [column: string, value: string])[]): string {
  const row = (current: readonly string[], at: 0 | 1) =>
    [...columns.map((each) => each[at]), ...current].join(', ');
  const key = row(['created_at', 'id'], 0);
  return `(${key}) >= (${row(['$2', '$3'], 1)}) AND (${key}) < (${row(['$4', '$5'], 1)})
    ORDER BY ${[...columns.map(([column]) => column), 'created_at', 'id'].map((each) => `${each} DESC`).join(', ')}
    LIMIT $6`;
}

/**
 * Finds each combination of the merged columns by stepping through the index (a loose index scan),
 * then reads a page of each.
 */
function scopedText(shape: ScopedShape): string {
  const { scope, hasActor, merged } = scopedIndexes[shape];
  const fixed = [[scope, '$7'], ...(hasActor ? [['actor_id', '$9']] : [])] as const;
  const scoped = fixed.map(([column, value]) => `${column} = ${value}`).join(' AND ');
  const columns = merged.join(', ');
  const current = merged.map((column) => `p.${column}`).join(', ');
  // Each step seeks the next combination, without reading the events in between.
  const combinations = `combinations (${columns}) AS (
    (SELECT ${columns} FROM audit_events WHERE ${scoped} ORDER BY ${columns} LIMIT 1)
    UNION ALL
    SELECT next.* FROM combinations p CROSS JOIN LATERAL (
      SELECT ${columns} FROM audit_events WHERE ${scoped} AND (${columns}) > (${current}) ORDER BY ${columns} LIMIT 1
    ) next
  )`;
  const selected = '(SELECT * FROM combinations WHERE $8::text[] IS NULL OR kind = ANY ($8)) p';
  const range = rangeOf(merged.map((column) => [column, `p.${column}`]));
  return `WITH RECURSIVE ${combinations} ${auditListSql(mergedPage(selected, `${scoped} AND ${range}`))}`;
}

function mergedPage(combinations: string, range: string): string {
  return `(
    SELECT merged.* FROM ${combinations} CROSS JOIN LATERAL (SELECT * FROM audit_events WHERE ${range}) merged
  ) merged WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $6`;
}

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
