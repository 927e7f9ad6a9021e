import { auditGroups, auditKinds, auditKindsOf } from './audit-kinds.ts';
import type { Caller } from './authenticate.ts';
import { PresetdError } from './errors.ts';
import { managerOf } from './organization-access.ts';
import type { AuditEvent } from './organization-event.ts';
import { canBeCalled } from './request-text.ts';
import type { AuditFilter, AuditStore } from './storage.ts';
import { isUuid } from './workspace.ts';

export interface AuditQuery {
  /** An id or an e-mail address. */
  readonly actor?: string | undefined;
  /** A kind, or the group of several. */
  readonly kind?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/** Everything that happened in the organization of a management key, newest first. */
export async function readAudit(audit: AuditStore, caller: Caller, query: AuditQuery): Promise<AuditPage> {
  const { organizationId } = managerOf(caller, 'Reading the audit log');
  const kinds = query.kind === undefined ? [undefined] : auditKindsOf(query.kind);
  if (kinds === undefined)
    throw invalid('/kind', `must be one of ${[...auditGroups, ...auditKinds].join(', ')}`);
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const { actor } = query;
  const actorId = actor === undefined || !canBeCalled(actor) ? undefined : await audit.findActor(actor);
  if (actor !== undefined && actorId === undefined) return { events: [], nextCursor: null };
  const filter: AuditFilter = { actorId, since: query.since, until: query.until, after };
  // A group is several lists, each in order by an index; one event more than is asked for tells whether there is more.
  const lists = await Promise.all(
    kinds.map((kind) => audit.list(organizationId, { ...filter, kind }, query.limit + 1)),
  );
  const merged = kinds.length === 1 ? (lists[0] ?? []) : lists.flat().sort(newestFirst);
  const events = merged.slice(0, query.limit);
  const last = events.at(-1);
  return { events, nextCursor: last !== undefined && merged.length > query.limit ? cursorOf(last) : null };
}

function newestFirst(one: AuditEvent, other: AuditEvent): number {
  const [first, second] = [cursorOf(one), cursorOf(other)];
  return first < second ? 1 : -1;
}

/** Times are all of one length, so that these have the order of the list. */
function cursorOf({ createdAt, id }: AuditEvent): string {
  return `${createdAt}_${id}`;
}

function parseCursor(cursor: string): { createdAt: string; id: string } {
  const [createdAt = '', id = '', ...rest] = cursor.split('_');
  if (isTime(createdAt) && isUuid(id) && rest.length === 0) return { createdAt, id: id.toLowerCase() };
  throw invalid('/cursor', 'must be the next_cursor of an answer');
}

/** As we write them, and one that there is: an engine would stumble over February 30 and the year 0. */
function isTime(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text && /^(?!0000)\d{4}-/.test(text);
}

function invalid(path: string, message: string): PresetdError {
  return new PresetdError('invalid_request', `The request is not valid: ${path} ${message}.`, {
    issues: [{ path, message }],
  });
}
