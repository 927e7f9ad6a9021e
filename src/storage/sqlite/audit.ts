import type { DatabaseSync } from 'node:sqlite';
import { normalizeEmail } from '../../core/organization/organization.ts';
import type { OrganizationEvent } from '../../core/organization/organization-event.ts';
import type { AuditStore } from '../../core/organization/organization-storage.ts';
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
import { read } from './errors.ts';
import { presetByNameSql } from './preset-names.ts';
import { statement } from './statement.ts';

/** Former members keep their row in `users`, so their events can still be found. */
const findUserSql = statement('find-user', 'SELECT id FROM users WHERE id = ? OR email_key = ?');

/** Finds a deleted workspace by id, but not by slug: its slug may belong to another one by now. */
const findAnyWorkspaceSql = statement(
  'find-any-workspace',
  `SELECT id FROM workspaces
  WHERE organization_id = ?1 AND (id = lower(?2) OR (slug = ?2 AND deleted_at IS NULL))`,
);

/** The audit store. Statements for every shape are prepared when the database opens. */
export function sqliteAudit(database: DatabaseSync): AuditStore {
  const lists = new Map(
    auditShapes.map((shape) => [
      shape,
      database.prepare(statement(`list-audit-by-${shape.replaceAll(' ', '-')}`, listAuditSql(shape))),
    ]),
  );
  const find = (sql: string) => {
    const prepared = database.prepare(sql);
    return (...values: readonly string[]) => {
      const row = read(() => prepared.get(...values));
      return row === undefined ? undefined : String(row.id);
    };
  };
  const [findUser, findWorkspace, findPreset] = [
    find(findUserSql),
    find(findAnyWorkspaceSql),
    find(presetByNameSql),
  ];
  return {
    async list(organizationId, filter, limit) {
      const values = auditValues(organizationId, filter, limit, JSON.stringify);
      const rows = read(() => lists.get(auditShapeOf(filter))?.all(...values)) as unknown as AuditRow[];
      return rows.map(toAuditEvent);
    },
    findActor: async (idOrEmail) => findUser(idOrEmail, normalizeEmail(idOrEmail)),
    findWorkspace: async (organizationId, idOrSlug) => findWorkspace(organizationId, idOrSlug),
    findPreset: async (workspaceId, slug) => findPreset(workspaceId, slug),
  };
}

/** The time bounds and order that every shape shares; `auditValues` numbers the parameters. */
const inTimeRange = 'created_at >= ?2 AND (created_at, id) < (?4, ?5)';
const newestFirst = 'ORDER BY created_at DESC, id DESC LIMIT ?6';

/**
 * The statement for a shape. Unlike PostgreSQL, SQLite names the index for each range: left to
 * itself it may choose one that reads far more rows.
 */
function listAuditSql(shape: AuditShape): string {
  if (isScoped(shape)) return scopedSql(shape);
  // Without INDEXED BY, SQLite prefers two bounds on the primary key to an equality on actor or
  // kind, and reads every event in the time range.
  const byActor = 'audit_events INDEXED BY audit_events_by_actor';
  const ofActor = 'organization_id = ?1 AND actor_id = ?7';
  switch (shape) {
    case 'all':
      return auditListSql(`audit_events WHERE organization_id = ?1 AND ${inTimeRange} ${newestFirst}`);
    case 'actor':
      return auditListSql(`${byActor} WHERE ${ofActor} AND ${inTimeRange} ${newestFirst}`);
    case 'actor and kinds':
      return auditListSql(
        `${byActor} WHERE ${ofActor} AND ${inTimeRange} AND kind IN (SELECT value FROM json_each(?8)) ${newestFirst}`,
      );
    case 'kinds': {
      const range = `INDEXED BY audit_events_by_kind WHERE organization_id = ?1 AND kind = p.value`;
      return auditListSql(mergedPage('json_each(?7)', range));
    }
  }
}

/**
 * Finds each combination of the merged columns by stepping through the index (a loose index scan),
 * then reads a page of each.
 */
function scopedSql(shape: ScopedShape): string {
  const { index, scope, hasActor, merged } = scopedIndexes[shape];
  const range = `INDEXED BY ${index} WHERE ${scope} = ?7${hasActor ? ' AND actor_id = ?9' : ''}`;
  const columns = merged.join(', ');
  const firstRow = (condition: string) =>
    `(SELECT rowid FROM audit_events ${range}${condition} ORDER BY ${columns} LIMIT 1)`;
  // The next value of the last column, or else of the one before it. One comparison of row values
  // would do, but SQLite then enters the index at the row to exceed and reads every event of that
  // combination.
  const steps = merged.map((column, index) => {
    const same = merged.slice(0, index).map((each) => ` AND ${each} = p.${each}`);
    return firstRow(`${same.join('')} AND ${column} > p.${column}`);
  });
  const next = steps.length === 1 ? steps[0] : `coalesce(${steps.toReversed().join(', ')})`;
  const combinations = `combinations (${columns}) AS (
    SELECT ${columns} FROM audit_events WHERE rowid = ${firstRow('')}
    UNION ALL
    SELECT ${merged.map((column) => `next.${column}`).join(', ')}
    FROM combinations p CROSS JOIN audit_events next ON next.rowid = ${next}
  )`;
  const selected =
    '(SELECT * FROM combinations WHERE ?8 IS NULL OR kind IN (SELECT value FROM json_each(?8)))';
  const ofCombination = merged.map((column) => `AND ${column} = p.${column}`).join(' ');
  return `WITH RECURSIVE ${combinations} ${auditListSql(mergedPage(selected, `${range} ${ofCombination}`))}`;
}

/**
 * SQLite has no LATERAL, so the rows of each range are found by rowid. The unary plus keeps SQLite
 * from using the organization's index, which would read all of its events.
 */
function mergedPage(combinations: string, range: string): string {
  return `(
    SELECT merged.* FROM ${combinations} p CROSS JOIN audit_events merged ON merged.rowid IN (
      SELECT rowid FROM audit_events ${range} AND ${inTimeRange} ${newestFirst}
    )
  ) WHERE +organization_id = ?1 ${newestFirst}`;
}

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
