import type { AuditFilter } from '../core/storage.ts';
import { auditColumns } from './organization-rows.ts';

/**
 * How a page of the audit log is read.
 *
 * A plain shape reads one range of one index, newest first. A merged shape reads one range for each combination of values
 * that its index has in the merged columns, at most a page of each, and keeps the newest of them. Its cost grows with the
 * number of kinds (and, for a preset, of people who changed it), but not with the number of events.
 *
 * Only "actor and kinds" has to read past events: those of the actor that have other kinds.
 */
export type AuditShape = 'all' | 'actor' | 'actor and kinds' | 'kinds' | ScopedShape;

/** The events of one workspace or preset. */
export type ScopedShape = 'workspace' | 'workspace and actor' | 'preset' | 'preset and actor';

interface ScopedIndex {
  readonly index: string;
  readonly scope: 'workspace_id' | 'preset_id';
  readonly hasActor: boolean;
  /** The columns of the index between those that are given and the time. */
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

export function isScoped(shape: AuditShape): shape is ScopedShape {
  return Object.hasOwn(scopedIndexes, shape);
}

export function auditShapeOf({ actorId, kinds, workspaceId, presetId }: AuditFilter): AuditShape {
  if (presetId !== undefined) return actorId === undefined ? 'preset' : 'preset and actor';
  if (workspaceId !== undefined) return actorId === undefined ? 'workspace' : 'workspace and actor';
  if (actorId !== undefined) return kinds === undefined ? 'actor' : 'actor and kinds';
  return kinds === undefined ? 'all' : 'kinds';
}

/** The columns of a page of events, which is given as a subquery. `leading` has one value in all of them. */
export function auditListSql(page: string, leading?: string): string {
  const order = leading === undefined ? '' : `e.${leading} DESC, `;
  return `SELECT ${auditColumns} FROM (SELECT * FROM ${page}) e ORDER BY ${order}e.created_at DESC, e.id DESC`;
}

/** Beyond every time that there is. */
const earliest = '0001-01-01T00:00:00.000Z';
const latest = '9999-12-31T23:59:59.999Z';
const leastId = '00000000-0000-0000-0000-000000000000';

/**
 * 1 organization, 2 and 3 the earliest time and id, 4 and 5 those before which the list begins, 6 limit. Then 7 actor or
 * kinds, 8 kinds with an actor; for a scoped shape 7 workspace or preset, 8 kinds or null for all, 9 actor.
 */
export function auditValues<Kinds>(
  organizationId: string,
  { actorId, kinds, workspaceId, presetId, since = earliest, until = latest, after }: AuditFilter,
  limit: number,
  /** How the engine takes a list. */
  toList: (kinds: readonly string[]) => Kinds,
): readonly (string | number | null | Kinds)[] {
  // Where the list begins: after the last event that was seen, or after all that are not before the time given.
  const start =
    after !== undefined && after.createdAt < until ? [after.createdAt, after.id] : [until, leastId];
  const bounds = [organizationId, since, leastId, ...start, limit];
  const kindList = kinds && toList(kinds);
  const scope = presetId ?? workspaceId;
  const filters = scope === undefined ? [actorId, kindList] : [scope, kindList ?? null, actorId];
  return [...bounds, ...filters.filter((value) => value !== undefined)];
}
