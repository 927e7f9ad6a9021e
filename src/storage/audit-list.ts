import type { AuditFilter } from '../core/organization/organization-storage.ts';
import { auditColumns } from './organization-rows.ts';

/**
 * How each combination of audit filters reads a page: the part of the query plan that both engines
 * share.
 *
 * A plain shape reads one range of one index, newest first. A merged shape reads one range for each
 * combination of values that its index holds in the merged columns, at most a page of each, and
 * keeps the newest rows overall. Its cost grows with the number of kinds (and, for a preset, of
 * people who changed it), but not with the number of events.
 *
 * Only "actor and kinds" reads rows that it then discards: the actor's events of other kinds.
 */
export type AuditShape = 'all' | 'actor' | 'actor and kinds' | 'kinds' | ScopedShape;

/** Shapes limited to one workspace or preset. */
export type ScopedShape = 'workspace' | 'workspace and actor' | 'preset' | 'preset and actor';

/** The index that serves a scoped shape, and how its columns are used. */
interface ScopedIndex {
  readonly index: string;
  readonly scope: 'workspace_id' | 'preset_id';
  readonly hasActor: boolean;
  /** The index columns between the fixed ones and the time. */
  readonly merged: readonly string[];
}

const [byWorkspace, byWorkspaceActor, byPresetActor] = [
  { index: 'audit_events_by_workspace', scope: 'workspace_id' },
  { index: 'audit_events_by_workspace_actor', scope: 'workspace_id' },
  { index: 'audit_events_by_preset_actor', scope: 'preset_id' },
] as const;

export const scopedIndexes: Readonly<Record<ScopedShape, ScopedIndex>> = {
  workspace: { ...byWorkspace, hasActor: false, merged: ['kind'] },
  'workspace and actor': { ...byWorkspaceActor, hasActor: true, merged: ['kind'] },
  preset: { ...byPresetActor, hasActor: false, merged: ['actor_id', 'kind'] },
  'preset and actor': { ...byPresetActor, hasActor: true, merged: ['kind'] },
};

/** Every shape. Both engines prepare one statement for each. */
export const auditShapes: readonly AuditShape[] = [
  'all',
  'actor',
  'actor and kinds',
  'kinds',
  'workspace',
  'workspace and actor',
  'preset',
  'preset and actor',
];

/** Whether the shape reads one of the scoped indexes. */
export function isScoped(shape: AuditShape): shape is ScopedShape {
  return Object.hasOwn(scopedIndexes, shape);
}

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

/**
 * Selects the audit columns for the page that the subquery returns. Pass a column as `leading` when
 * the page has only one value in it, so that the order matches the index and nothing is sorted.
 */
export function auditListSql(page: string, leading?: string): string {
  const order = leading === undefined ? '' : `e.${leading} DESC, `;
  return `SELECT ${auditColumns} FROM (SELECT * FROM ${page}) e ORDER BY ${order}e.created_at DESC, e.id DESC`;
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
 * - unscoped shapes: 7 actor or kinds; 8 kinds, if there is also an actor
 * - scoped shapes: 7 workspace or preset; 8 kinds, or null for all; 9 actor
 */
export function auditValues<Kinds>(
  organizationId: string,
  { actorId, kinds, workspaceId, presetId, since = earliest, until = latest, after }: AuditFilter,
  limit: number,
  /** Encodes a list the way the engine expects it: JSON or an array. */
  toList: (kinds: readonly string[]) => Kinds,
): readonly (string | number | null | Kinds)[] {
  // Start after the cursor, or at `until` when the cursor lies beyond it.
  const start =
    after !== undefined && after.createdAt < until ? [after.createdAt, after.id] : [until, leastId];
  const bounds = [organizationId, since, leastId, ...start, limit];
  const kindList = kinds && toList(kinds);
  const scope = presetId ?? workspaceId;
  const filters = scope === undefined ? [actorId, kindList] : [scope, kindList ?? null, actorId];
  return [...bounds, ...filters.filter((value) => value !== undefined)];
}
