import type { AuditFilter } from '../core/storage.ts';
import { auditColumns } from './organization-rows.ts';

/** By whom, of what kind, by both or by neither: each goes by an index; with both, one of them is looked at row by row. */
export type AuditShape = 'all' | 'actor' | 'kind' | 'actor and kind';

export const auditShapes: readonly AuditShape[] = ['all', 'actor', 'kind', 'actor and kind'];

export function auditShapeOf({ actorId, kind }: AuditFilter): AuditShape {
  if (actorId !== undefined) return kind === undefined ? 'actor' : 'actor and kind';
  return kind === undefined ? 'all' : 'kind';
}

/** A page of events, which is found in the order of time, or first of what all of it has in common. */
export function auditListSql(page: string, leading?: string): string {
  const order = leading === undefined ? '' : `e.${leading} DESC, `;
  return `SELECT ${auditColumns} FROM (SELECT * FROM ${page}) e ORDER BY ${order}e.created_at DESC, e.id DESC`;
}

/** Beyond every time that there is. */
const earliest = '0001-01-01T00:00:00.000Z';
const latest = '9999-12-31T23:59:59.999Z';
const leastId = '00000000-0000-0000-0000-000000000000';

/** 1 organization, 2 and 3 the earliest time and id, 4 and 5 those before which the list begins, 6 limit, 7 and 8 actor and kind. */
export function auditValues(
  organizationId: string,
  { actorId, kind, since = earliest, until = latest, after }: AuditFilter,
  limit: number,
): readonly (string | number)[] {
  // Where the list begins: after the last event that was seen, or after all that are not before the time given.
  const start =
    after !== undefined && after.createdAt < until ? [after.createdAt, after.id] : [until, leastId];
  const places = [organizationId, since, leastId, ...start, limit];
  return [...places, ...[actorId, kind].filter((value) => value !== undefined)];
}
