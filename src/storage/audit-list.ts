import type { AuditEvent, AuditFilter } from '../core/audit/audit-storage.ts';
import { type Columns, fields, json, select } from './select.ts';
import type { Sql, Statement, Value } from './statement.ts';

/** Each combination of audit filters that reads a page in its own way. */
export type AuditShape = 'all' | 'actor' | 'actor and kinds' | MergedShape;

type MergedShape = 'kinds' | 'workspace' | 'workspace and actor' | 'preset' | 'preset and actor';

/**
 * Expects the event as `e`. Presets are never deleted, so their name is looked up; other subjects
 * may be gone, so events store their name. A deleted workspace keeps its name but releases its
 * slug.
 */
const auditColumns: Columns<AuditEvent> = {
  ...fields('e', 'id', 'kind', 'workspaceId', 'actorId', 'keyLabel', 'createdAt'),
  workspaceName: '(SELECT name FROM workspaces WHERE id = e.workspace_id)',
  workspaceSlug: '(SELECT slug FROM workspaces WHERE id = e.workspace_id AND deleted_at IS NULL)',
  subject: {
    id: 'coalesce(e.subject_id, CAST(e.preset_id AS text))',
    name: 'coalesce(e.subject_name, (SELECT slug FROM presets WHERE id = e.preset_id))',
  },
  actorEmail: '(SELECT email FROM users WHERE id = e.actor_id)',
  before: json('e.before'),
  after: json('e.after'),
};

/**
 * The statement for each shape, with the parameters of `auditValues`.
 *
 * A plain shape reads one range of one index, newest first. A merged shape reads one range for each
 * combination of values that its index holds in the merged columns, at most a page of each, and
 * keeps the newest rows overall. Its cost grows with the number of kinds (and, for a preset, of
 * people who changed it), but not with the number of events.
 *
 * Only "actor and kinds" reads rows that it then discards: the actor's events of other kinds.
 */
export const listAudit: Readonly<Record<AuditShape, Statement<AuditEvent>>> = {
  all: listBy('all', (sql) => `audit_events WHERE organization_id = $1 AND ${rangeOf(sql, [])}`),
  actor: listBy('actor', (sql) => `${ofActor(sql)} AND ${rangeOf(sql, [['actor_id', '$7']])}`, 'actor_id'),
  'actor and kinds': listBy(
    'actor-and-kinds',
    // Concatenating '' hides the filter from PostgreSQL's planner, which would otherwise pick the
    // index by kind.
    (sql) =>
      `${ofActor(sql)} AND ${sql.isIn(`kind || ''`, '$8', 'text')} AND ${rangeOf(sql, [['actor_id', '$7']])}`,
    'actor_id',
  ),
  kinds: listMerged('kinds', 'audit_events_by_kind', 'organization_id = $7', ['kind'], givenKinds),
  workspace: listMerged('workspace', 'audit_events_by_workspace', 'workspace_id = $7', ['kind']),
  'workspace and actor': listMerged(
    'workspace-and-actor',
    'audit_events_by_workspace_actor',
    'workspace_id = $7 AND actor_id = $9',
    ['kind'],
  ),
  preset: listMerged('preset', 'audit_events_by_preset_actor', 'preset_id = $7', ['actor_id', 'kind']),
  'preset and actor': listMerged(
    'preset-and-actor',
    'audit_events_by_preset_actor',
    'preset_id = $7 AND actor_id = $9',
    ['kind'],
  ),
};

/**
 * Picks the shape for a filter. The workspace is ignored when a preset is given: a preset belongs
 * to exactly one workspace.
 */
export function auditShapeOf({ actorId, kinds, workspaceId, presetId }: AuditFilter): AuditShape {
  if (presetId !== undefined) return actorId === undefined ? 'preset' : 'preset and actor';
  if (workspaceId !== undefined) return actorId === undefined ? 'workspace' : 'workspace and actor';
  if (actorId !== undefined) return kinds === undefined ? 'actor' : 'actor and kinds';
  return kinds === undefined ? 'all' : 'kinds';
}

/** Bounds outside every stored time and id, for filters that leave one side open. */
const earliest = '0001-01-01T00:00:00.000Z';
const latest = '9999-12-31T23:59:59.999Z';
const leastId = '00000000-0000-0000-0000-000000000000';

/**
 * The parameters of a list statement, in order:
 *
 * - 1 organization; 2 and 3 the earliest time and id; 4 and 5 the position that the page starts
 *   after; 6 limit
 * - plain shapes: 7 actor; 8 kinds
 * - merged shapes: 7 organization, workspace or preset; 8 kinds, or null for all; 9 actor
 */
export function auditValues(organizationId: string, filter: AuditFilter, limit: number): readonly Value[] {
  const { actorId, kinds, workspaceId, presetId, since = earliest, until = latest, after } = filter;
  // Start after the cursor, or at `until` when the cursor lies beyond it.
  const start =
    after !== undefined && after.createdAt < until ? [after.createdAt, after.id] : [until, leastId];
  const bounds = [organizationId, since, leastId, ...start, limit];
  const scope = presetId ?? workspaceId ?? (auditShapeOf(filter) === 'kinds' ? organizationId : undefined);
  const filters = scope === undefined ? [actorId, kinds] : [scope, kinds ?? null, actorId];
  return [...bounds, ...filters.filter((value) => value !== undefined)];
}

/**
 * Selects the audit columns for a page. Pass a column as `leading` when the page has only one value
 * in it, so that the order matches the index and nothing is sorted.
 */
function listBy(name: string, page: (sql: Sql) => string, leading?: string): Statement<AuditEvent> {
  const order = leading === undefined ? '' : `e.${leading} DESC, `;
  return select(
    `list-audit-by-${name}`,
    auditColumns,
    (sql) => `FROM (SELECT * FROM ${page(sql)}) e
      ORDER BY ${order}e.created_at DESC, e.id DESC`,
  );
}

function ofActor(sql: Sql): string {
  return `audit_events ${indexedBy(sql, 'audit_events_by_actor')} WHERE organization_id = $1`;
}

/** Without this hint, SQLite may choose an index that reads far more rows. PostgreSQL has none. */
function indexedBy({ engine }: Sql, index: string): string {
  return engine === 'sqlite' ? `INDEXED BY ${index}` : '';
}

/**
 * A range of an index, newest first. On PostgreSQL, columns with a single value are part of the
 * bounds: without statistics about them, it would go by time alone and read every event. SQLite
 * would search the index only by the first column of such a bound.
 */
function rangeOf({ engine }: Sql, columns: readonly (readonly [column: string, value: string])[]): string {
  const order = [...columns.map(([column]) => column), 'created_at', 'id'];
  const page = `ORDER BY ${order.map((column) => `${column} DESC`).join(', ')} LIMIT $6`;
  if (engine === 'sqlite') {
    const equal = columns.map(([column, value]) => `${column} = ${value} AND `).join('');
    return `${equal}(created_at, id) >= ($2, $3) AND (created_at, id) < ($4, $5) ${page}`;
  }
  const key = order.join(', ');
  const values = columns.map(([, value]) => `${value}, `).join('');
  return `(${key}) >= (${values}$2, $3) AND (${key}) < (${values}$4, $5) ${page}`;
}

/** Reads a page for each combination of the merged columns in a scope; keeps the newest events. */
function listMerged(
  name: string,
  index: string,
  scope: string,
  merged: readonly string[],
  combinations = combinationsOf,
): Statement<AuditEvent> {
  return listBy(name, (sql) => {
    const scoped = `audit_events ${indexedBy(sql, index)} WHERE ${scope}`;
    const range = `${scoped} AND ${rangeOf(
      sql,
      merged.map((column) => [column, `p.${column}`]),
    )}`;
    return `(
      WITH RECURSIVE ${combinations(sql, scoped, merged)}
      SELECT merged.* FROM by_kind p ${joinRange(sql, range)}
      WHERE (${sql.isIn('p.kind', '$8', 'text')} OR ($8 IS NULL AND p.kind IS NOT NULL))
    ) found WHERE organization_id = $1 ORDER BY created_at DESC, id DESC LIMIT $6`;
  });
}

/** SQLite has no LATERAL, so the rows of each range are found by rowid. */
function joinRange({ engine }: Sql, range: string): string {
  return engine === 'sqlite'
    ? `CROSS JOIN audit_events merged NOT INDEXED ON merged.rowid IN (SELECT rowid FROM ${range})`
    : `CROSS JOIN LATERAL (SELECT * FROM ${range}) merged`;
}

/** The kinds of the filter. An organization may have events of many others. */
function givenKinds({ values }: Sql): string {
  return `by_kind (kind) AS (SELECT value FROM ${values('$8', 'text')} given)`;
}

/**
 * Finds each combination of columns by stepping through the index (a loose index scan): each step
 * seeks the next one without reading the events in between.
 */
function combinationsOf(sql: Sql, scoped: string, columns: readonly string[]): string {
  if (sql.engine === 'sqlite') return combinationsByColumn(scoped, columns);
  const [all, current] = [columns.join(', '), columns.map((column) => `p.${column}`).join(', ')];
  const next = (condition: string) => `SELECT ${all} FROM ${scoped}${condition} ORDER BY ${all} LIMIT 1`;
  return `by_kind (${all}) AS (
    (${next('')})
    UNION ALL
    SELECT next.* FROM by_kind p CROSS JOIN LATERAL (${next(` AND (${all}) > (${current})`)}) next
  )`;
}

/**
 * The same for SQLite, which has no LATERAL: finds the values of one column after the other. A null
 * follows the last one.
 */
function combinationsByColumn(scoped: string, columns: readonly string[]): string {
  return columns
    .map((column, depth) => {
      const outer = columns.slice(0, depth);
      const kept = outer.map((each) => `p.${each}, `).join('');
      const next = (condition: string) => {
        const same = outer.map((each) => ` AND ${each} = p.${each}`).join('');
        return `${kept}(SELECT ${column} FROM ${scoped}${same}${condition} ORDER BY ${column} LIMIT 1)`;
      };
      const last = outer.at(-1);
      const within = last === undefined ? '' : `FROM by_${last} p WHERE p.${last} IS NOT NULL`;
      return `by_${column} (${[...outer, column].join(', ')}) AS (
        SELECT ${next('')} ${within}
        UNION ALL
        SELECT ${next(` AND ${column} > p.${column}`)} FROM by_${column} p WHERE p.${column} IS NOT NULL
      )`;
    })
    .join(', ');
}
